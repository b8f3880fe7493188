//! The command line of the viewer.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use canopy_engine::tree::{TreeError, files};
use clap::{Args, Parser, Subcommand, ValueEnum};
use tiny_skia::Pixmap;

use crate::{
    camera::{Camera, Canvas},
    model::Model,
    raster::{Care, Raster},
    scene::{self, Look, Scene},
    svg,
    theme::Theme,
    window,
};

#[derive(Parser)]
#[command(
    name = "canopy-viewer",
    version,
    about = "Shows search trees of millions of nodes in a window",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Trees to open (.tree or .csv), or a folder to watch
    files: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Draw a tree into a file, without a display
    Render(RenderArgs),
    /// Measure how fast trees are read, laid out and drawn
    Bench(BenchArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Dark,
    Light,
}

impl ThemeArg {
    fn theme(self) -> Theme {
        match self {
            Self::Dark => Theme::dark(),
            Self::Light => Theme::light(),
        }
    }
}

#[derive(Args)]
struct RenderArgs {
    /// The tree, a .tree or .csv file
    file: PathBuf,
    /// The picture, a .png or .svg file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1600x1000", value_parser = parse_size)]
    size: (u32, u32),
    /// Show the whole tree, which is what happens anyway
    #[arg(long, conflicts_with_all = ["centre", "zoom"])]
    fit: bool,
    /// The node in the middle, by its row in the file counted from 1
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    centre: Option<u32>,
    /// How many times larger than when it fits
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_zoom)]
    zoom: f64,
    /// Select a node, by its row in the file counted from 1
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u32).range(1..))]
    select: Option<u32>,
    /// Pixels a point, for pictures of high resolution
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_scale)]
    scale: f64,
    /// Light or dark
    #[arg(long, value_enum, default_value = "dark")]
    theme: ThemeArg,
}

#[derive(Args)]
struct BenchArgs {
    /// The trees
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One JSON object a file instead of a table
    #[arg(long)]
    json: bool,
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

/// What can go wrong, by whose fault it is.
#[derive(Debug)]
enum CliError {
    /// The command line or a file.
    Input(String),
    /// Something on the way.
    Failed(String),
}

impl CliError {
    fn file(path: &Path, error: &TreeError) -> Self {
        let text = format!("{}: {error}", path.display());
        match error {
            TreeError::Io(_) => Self::Failed(text),
            _ => Self::Input(text),
        }
    }

    fn write(path: &Path, error: &io::Error) -> Self {
        Self::Failed(format!("cannot write {}: {error}", path.display()))
    }
}

/// Runs the program with these arguments, the first being its own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let result = match cli.command {
        Some(Command::Render(arguments)) => render(&arguments),
        Some(Command::Bench(arguments)) => bench(&arguments),
        None => window::run(cli.files).map_err(CliError::Failed),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (text, code) = match error {
                CliError::Input(text) => (text, 2),
                CliError::Failed(text) => (text, 1),
            };
            say(&text);
            ExitCode::from(code)
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "where the program says what went wrong"
)]
fn say(text: &str) {
    eprintln!("canopy-viewer: {text}");
}

fn read(path: &Path) -> Result<Model, CliError> {
    let document = files::read(path, None).map_err(|error| CliError::file(path, &error))?;
    for problem in &document.problems {
        say(problem);
    }
    Ok(Model::new(document))
}

fn render(arguments: &RenderArgs) -> Result<(), CliError> {
    let model = read(&arguments.file)?;
    let (width, height) = arguments.size;
    let canvas = Canvas {
        width: f64::from(width),
        height: f64::from(height),
        scale: arguments.scale,
    };
    let node_of = |row: u32| {
        model.find_row(row - 1).ok_or_else(|| {
            CliError::Input(format!(
                "there is no row {row}: expected 1 to {}",
                model.tree.nodes().len()
            ))
        })
    };
    let selected = arguments.select.map(node_of).transpose()?;
    let mut camera = Camera::fit(&scene::bounds(&model), &canvas);
    camera.zoom_at(
        &canvas,
        arguments.zoom,
        canvas.width / 2.0,
        canvas.height / 2.0,
    );
    if let Some(row) = arguments.centre {
        let node = node_of(row)?;
        (camera.x, camera.y) = (model.x[node], model.depth_of(node) as f64);
    }
    let theme = arguments.theme.theme();
    let scene = scene::scene(&model, &camera, &canvas, &Look::default(), selected);
    let output = &arguments.output;
    let extension = output.extension().map(|name| name.to_ascii_lowercase());
    let bytes = match extension.as_ref().and_then(|name| name.to_str()) {
        Some("png") => png(&model, &scene, &canvas, &theme)?,
        Some("svg") => svg::text(&model, &scene, &canvas, &theme).into_bytes(),
        _ => {
            return Err(CliError::Input(format!(
                "{}: expected a name that ends in .png or .svg",
                output.display()
            )));
        }
    };
    fs::write(output, bytes).map_err(|error| CliError::write(output, &error))
}

fn png(model: &Model, scene: &Scene, canvas: &Canvas, theme: &Theme) -> Result<Vec<u8>, CliError> {
    let failed = || CliError::Failed("the picture is too large".to_owned());
    let mut pixmap = Pixmap::new(canvas.width as u32, canvas.height as u32).ok_or_else(failed)?;
    Raster::default().paint(
        &mut pixmap.as_mut(),
        model,
        scene,
        canvas,
        theme,
        Care::Fine,
    );
    pixmap.encode_png().map_err(|_| failed())
}

/// What was measured of one file.
struct Measured {
    nodes: usize,
    parse: f64,
    layout: f64,
    first: f64,
    median: f64,
    worst: f64,
    bytes: f64,
}

fn bench(arguments: &BenchArgs) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let failed = |error: io::Error| CliError::Failed(format!("cannot write the output: {error}"));
    if !arguments.json {
        writeln!(
            out,
            "{:>10}{:>10}{:>10}{:>10}{:>12}{:>10}{:>8}  file",
            "nodes", "parse", "layout", "first", "frame", "99 %", "bytes"
        )
        .map_err(failed)?;
    }
    for file in &arguments.files {
        let row = measure(file)?;
        let name = file.display().to_string();
        let written = if arguments.json {
            let object = serde_json::json!({
                "file": name,
                "nodes": row.nodes,
                "parse_ms": row.parse,
                "layout_ms": row.layout,
                "first_frame_ms": row.first,
                "frame_median_ms": row.median,
                "frame_p99_ms": row.worst,
                "bytes_per_node": row.bytes,
            });
            writeln!(out, "{object}")
        } else {
            writeln!(
                out,
                "{:>10}{:>10.1}{:>10.1}{:>10.1}{:>12.2}{:>10.2}{:>8.0}  {name}",
                row.nodes, row.parse, row.layout, row.first, row.median, row.worst, row.bytes
            )
        };
        written.map_err(failed)?;
    }
    Ok(())
}

fn measure(path: &Path) -> Result<Measured, CliError> {
    let millis = |begun: Instant| begun.elapsed().as_secs_f64() * 1e3;
    let begun = Instant::now();
    let document = files::read(path, None).map_err(|error| CliError::file(path, &error))?;
    let parse = millis(begun);
    let begun = Instant::now();
    let model = Model::new(document);
    let layout = millis(begun);
    let canvas = Canvas {
        width: 1600.0,
        height: 1000.0,
        scale: 1.0,
    };
    let theme = Theme::dark();
    let mut raster = Raster::default();
    let mut pixmap = Pixmap::new(1600, 1000)
        .ok_or_else(|| CliError::Failed("no memory for a picture".to_owned()))?;
    let mut shown = vec![0_u32; 1600 * 1000];
    let mut frame = |camera: &Camera| {
        let begun = Instant::now();
        let scene = scene::scene(&model, camera, &canvas, &Look::default(), None);
        raster.paint(
            &mut pixmap.as_mut(),
            &model,
            &scene,
            &canvas,
            &theme,
            Care::Quick,
        );
        for (to, from) in shown.iter_mut().zip(pixmap.pixels()) {
            *to =
                u32::from(from.red()) << 16 | u32::from(from.green()) << 8 | u32::from(from.blue());
        }
        millis(begun)
    };
    let fitting = Camera::fit(&scene::bounds(&model), &canvas);
    let first = frame(&fitting);
    // A sweep through all zooms, over places along the tree.
    let mut times = Vec::new();
    let (left, right) = model.extent;
    for step in 0..24 {
        for place in 0..8 {
            let mut camera = fitting;
            let zoom = 1.7_f64.powi(step);
            camera.zoom_at(&canvas, zoom, canvas.width / 2.0, canvas.height / 2.0);
            camera.x = left + (right - left) * (f64::from(place) + 0.5) / 8.0;
            camera.y = (model.depth() - 1) as f64 * f64::from((place + step) % 8) / 8.0;
            times.push(frame(&camera));
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    Ok(Measured {
        nodes: model.len(),
        parse,
        layout,
        first,
        median: at(50),
        worst: at(99),
        bytes: model.bytes() as f64 / model.len() as f64,
    })
}
