//! Pictures of a tree without a display: as the window draws it, as a figure, or as a film of its growth.

use std::{io::Write as _, path::PathBuf, sync::Arc};

use canopy_engine::tree::files;
use clap::Args;

use super::{
    CliError, ThemeArg,
    figure::{FigureArgs, save_figure, save_growth},
    read_model,
};
use crate::{
    settings::memory_budget::MemoryBudget,
    tree::{
        camera::{Camera, Canvas},
        model::{
            Filter, TreeModel,
            node_path::{ChildStep, find_path},
        },
        scene::{self, LabelStyle, Measure, RenderOptions},
    },
    workers::{growth::GrowthJournal, page, render::RenderView},
};

/// The arguments of `render`.
#[derive(Args)]
pub(super) struct RenderArgs {
    /// The tree, a .tree or .csv file
    pub(super) file: PathBuf,
    /// The picture, a .png or .svg file; a figure also .pdf, a film .gif; .html for a web page
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1600x1000", value_parser = parse_size)]
    pub(super) size: (u32, u32),
    /// Show the whole tree (the default)
    #[arg(long, conflicts_with_all = ["centre", "zoom"])]
    pub(super) fit: bool,
    /// The node in the middle, by its row in the file counted from 1
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) centre: Option<u32>,
    /// How many times larger than when it fits
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_zoom)]
    pub(super) zoom: f64,
    /// Select a node, by its row in the file counted from 1
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) select: Option<u32>,
    /// Pixels a point, for pictures of high resolution
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_scale)]
    pub(super) scale: f64,
    /// Light or dark [default: dark, a figure light]
    #[arg(long, value_enum)]
    pub(super) theme: Option<ThemeArg>,
    #[command(flatten)]
    pub(super) view: ViewArgs,
    #[command(flatten)]
    pub(super) figure: FigureArgs,
}

impl RenderArgs {
    /// The colours of a picture that is no figure.
    fn theme(&self) -> ThemeArg {
        self.theme.unwrap_or(ThemeArg::Dark)
    }
}

/// What is shown of the tree, and how.
#[derive(Args)]
pub(super) struct ViewArgs {
    /// What colours the edges: visits, search-visits, value, proof, or the name of a column
    #[arg(long, value_name = "MEASURE", help_heading = "View")]
    pub(super) colour: Option<String>,
    /// Scale colours linearly, not logarithmically
    #[arg(long, help_heading = "View")]
    linear: bool,
    /// Scale the colours of each level by itself
    #[arg(long, help_heading = "View")]
    per_level: bool,
    /// Draw all nodes and edges in one size
    #[arg(long, help_heading = "View")]
    even: bool,
    /// What labels tell: none, moves, shares, visits or full
    #[arg(long, value_name = "TEXT", value_parser = parse_labels, help_heading = "View")]
    pub(super) labels: Option<LabelArg>,
    /// Show the main lines alone, as the key A does in the window
    #[arg(long, help_heading = "View")]
    readable: bool,
    /// Show so many children of a node, the most visited first; 4,3,2 for the levels from the root on
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        help_heading = "View"
    )]
    best: Vec<u32>,
    /// Show so many levels below the root
    #[arg(long, value_name = "N", help_heading = "View")]
    levels: Option<u32>,
    /// Hide nodes with fewer visits: a number, or a part of the root's such as 2%
    #[arg(long, value_name = "N", value_parser = parse_visits, help_heading = "View")]
    min_visits: Option<VisitBound>,
    /// Order children by visits, the most visited on the left
    #[arg(long, help_heading = "View")]
    sort: bool,
    /// Draw consecutive moves of one player as one edge
    #[arg(long, help_heading = "View")]
    whole_turns: bool,
    /// Fold a node, by the moves that lead to it; can be repeated
    #[arg(long, value_name = "MOVES", help_heading = "View")]
    fold: Vec<String>,
    /// Show everything in a figure, which else shows the most visited moves
    #[arg(long, conflicts_with_all = ["readable", "best", "levels", "min_visits"], help_heading = "View")]
    all: bool,
    /// Select a node, by the moves that lead to it
    #[arg(
        long,
        value_name = "MOVES",
        conflicts_with = "select",
        help_heading = "View"
    )]
    select_moves: Option<String>,
    /// The tree after so many iterations, from the journal beside it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "View")]
    pub(super) iteration: Option<u32>,
}

/// What labels tell; none for no labels.
type LabelArg = Option<LabelStyle>;

/// The least visits of a node that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum VisitBound {
    Visits(u32),
    /// Of the root's, from 0 to 1.
    Share(f64),
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let size = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    size.filter(|&(width, height)| {
        (16..=16_384).contains(&width) && (16..=16_384).contains(&height)
    })
    .ok_or_else(|| "expected two numbers from 16 to 16384, such as 1600x1000".to_owned())
}

fn parse_zoom(text: &str) -> Result<f64, String> {
    (text.parse().ok())
        .filter(|zoom: &f64| zoom.is_finite() && *zoom > 0.0)
        .ok_or_else(|| "expected a number above 0".to_owned())
}

fn parse_scale(text: &str) -> Result<f64, String> {
    (text.parse().ok())
        .filter(|scale: &f64| (0.5..=8.0).contains(scale))
        .ok_or_else(|| "expected a number from 0.5 to 8".to_owned())
}

fn parse_labels(text: &str) -> Result<LabelArg, String> {
    Ok(match text {
        "none" => None,
        "moves" => Some(LabelStyle::Moves),
        "shares" => Some(LabelStyle::Shares),
        "visits" => Some(LabelStyle::Visits),
        "full" => Some(LabelStyle::Full),
        _ => return Err("expected none, moves, shares, visits or full".to_owned()),
    })
}

fn parse_visits(text: &str) -> Result<VisitBound, String> {
    let bound = match text.strip_suffix('%') {
        Some(part) => (part.trim().parse().ok())
            .filter(|part| (0.0..=100.0).contains(part))
            .map(|part: f64| VisitBound::Share(part / 100.0)),
        None => text.parse().ok().map(VisitBound::Visits),
    };
    bound.ok_or_else(|| "expected a number such as 400, or a part such as 2%".to_owned())
}

/// The steps of moves that are separated by spaces.
fn steps(moves: &str) -> Vec<ChildStep> {
    let words = moves.split_whitespace();
    words.map(|word| (word.to_owned(), 0)).collect()
}

impl ViewArgs {
    /// Whether it says which nodes are shown.
    pub(super) fn has_filter(&self) -> bool {
        let has_bounds = !self.best.is_empty() || self.levels.is_some();
        self.all || self.readable || has_bounds || self.min_visits.is_some()
    }

    /// Which nodes of a tree with so many visits are shown.
    pub(super) fn filter(&self, root_visits: i32) -> Filter {
        let visits = f64::from(root_visits.max(0));
        Filter {
            readable: self.readable,
            max_children_by_level: self.best.clone(),
            max_levels: self.levels,
            min_visits: match self.min_visits {
                Some(VisitBound::Visits(visits)) => visits,
                Some(VisitBound::Share(share)) => (share * visits).ceil() as u32,
                None => 0,
            },
            sort_by_visits: self.sort,
            merge_turns: self.whole_turns,
            collapsed: (self.fold.iter())
                .map(|moves| Arc::new(steps(moves)))
                .collect(),
            ..Filter::default()
        }
    }

    /// Colours and labels; an error if there is no such column.
    pub(super) fn look(
        &self,
        model: &TreeModel,
        labels: LabelStyle,
    ) -> Result<RenderOptions, CliError> {
        let mut look = RenderOptions::default();
        look.scale.logarithmic = !self.linear;
        look.scale.per_layer = self.per_level;
        look.size_by_visits = !self.even;
        look.label_style = labels;
        if let Some(chosen) = self.labels {
            look.shows_labels = chosen.is_some();
            look.label_style = chosen.unwrap_or_default();
        }
        look.scale.measure = match self.colour.as_deref() {
            None | Some("visits") => Measure::Visits,
            Some("search-visits") => Measure::SearchVisits,
            Some("value") => Measure::Mean,
            Some("proof") => Measure::Proof,
            Some(name) => {
                let index = (model.columns().iter()).position(|column| column.name == name);
                Measure::Column(index.ok_or_else(|| no_column(model, name))?)
            }
        };
        Ok(look)
    }

    /// The nodes that are named by their moves must be there.
    fn check_moves(&self, model: &TreeModel) -> Result<(), CliError> {
        for moves in self.fold.iter().chain(&self.select_moves) {
            let sizes = model.tree.subtree_sizes();
            let found = find_path(&model.tree, &sizes, &steps(moves));
            if found.is_none() {
                return Err(CliError::Input(format!("the tree has no node \"{moves}\"")));
            }
        }
        Ok(())
    }

    /// The node selected by its moves; an error if it is not shown.
    pub(super) fn selected(&self, model: &TreeModel) -> Result<Option<usize>, CliError> {
        let Some(moves) = &self.select_moves else {
            return Ok(None);
        };
        let sizes = model.tree.subtree_sizes();
        let row = find_path(&model.tree, &sizes, &steps(moves));
        let node = row.and_then(|row| model.find_row(row as u32));
        match node {
            Some(node) => Ok(Some(node)),
            None => Err(CliError::Input(format!(
                "the node \"{moves}\" is not shown"
            ))),
        }
    }
}

fn no_column(model: &TreeModel, name: &str) -> CliError {
    let names: Vec<&str> = (model.columns().iter())
        .map(|column| column.name.as_str())
        .collect();
    let has = match names.is_empty() {
        true => String::new(),
        false => format!(", or {}", names.join(", ")),
    };
    CliError::Input(format!(
        "nothing is called \"{name}\" that could colour edges: expected visits, search-visits, value, proof{has}"
    ))
}

/// The tree of the command line: the file's, or that after an iteration, before any filter.
pub(super) struct RenderedTree {
    pub(super) file: TreeModel,
    pub(super) journal: Option<GrowthJournal>,
}

impl RenderedTree {
    fn open(arguments: &RenderArgs) -> Result<Self, CliError> {
        let file = read_model(&arguments.file)?;
        arguments.view.check_moves(&file)?;
        let needs_journal = arguments.view.iteration.is_some() || arguments.figure.growth;
        let journal = match (&file.meta, needs_journal) {
            (_, false) => None,
            (None, true) => {
                return Err(CliError::Input(
                    "there is no sidecar (.json) beside the tree, which names the game of its journal".to_owned(),
                ));
            }
            (Some(meta), true) => {
                let limits = MemoryBudget::new(0).journal_limits();
                let journal = GrowthJournal::beside(&arguments.file, meta, limits);
                Some(journal.map_err(CliError::Input)?)
            }
        };
        Ok(Self { file, journal })
    }

    /// The tree that is drawn.
    pub(super) fn shown(
        &mut self,
        view: &ViewArgs,
        filter: &Filter,
    ) -> Result<TreeModel, CliError> {
        match (&mut self.journal, view.iteration) {
            (Some(journal), Some(iteration)) => {
                if iteration > journal.iterations() {
                    return Err(CliError::Input(format!(
                        "there is no iteration {iteration}: the journal has {}",
                        journal.iterations()
                    )));
                }
                (journal.tree_at(iteration, filter)).map_err(CliError::Failed)
            }
            _ => Ok(TreeModel::filtered(self.file.source(), filter)),
        }
    }
}

/// Draws a tree into a file.
pub(super) fn render(arguments: &RenderArgs) -> Result<(), CliError> {
    let mut tree = RenderedTree::open(arguments)?;
    let extension = (arguments.output.extension())
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    if arguments.figure.growth {
        return save_growth(arguments, tree, &extension);
    }
    if extension == "html" {
        return save_page(arguments, tree);
    }
    if arguments.figure.is_wanted() || extension == "pdf" {
        return save_figure(arguments, tree, &extension);
    }
    if !["png", "svg"].contains(&extension.as_str()) {
        return Err(CliError::Input(format!(
            "{}: expected a name that ends in .png, .svg or .html, or .pdf for a figure",
            arguments.output.display()
        )));
    }
    let root_visits = tree.file.node(0).visits;
    let view = &arguments.view;
    let model = tree.shown(view, &view.filter(root_visits))?;
    save_picture(arguments, model)
}

/// Writes the most visited part of the tree as a web page.
fn save_page(arguments: &RenderArgs, mut tree: RenderedTree) -> Result<(), CliError> {
    let view = &arguments.view;
    let total = tree.file.tree.nodes().len();
    let filter = page::filter_of(&tree.file, view.filter(tree.file.node(0).visits));
    let model = tree.shown(view, &filter)?;
    let text = page::render(&model, total).map_err(CliError::Failed)?;
    let output = &arguments.output;
    files::write_atomic_synced(output, |out| out.write_all(text.as_bytes()))
        .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", output.display())))
}

/// Draws the tree as the window does.
fn save_picture(arguments: &RenderArgs, model: TreeModel) -> Result<(), CliError> {
    let (width, height) = arguments.size;
    let canvas = Canvas {
        width: f64::from(width),
        height: f64::from(height),
        scale: arguments.scale,
    };
    let selected = selected_node(arguments, &model)?;
    let mut camera = Camera::fit(&scene::tree_bounds(&model), &canvas);
    camera.zoom_at(
        &canvas,
        arguments.zoom,
        canvas.width / 2.0,
        canvas.height / 2.0,
    );
    if let Some(row) = arguments.centre {
        let node = node_of(&model, row)?;
        (camera.x, camera.y) = (model.x[node], model.depth_of(node) as f64);
    }
    let view = RenderView {
        camera,
        canvas,
        look: arguments.view.look(&model, LabelStyle::Full)?,
        overlays: Vec::new(),
        selected,
        theme: arguments.theme().theme(),
        model: Arc::new(model),
    };
    let output = &arguments.output;
    view.save(output, 1.0)
        .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", output.display())))
}

fn node_of(model: &TreeModel, row: u32) -> Result<usize, CliError> {
    let count = model.tree.nodes().len();
    model.find_row(row - 1).ok_or_else(|| {
        CliError::Input(match row as usize <= count {
            true => format!("the node of row {row} is not shown"),
            false => format!("there is no row {row}: expected 1 to {count}"),
        })
    })
}

/// The node that is selected by its row or its moves.
pub(super) fn selected_node(
    arguments: &RenderArgs,
    model: &TreeModel,
) -> Result<Option<usize>, CliError> {
    match arguments.select {
        Some(row) => node_of(model, row).map(Some),
        None => arguments.view.selected(model),
    }
}
