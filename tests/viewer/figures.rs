//! Figures for publications and films of growth: what is in the files, and how large they are.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
};

use canopy_viewer::{
    app::Action,
    tree::{
        figure::{self, FigureSpec, POINTS_PER_MM, pixels, words},
        model::{ModelSource, TreeModel},
    },
};

use crate::{
    pictures::{assert_pixmap, grow_document},
    stage::Harness,
    support::{Scratch, program, window::grow},
};

/// The figure of a search, at a hundred dots an inch.
fn assert_figure(name: &str, model: &TreeModel, is_dark: bool) {
    let filter = figure::default_filter(model.node(0).visits);
    let model = TreeModel::filtered(model.source(), &filter);
    let spec = FigureSpec {
        title: words::title(&model, None),
        caption: Some(format!("Figure 1. {}", words::caption(&model, None))),
        theme: figure::print_theme(is_dark),
        ..FigureSpec::new(88.0 * POINTS_PER_MM)
    };
    let drawing = figure::compose(&Arc::new(model), &spec);
    let picture = pixels::paint(&drawing, 200.0 / 72.0).expect("it is small");
    assert_pixmap(name, &picture);
}

fn moves(columns: &str) -> Vec<String> {
    columns.chars().map(String::from).collect()
}

#[test]
fn a_figure_in_both_themes() {
    let document = grow_document("connect-four", &moves("3257351335242"), "uct", 5000);
    let model = TreeModel::new(ModelSource::from(document));
    assert_figure("figure-light", &model, false);
    assert_figure("figure-dark", &model, true);
}

fn render(arguments: &[&str]) -> Output {
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    let mut command = Command::new(viewer);
    command.arg("render").args(arguments);
    command.output().expect("the viewer runs")
}

/// A tree with its journal.
fn grown_tree(scratch: &Scratch) -> PathBuf {
    let search = "uct,exploration=1.41,seed=1";
    let options = format!("--game connect-four --search {search} --iterations 600 --journal");
    grow(&scratch.0, &options).remove(0)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary names are plain")
}

fn figure_of(tree: &Path, output: &Path, more: &[&str]) -> Vec<u8> {
    let mut arguments = vec![text(tree), "-o", text(output), "--figure"];
    arguments.extend(more);
    let done = render(&arguments);
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    fs::read(output).expect("it is written")
}

fn big_endian(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The chunks of a PNG file: type and content.
fn chunks(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let mut at = 8;
    let mut chunks = Vec::new();
    while at < bytes.len() {
        let length = big_endian(bytes, at) as usize;
        let name = String::from_utf8_lossy(&bytes[at + 4..at + 8]).into_owned();
        chunks.push((name, bytes[at + 8..at + 8 + length].to_vec()));
        at += length + 12;
    }
    chunks
}

#[test]
fn a_png_is_as_wide_as_asked_for_and_says_its_resolution() {
    let scratch = Scratch::new("figure-png");
    let tree = grown_tree(&scratch);
    let bytes = figure_of(
        &tree,
        &scratch.0.join("f.png"),
        &["--width", "100", "--dpi", "254"],
    );
    let chunks = chunks(&bytes);
    // 100 mm are 1,000 dots at 254 to an inch of 25.4 mm, and 10,000 a metre.
    assert_eq!(big_endian(&chunks[0].1, 0), 1000);
    let resolution = chunks
        .iter()
        .find(|(name, _)| name == "pHYs")
        .expect("it is said");
    assert_eq!(big_endian(&resolution.1, 0), 10_000);
    assert_eq!(resolution.1[8], 1);
}

#[test]
fn an_svg_has_its_size_in_millimetres_a_title_and_no_fonts() {
    let scratch = Scratch::new("figure-svg");
    let tree = grown_tree(&scratch);
    let more = ["--title", "A <tree>", "--caption", "Figure 2. What & why."];
    let bytes = figure_of(&tree, &scratch.0.join("f.svg"), &more);
    let text = String::from_utf8(bytes).expect("it is text");
    assert!(text.contains("width=\"88.000mm\""), "{}", &text[..200]);
    assert!(text.contains("<title>A &lt;tree&gt;</title>"));
    assert!(text.contains("<desc>Figure 2. What &amp; why.</desc>"));
    assert!(!text.contains("<text") && !text.contains("font-family"));
}

#[test]
fn a_pdf_is_one_page_of_its_size_whose_table_finds_every_object() {
    let scratch = Scratch::new("figure-pdf");
    let tree = grown_tree(&scratch);
    let bytes = figure_of(&tree, &scratch.0.join("f.pdf"), &["--height", "60"]);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("%PDF-1.5") && text.trim_end().ends_with("%%EOF"));
    // 88 mm and 60 mm in points of 1/72 inch.
    assert!(text.contains("/MediaBox [0 0 249.449 170.079]"));
    let table = bytes
        .windows(6)
        .rposition(|word| word == b"\nxref\n")
        .expect("a table");
    let tail = String::from_utf8_lossy(&bytes[table..]);
    let mut number = 0;
    for line in tail.lines().filter(|line| line.ends_with(" 00000 n ")) {
        number += 1;
        let offset: usize = line[..10].parse().expect("an offset");
        let object = format!("{number} 0 obj\n");
        assert!(bytes[offset..].starts_with(object.as_bytes()), "{line}");
    }
    assert_eq!(number, 5);
}

#[test]
fn films_have_their_size_and_as_many_frames_as_asked_for() {
    let scratch = Scratch::new("figure-film");
    let tree = grown_tree(&scratch);
    let film = |name: &str| {
        let output = scratch.0.join(name);
        let done = render(&[
            text(&tree),
            "-o",
            text(&output),
            "--growth",
            "--size",
            "320x240",
            "--frames",
            "7",
        ]);
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        fs::read(output).expect("it is written")
    };
    let gif = film("g.gif");
    assert_eq!(&gif[..6], b"GIF89a");
    assert_eq!(gif[6..10], [64, 1, 240, 0]);
    // Each frame has a control block of four bytes before its picture at the left upper corner.
    let frames = gif.windows(3).filter(|bytes| bytes == b"\x21\xf9\x04");
    assert_eq!(frames.count(), 7);
    assert_eq!(gif.last(), Some(&0x3b));
    let chunks = chunks(&film("g.png"));
    let (_, animation) = chunks
        .iter()
        .find(|(name, _)| name == "acTL")
        .expect("it moves");
    assert_eq!(big_endian(animation, 0), 7);
    assert_eq!(chunks.iter().filter(|(name, _)| name == "fcTL").count(), 7);
    assert_eq!(big_endian(&chunks[0].1, 0), 320);
}

#[test]
fn what_is_shown_can_be_told_on_the_command_line() {
    let scratch = Scratch::new("figure-view");
    let tree = grown_tree(&scratch);
    let svg = |more: &[&str]| {
        let output = scratch.0.join("v.svg");
        let mut arguments = vec![text(&tree), "-o", text(&output)];
        arguments.extend(more);
        let done = render(&arguments);
        assert!(
            done.status.success(),
            "{more:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        fs::read_to_string(&output).expect("it is written")
    };
    let circles = |more: &[&str]| svg(more).matches("<circle").count();
    assert_eq!(circles(&["--levels", "1"]), 8);
    assert_eq!(circles(&["--best", "3", "--levels", "2"]), 13);
    assert_eq!(circles(&["--best", "3,1", "--levels", "2"]), 7);
    assert_eq!(circles(&["--levels", "2", "--fold", "4"]), 8 + 42);
    assert_eq!(circles(&["--iteration", "8", "--levels", "1"]), 8);
    assert!(circles(&["--min-visits", "10%"]) < circles(&["--min-visits", "2%"]));
    assert!(!svg(&["--labels", "none"]).contains("visits"));
    assert!(svg(&["--select-moves", "4 4"]) != svg(&[]));
    assert!(svg(&["--colour", "value", "--levels", "2"]) != svg(&["--levels", "2"]));
    // Without a flag the picture is what it was before there were any: all nodes, labelled, on the dark ground.
    assert!(svg(&[]).contains("fill=\"#101317\"") && svg(&[]).contains("<text"));
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let scratch = Scratch::new("figure-wrong");
    let tree = grown_tree(&scratch);
    for (arguments, words) in [
        (&["-o", "x.doc", "--figure"][..], ".png, .svg or .pdf"),
        (&["-o", "x.bmp"], ".png, .svg or .html"),
        (
            &["-o", "x.png", "--iteration", "601"],
            "there is no iteration 601: the journal has 600",
        ),
        (
            &["-o", "x.png", "--colour", "warmth"],
            "nothing is called \"warmth\"",
        ),
        (
            &["-o", "x.png", "--fold", "9"],
            "the tree has no node \"9\"",
        ),
        (&["-o", "x.png", "--width", "5"], "from 20 to 2000"),
        (&["-o", "x.jpg", "--growth"], ".gif or .png"),
    ] {
        let mut all = vec![text(&tree)];
        all.extend(arguments);
        let done = render(&all);
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
fn a_figure_is_saved_from_the_window_with_its_words() {
    let scratch = Scratch::new("figure-save");
    let mut stage = Harness::dark();
    let document = grow_document("connect-four", &[], "uct", 500);
    stage.show_model("c4.tree", TreeModel::new(document));
    stage.press_key_with(egui::Modifiers::COMMAND, egui::Key::S);
    stage.draw_frame();
    let path = scratch.0.join("saved.svg");
    stage.fill_field("dialog path", text(&path));
    assert!(!stage.has_control("figure caption"));
    stage.click("figure");
    stage.fill_field("figure title", "My tree");
    stage.click("dialog yes");
    for _ in 0..3 {
        stage.draw_frame();
    }
    let text = fs::read_to_string(&path).expect("it is written");
    assert!(text.contains("<title>My tree</title>") && !text.contains("<text"));
    assert!(text.contains("to move."), "the caption says who is to move");
    let pdf = scratch.0.join("saved.pdf");
    stage.run_action(Action::Save(pdf.clone(), 1.0));
    stage.draw_frame();
    assert!(fs::read(&pdf).expect("it is written").starts_with(b"%PDF"));
}
