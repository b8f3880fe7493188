//! The programs of protocol.md, "Write your first tree": all write the same sound tree.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use canopy_engine::tree::files;
use support::{Scratch, data, untested};

mod support;

/// The program in this language on the page.
fn program(language: &str) -> String {
    let page = fs::read_to_string(data("../../protocol.md")).expect("the page is there");
    let fence = format!("```{language}\n");
    let (_, rest) = page.split_once(&fence).expect("the page has the program");
    let (program, _) = rest.split_once("```").expect("the program ends");
    program.to_owned()
}

fn is_installed(tool: &str) -> bool {
    let version = Command::new(tool)
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    version.is_ok_and(|output| output.status.success())
}

fn run(directory: &Path, words: &[&str]) {
    let (tool, arguments) = words.split_first().expect("there is a program");
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(directory)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{tool}: {error}"));
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// Runs the program of a language and returns the file that it writes; none if its tool is missing.
fn written_tree(language: &str, tool: &str, source: &str, commands: &[&[&str]]) -> Option<Vec<u8>> {
    if !is_installed(tool) {
        untested(&format!("there is no {tool}"));
        return None;
    }
    let scratch = Scratch::new(&format!("writer-{language}"));
    fs::write(scratch.0.join(source), program(language)).expect("it can be written");
    for words in commands {
        run(&scratch.0, words);
    }
    let tree = scratch.0.join("first.tree");
    let inspect = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["inspect", "--strict"])
        .arg(&tree)
        .output()
        .expect("the program starts");
    assert!(inspect.status.success(), "{language}: {inspect:?}");
    let document = files::read(&tree, None).expect("it is a tree");
    assert_eq!(document.tree.nodes().len(), 4);
    assert_eq!(document.tree.state(0), "connect-four startpos");
    fs::read(tree).ok()
}

#[test]
fn the_first_trees_in_c_python_and_javascript_are_the_same() {
    let trees = [
        written_tree(
            "c",
            "cc",
            "first.c",
            &[
                &["cc", "-Wall", "-Werror", "-o", "first", "first.c"],
                &["./first"],
            ],
        ),
        written_tree("python", "python3", "first.py", &[&["python3", "first.py"]]),
        written_tree("javascript", "node", "first.js", &[&["node", "first.js"]]),
    ];
    let found: Vec<Vec<u8>> = trees.into_iter().flatten().collect();
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn strict_inspection_fails_where_something_does_not_add_up() {
    let scratch = Scratch::new("writer-strict");
    let path = scratch.0.join("wrong.csv");
    fs::write(&path, ",3,3,0.5,connect-four startpos,1\n4,5,5,0.75,p2,0\n")
        .expect("it can be written");
    for (strict, code) in [(false, 0), (true, 1)] {
        let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
            .arg("inspect")
            .args(strict.then_some("--strict"))
            .arg(&path)
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(code));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            said.contains("its children have more visits than it has"),
            "{said}"
        );
    }
}
