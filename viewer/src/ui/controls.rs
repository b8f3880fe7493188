//! Positions and states of the last frame's controls, by name, for tests that drive the window from outside.

use std::collections::BTreeMap;

use egui::{Context, Id, Rect, Response};

#[derive(Clone, Default)]
struct Controls(BTreeMap<String, (Rect, bool)>);

/// Gives a control a name.
pub trait Named {
    /// The same control, known by that name until the next frame.
    fn named(self, name: &str) -> Self;

    /// The same with a tooltip, which a control that is off has, too.
    fn explained(self, name: &str, hint: impl AsRef<str>) -> Self;
}

impl Named for Response {
    fn named(self, name: &str) -> Self {
        let place = (self.rect, self.enabled());
        self.ctx.data_mut(|data| {
            let controls = data.get_temp_mut_or_default::<Controls>(Id::NULL);
            controls.0.insert(name.to_owned(), place);
        });
        self
    }

    fn explained(self, name: &str, hint: impl AsRef<str>) -> Self {
        let hint = hint.as_ref();
        let named = self.named(name);
        named.on_hover_text(hint).on_disabled_hover_text(hint)
    }
}

/// Registers the position of an element that is no widget.
pub fn register(context: &Context, name: &str, rect: Rect) {
    context.data_mut(|data| {
        let controls = data.get_temp_mut_or_default::<Controls>(Id::NULL);
        controls.0.insert(name.to_owned(), (rect, true));
    });
}

/// A new frame begins.
pub fn clear(context: &Context) {
    context.data_mut(|data| {
        data.get_temp_mut_or_default::<Controls>(Id::NULL).0.clear();
    });
}

/// The centre and size of every control in pixels, and whether it is enabled.
pub fn dump(context: &Context) -> serde_json::Value {
    let scale = context.pixels_per_point();
    let controls = context.data(|data| data.get_temp::<Controls>(Id::NULL));
    (controls.unwrap_or_default().0.into_iter())
        .map(|(name, (rect, is_on))| {
            let at = rect.center();
            let size = rect.size() * scale;
            let control = serde_json::json!({
                "at": [at.x * scale, at.y * scale],
                "size": [size.x, size.y],
                "on": is_on,
            });
            (name, control)
        })
        .collect()
}
