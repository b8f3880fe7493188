//! Recently opened trees, each with a small picture.

use std::{path::Path, sync::Arc};

use egui::{
    Align2, Color32, ColorImage, Context, FontId, Rect, Response, RichText, Sense, Stroke,
    StrokeKind, TextWrapMode, TextureHandle, TextureId, TextureOptions, Ui, Vec2, WidgetText, pos2,
    vec2,
};
use tiny_skia::Pixmap;

use crate::{
    app::{Action, App, display_name},
    draw::theme::{BODY_SIZE, SMALL_SIZE, Theme},
    ui::{controls::Named as _, panels::form::keep_in_view},
    workers::thumbnails::{Subject, Thumbnail, ThumbnailRequest},
};

/// Size of a recent tree's picture, in points.
const PICTURE_SIZE: Vec2 = vec2(64.0, 44.0);
/// Height of an entry, and least width, in points.
pub(super) const ENTRY_HEIGHT: f32 = 50.0;
const MIN_ENTRY_WIDTH: f32 = 250.0;
/// Lines of a small picture are so much thinner.
const PICTURE_SCALE: f32 = 0.4;
/// Capacity of the cache.
const MAX_TEXTURES: usize = 24;

/// Pictures of trees as textures.
#[derive(Default)]
pub(super) struct ThumbnailTextures {
    cache: Vec<(Arc<Thumbnail>, TextureHandle)>,
}

/// The number of entries side by side in a width.
pub(super) fn columns_in(width: f32) -> usize {
    ((width / MIN_ENTRY_WIDTH) as usize).clamp(1, 4)
}

impl ThumbnailTextures {
    /// The texture of a picture; none if there is no picture.
    pub(super) fn texture(
        &mut self,
        context: &Context,
        thumbnail: &Arc<Thumbnail>,
    ) -> Option<TextureId> {
        let known = |(of, _): &&(Arc<Thumbnail>, _)| Arc::ptr_eq(of, thumbnail);
        if let Some((_, texture)) = self.cache.iter().find(known) {
            return Some(texture.id());
        }
        let image = to_image(thumbnail.picture.as_ref()?);
        let texture = context.load_texture("thumbnail", image, TextureOptions::LINEAR);
        let id = texture.id();
        self.cache.insert(0, (Arc::clone(thumbnail), texture));
        self.cache.truncate(MAX_TEXTURES);
        Some(id)
    }

    /// Shows so many of the recent trees in a width; a click opens one.
    pub(super) fn show_recent(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        (width, max_rows): (f32, usize),
        actions: &mut Vec<Action>,
    ) {
        let columns = columns_in(width);
        let mut recent = app.settings.recent.clone();
        recent.truncate(columns.saturating_mul(max_rows));
        let entry_width = (width / columns as f32).floor();
        let rows = recent.len().div_ceil(columns);
        let size = vec2(width, rows as f32 * ENTRY_HEIGHT);
        let (place, _) = ui.allocate_exact_size(size, Sense::hover());
        for (index, path) in recent.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let corner = place.min + vec2(column as f32 * entry_width, row as f32 * ENTRY_HEIGHT);
            let rect = Rect::from_min_size(corner, vec2(entry_width - 8.0, ENTRY_HEIGHT - 2.0));
            let entry = self.show_entry(app, ui, theme, (path, rect));
            let entry = entry.named(&format!("recent {}", index + 1));
            if entry.on_hover_text(path.display().to_string()).clicked() {
                actions.push(Action::Open(vec![path.clone()]));
            }
        }
    }

    /// One of the trees.
    fn show_entry(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        (path, rect): (&Path, Rect),
    ) -> Response {
        let response = ui.interact(rect, ui.scope_id().with(path), Sense::click());
        if response.hovered() {
            ui.painter().rect_filled(rect, 6.0, theme.raised);
        }
        let scale = ui.ctx().pixels_per_point();
        let frame = Rect::from_min_size(
            pos2(rect.left() + 4.0, rect.center().y - PICTURE_SIZE.y / 2.0).round(),
            PICTURE_SIZE,
        );
        let thumbnail = app.thumbnails.get(&ThumbnailRequest {
            subject: Subject::File(path.to_owned()),
            size: [
                (PICTURE_SIZE.x * scale) as u32,
                (PICTURE_SIZE.y * scale) as u32,
            ],
            scale: scale * PICTURE_SCALE,
            theme: theme.clone(),
        });
        ui.painter().rect_filled(frame, 4.0, theme.canvas);
        if let Some(texture) = (thumbnail.as_ref()).and_then(|it| self.texture(ui.ctx(), it)) {
            let image = egui::Image::new((texture, PICTURE_SIZE)).corner_radius(4);
            image.paint_at(ui, frame);
        }
        let line = Stroke::new(1.0, theme.line);
        (ui.painter()).rect_stroke(frame, 4.0, line, StrokeKind::Inside);
        let title = match &thumbnail {
            Some(thumbnail) => thumbnail.title.clone(),
            None => display_name(path),
        };
        let about = thumbnail.as_ref().map_or_else(String::new, |thumbnail| {
            let known = [thumbnail.detail.as_str(), &thumbnail.age];
            let known: Vec<&str> = known.into_iter().filter(|text| !text.is_empty()).collect();
            known.join(" · ")
        });
        let (left, room) = (frame.right() + 12.0, rect.right() - frame.right() - 20.0);
        for (text, size, colour, y) in [
            (title, BODY_SIZE, theme.text, rect.center().y - 9.0),
            (about, SMALL_SIZE, theme.dim, rect.center().y + 9.0),
        ] {
            paint_text(ui, (text, size, colour), (pos2(left, y), room));
        }
        keep_in_view(&response);
        if response.has_focus() {
            (ui.painter()).rect_stroke(rect, 6.0, theme.focus_stroke(), StrokeKind::Inside);
        }
        response
    }
}

/// Paints a line of text, cut off where it is too long, at the left of a place and centred on its height.
fn paint_text(
    ui: &Ui,
    (text, size, colour): (String, f32, Color32),
    (at, room): (egui::Pos2, f32),
) {
    let text = WidgetText::from(RichText::new(text).size(size));
    let font = FontId::proportional(size);
    let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), room.max(0.0), font);
    let corner = Align2::LEFT_CENTER.anchor_size(at, galley.size()).min;
    ui.painter().galley(corner, galley, colour);
}

/// A picture as egui wants it.
fn to_image(picture: &Pixmap) -> ColorImage {
    let size = [picture.width() as usize, picture.height() as usize];
    let pixels = (picture.pixels().iter())
        .map(|pixel| {
            Color32::from_rgba_premultiplied(
                pixel.red(),
                pixel.green(),
                pixel.blue(),
                pixel.alpha(),
            )
        })
        .collect();
    ColorImage::new(size, pixels)
}
