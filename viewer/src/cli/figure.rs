//! Figures and films of a tree from the command line.

use std::{io::Write as _, path::Path, sync::Arc};

use canopy_engine::tree::files::write_atomic_synced;
use clap::Args;

use super::{
    CliError, ThemeArg,
    render::{RenderArgs, RenderedTree, selected_node},
};
use crate::tree::{
    camera::TreeBounds,
    figure::{
        self, DEFAULT_TEXT_SIZE, DEFAULT_WIDTH_MM, FigureSpec, POINTS_PER_MM,
        animation::{self, AnimationFormat, FrameTimes},
        pixels, words,
    },
    model::{Filter, TreeModel},
    scene::{self, LabelStyle},
};

/// How long the last frame of a film is shown.
const LAST_FRAME_MS: u32 = 2500;
/// A film's text is so much smaller than its width.
const FILM_TEXT_SHARE: f64 = 64.0;
/// Bounds of a figure's width and height in millimetres.
const MAX_MM: f64 = 2000.0;

/// A figure's own settings.
#[derive(Args)]
pub(super) struct FigureArgs {
    /// Make a figure for a publication: title, legend, scale and caption on white, in .png, .svg or .pdf
    #[arg(long, help_heading = "Figure")]
    figure: bool,
    /// The title; an empty text for none [default: game, move, search and iterations]
    #[arg(long, value_name = "TEXT", help_heading = "Figure")]
    title: Option<String>,
    /// The text below; an empty one for none [default: what is shown]
    #[arg(long, value_name = "TEXT", help_heading = "Figure")]
    caption: Option<String>,
    /// Leave out what colours and signs mean
    #[arg(long, help_heading = "Figure")]
    no_legend: bool,
    /// Width on paper [default: 88]
    #[arg(long, value_name = "MM", value_parser = parse_mm, help_heading = "Figure")]
    width: Option<f64>,
    /// Height on paper [default: as the levels need]
    #[arg(long, value_name = "MM", value_parser = parse_mm, help_heading = "Figure")]
    height: Option<f64>,
    /// Pixels an inch of a .png [default: 300]
    #[arg(long, value_name = "N", value_parser = parse_dpi, help_heading = "Figure")]
    dpi: Option<f64>,
    /// Size of text in points [default: 6]
    #[arg(long, value_name = "POINTS", value_parser = parse_text, help_heading = "Figure")]
    text: Option<f64>,
    /// Make a film of the tree's growth from its journal, of --size pixels, in .gif or animated .png
    #[arg(long, conflicts_with_all = ["iteration", "width", "height", "dpi"], help_heading = "Film")]
    pub(super) growth: bool,
    /// Frames of the film, closer at the beginning
    #[arg(long, value_name = "N", default_value_t = 60, requires = "growth",
        value_parser = clap::value_parser!(u32).range(2..=1000), help_heading = "Film")]
    frames: u32,
    /// Length of the film until its last frame
    #[arg(long, value_name = "SECONDS", default_value_t = 8.0, requires = "growth",
        value_parser = parse_seconds, help_heading = "Film")]
    seconds: f64,
}

fn parse_within(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    (text.parse().ok())
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            format!(
                "expected a number from {} to {}",
                range.start(),
                range.end()
            )
        })
}

fn parse_mm(text: &str) -> Result<f64, String> {
    parse_within(text, 20.0..=MAX_MM)
}

fn parse_dpi(text: &str) -> Result<f64, String> {
    parse_within(text, 30.0..=2400.0)
}

fn parse_text(text: &str) -> Result<f64, String> {
    parse_within(text, 3.0..=72.0)
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    parse_within(text, 0.1..=600.0)
}

impl FigureArgs {
    /// Whether any of them asks for a figure.
    pub(super) fn is_wanted(&self) -> bool {
        let has_text = self.title.is_some() || self.caption.is_some() || self.text.is_some();
        let has_size = self.width.is_some() || self.height.is_some() || self.dpi.is_some();
        self.figure || self.no_legend || has_text || has_size
    }
}

/// Which nodes a figure shows: those that the options name, else the most visited.
fn figure_filter(arguments: &RenderArgs, root_visits: i32) -> Filter {
    let asked = arguments.view.filter(root_visits);
    if arguments.view.has_filter() {
        return Filter {
            folds_root_alone: true,
            ..asked
        };
    }
    Filter {
        collapsed: asked.collapsed,
        merge_turns: asked.merge_turns,
        ..figure::default_filter(root_visits)
    }
}

/// What a figure looks like whatever it shows.
fn figure_spec(
    arguments: &RenderArgs,
    model: &TreeModel,
    width: f64,
) -> Result<FigureSpec, CliError> {
    let args = &arguments.figure;
    Ok(FigureSpec {
        text_size: args.text.unwrap_or(DEFAULT_TEXT_SIZE),
        has_legend: !args.no_legend,
        theme: figure::print_theme(arguments.theme == Some(ThemeArg::Dark)),
        look: arguments.view.look(model, LabelStyle::Shares)?,
        selected: selected_node(arguments, model)?,
        ..FigureSpec::new(width)
    })
}

fn given(text: &Option<String>, usual: impl FnOnce() -> Option<String>) -> Option<String> {
    let text = text.clone().or_else(usual);
    text.filter(|text| !text.trim().is_empty())
}

/// Writes a figure.
pub(super) fn save_figure(
    arguments: &RenderArgs,
    mut tree: RenderedTree,
    extension: &str,
) -> Result<(), CliError> {
    if !figure::FORMATS.contains(&extension) {
        return Err(CliError::Input(format!(
            "{}: expected a name that ends in .png, .svg or .pdf",
            arguments.output.display()
        )));
    }
    let view = &arguments.view;
    let visits = match view.iteration {
        Some(iteration) => i32::try_from(iteration).unwrap_or(i32::MAX),
        None => tree.file.node(0).visits,
    };
    let model = tree.shown(view, &figure_filter(arguments, visits))?;
    let args = &arguments.figure;
    let width = args.width.unwrap_or(DEFAULT_WIDTH_MM) * POINTS_PER_MM;
    let spec = FigureSpec {
        height: args.height.map(|height| height * POINTS_PER_MM),
        title: given(&args.title, || words::title(&model, view.iteration)),
        caption: given(&args.caption, || {
            Some(words::caption(&model, view.iteration))
        }),
        ..figure_spec(arguments, &model, width)?
    };
    let drawing = figure::compose(&Arc::new(model), &spec);
    let dpi = args.dpi.unwrap_or(300.0);
    let bytes = figure::encode(&drawing, extension, dpi).map_err(CliError::Failed)?;
    write(&arguments.output, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_atomic_synced(path, |out| out.write_all(bytes))
        .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", path.display())))
}

/// Writes a film of a tree's growth.
pub(super) fn save_growth(
    arguments: &RenderArgs,
    mut tree: RenderedTree,
    extension: &str,
) -> Result<(), CliError> {
    let format = match extension {
        "gif" => AnimationFormat::Gif,
        "png" | "apng" => AnimationFormat::Apng,
        _ => {
            return Err(CliError::Input(format!(
                "{}: expected a name that ends in .gif or .png",
                arguments.output.display()
            )));
        }
    };
    let args = &arguments.figure;
    let Some(mut journal) = tree
        .journal
        .take()
        .filter(|journal| journal.iterations() > 0)
    else {
        return Err(CliError::Input("the journal has no iterations".to_owned()));
    };
    let iterations = animation::frame_iterations(journal.iterations(), args.frames);
    let mut model_at = |iteration: u32| {
        let filter = figure_filter(arguments, i32::try_from(iteration).unwrap_or(i32::MAX));
        (journal.tree_at(iteration, &filter)).map(TreeModel::without_last_path)
    };
    let bounds = union_of_bounds(&iterations, &mut model_at).map_err(CliError::Failed)?;
    let (width, height) = (f64::from(arguments.size.0), f64::from(arguments.size.1));
    let base = FigureSpec {
        height: Some(height),
        text_size: args.text.unwrap_or((width / FILM_TEXT_SHARE).max(10.0)),
        bounds: Some(bounds),
        caption: given(&args.caption, || None),
        selected: None,
        ..figure_spec(arguments, &tree.file, width)?
    };
    let count = iterations.len() as u32;
    let times = FrameTimes {
        count,
        each_ms: (args.seconds * 1000.0 / f64::from(count)) as u32,
        last_ms: LAST_FRAME_MS,
    };
    let bytes = animation::encode(format, &times, |index| {
        let iteration = iterations[index as usize];
        let model = Arc::new(model_at(iteration)?);
        let spec = FigureSpec {
            title: given(&args.title, || words::title(&model, Some(iteration))),
            ..base.clone()
        };
        let drawing = figure::compose(&model, &spec);
        pixels::paint(&drawing, 1.0).ok_or_else(|| "the picture is too large".to_owned())
    })
    .map_err(CliError::Failed)?;
    write(&arguments.output, &bytes)
}

/// The room that the trees of all frames need.
fn union_of_bounds(
    iterations: &[u32],
    model_at: &mut impl FnMut(u32) -> Result<TreeModel, String>,
) -> Result<TreeBounds, String> {
    let mut all = TreeBounds::default();
    for &iteration in iterations {
        let bounds = scene::tree_bounds(&model_at(iteration)?);
        all.left = all.left.min(bounds.left);
        all.right = all.right.max(bounds.right);
        all.bottom = all.bottom.max(bounds.bottom);
    }
    Ok(all)
}
