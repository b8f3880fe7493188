//! The demonstration match, in a window and in the terminal.

use super::*;

/// The demo: two engines play while the window shows board, score and tree.
#[test]
fn the_demonstration_is_watched_to_its_end() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-demo");
    let arguments = ["demo", "connect-four", "--games", "2", "--pace", "120"];
    let window = Window::open(&display, &scratch.0, &arguments);
    let moves = |state: &Value| state["match"]["moves"].as_u64().unwrap_or(0);
    let first = window.wait_until("the match is under way", |state| {
        moves(state) >= 2 && state["nodes"].as_u64().is_some_and(|nodes| nodes > 100)
    });
    window.save_screenshot("demo-under-way");
    assert_eq!(
        first["match"]["names"],
        serde_json::json!(["UCT", "Last good reply"])
    );
    assert_eq!(
        (&first["board"], &first["follow"]),
        (&"now".into(), &true.into())
    );
    assert!(
        first["match"]["last"].is_string() && first["match"]["result"].is_null(),
        "{first}"
    );
    // Every move changes the board, and brings a tree.
    let later = window.wait_until("the game goes on", |state| moves(state) > moves(&first) + 1);
    assert_ne!(later["match"]["position"], first["match"]["position"]);
    assert!(
        as_number(&later["trees"]) > as_number(&first["trees"]),
        "{later}"
    );
    let over = window.wait_until("the match is over", |state| state["match"]["over"] == true);
    window.save_screenshot("demo-over");
    assert_eq!(over["match"]["number"], 2);
    let won = over["match"]["won"].as_array().expect("wins are counted");
    let played = won.iter().filter_map(Value::as_u64).sum::<u64>()
        + as_number(&over["match"]["drawn"]) as u64;
    assert_eq!(played, 2, "{over}");
    // The window stays, with the result.
    window.wait_until("the result is told", |state| {
        state["match"]["verdict"].is_string()
    });
    let directory = over["directory"]
        .as_str()
        .expect("it has a directory")
        .to_owned();
    assert!(window.close().success());
    assert!(!Path::new(&directory).exists(), "nothing is left behind");
}

#[test]
fn a_demonstration_closes_its_window_if_told_to() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-demo-exit");
    let arguments = ["demo", "kalah:4x3", "--games", "1", "--pace", "0", "--exit"];
    assert!(
        Window::open(&display, &scratch.0, &arguments)
            .wait_for_exit()
            .success()
    );
}

#[test]
fn without_a_display_the_demo_is_played_in_the_terminal() {
    let scratch = Scratch::new("terminal");
    let arguments = ["demo", "connect-four", "--games", "1", "--pace", "0"];
    let output = without_display(&scratch.0, &arguments)
        .output()
        .expect("the viewer runs");
    let (told, errors) = output_texts(&output);
    assert!(output.status.success(), "{told}{errors}");
    assert!(
        errors.contains("no display") && !errors.contains(".rs"),
        "{errors}"
    );
    assert!(
        !told.contains('\u{1b}'),
        "there are only plain lines: {told}"
    );
    // Moves with what the searches thought, the board, and how it ended.
    assert!(told.contains("  1. UCT (X) "), "{told}");
    assert!(
        told.contains("playouts: ") && told.contains("; X wins "),
        "{told}"
    );
    assert!(told.contains("     1 2 3 4 5 6 7\n"), "{told}");
    let last: Vec<&str> = told.lines().rev().take(3).collect();
    assert!(last[2].starts_with("Score: UCT "), "{told}");
    assert!(
        last[0].starts_with("Next: ") && last[0].contains(" demo "),
        "{told}"
    );
    let pictures = last[1].split_once(": ").expect("a place").1;
    let names: Vec<_> = fs::read_dir(pictures)
        .expect("the pictures are there")
        .map(|entry| entry.expect("the pictures are there").path())
        .collect();
    assert_eq!(names.len(), 2, "the last tree of either player");
    for name in names {
        let begin = fs::read(&name).expect("a picture");
        assert!(begin.starts_with(b"\x89PNG"), "{}", name.display());
    }
    let directory = Path::new(pictures).parent().expect("the trees lie beside");
    assert!(directory.starts_with(&scratch.0) && directory.join("game-0001").is_dir());

    // What was kept can be followed in the same way.
    let output = without_display(&scratch.0, &["follow", path_text(directory), "--terminal"])
        .output()
        .expect("the viewer runs");
    let (again, errors) = output_texts(&output);
    assert!(output.status.success(), "{again}{errors}");
    let score = told.lines().find(|line| line.starts_with("Score: "));
    assert_eq!(
        again.lines().find(|line| line.starts_with("Score: ")),
        score
    );
}

#[test]
fn a_match_is_watched_from_the_start_screen() {
    in_window("watch", |window, _| {
        window.press("setup game connect-four");
        window.press_keys(&["w"]);
        let state = window.wait_until("a match is played", |state| {
            as_number(&state["trees"]) > 0.0
        });
        assert_eq!(state["match"]["names"][0], "UCT");
        window.press("home");
        window.wait_until("the start screen is back", |state| {
            state["match"].is_null() && state["controls"]["start watch"]["on"] == true
        });
        // The trees are kept, and listed.
        window.press("recent 1");
        window.wait_until("they are shown again", |state| {
            state["match"]["names"][0] == "UCT" && state["nodes"].is_u64()
        });
    });
}

/// The picture of the demonstration in README.md: `UPDATE=1 cargo test --release --test window picture -- --ignored` makes it anew.
#[test]
#[ignore = "it makes a picture for people, and compares nothing"]
fn the_picture_of_the_readme() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-picture");
    let arguments = ["demo", "connect-four", "--games", "2", "--pace", "1500"];
    let window = Window::open(&display, &scratch.0, &arguments);
    window.resize(1400, 880);
    let path = match std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        true => "viewer/pictures/demo.png",
        false => "target/demo.png",
    };
    // In the second game, while a tree grows that is the same afterwards.
    let is_growing = |state: &Value| {
        let (at, end) = (
            as_number(&state["iteration"]),
            as_number(&state["iterations"]),
        );
        state["match"]["number"] == 2
            && as_number(&state["match"]["moves"]) > 8.0
            && (0.3..0.9).contains(&(at / end))
    };
    loop {
        let before = window.wait_until("a tree of the second game grows", |state| {
            assert!(
                state["match"]["over"] != true,
                "a quieter machine is needed"
            );
            is_growing(state)
        });
        window.save_picture(path);
        let after = window.state();
        if is_growing(&after) && after["tree"] == before["tree"] {
            return;
        }
    }
}
