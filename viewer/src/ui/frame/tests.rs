//! Frames whose full-quality renderer fails on purpose.

use std::{path::Path, sync::Arc, time::Instant};

use canopy_engine::tree::{TreeBuilder, TreeRow};

use super::*;
use crate::{
    settings::ViewerSettings,
    tree::model::{ModelSource, TreeModel},
    ui::input::idle_input,
};

const TIMEOUT: Duration = Duration::from_secs(60);
const SIZE: (u32, u32) = (800, 600);

/// An app that shows a tree of three nodes, and frames with a renderer on a thread.
struct Fixture {
    app: App,
    frame: FrameRenderer,
    begun: Instant,
}

impl Fixture {
    fn new() -> Self {
        let mut builder = TreeBuilder::default();
        for (move_name, children) in [("", 2), ("left", 0), ("right", 0)] {
            let row = TreeRow {
                move_name,
                visits: 1,
                second: 1,
                children,
                ..TreeRow::default()
            };
            builder.push(&row).expect("a sound row");
        }
        let tree = builder.finish().expect("a whole tree");
        let mut app = App::new(ViewerSettings::default(), Arc::new(|| {})).expect("threads start");
        let model = TreeModel::new(ModelSource::of(tree));
        app.show_single_tree(Path::new("small.tree"), Arc::new(model));
        Self {
            app,
            frame: FrameRenderer::with_fine_renderer(Arc::new(|| {})).expect("a thread starts"),
            begun: Instant::now(),
        }
    }

    /// Draws frames until there is a message; takes it.
    fn wait_for_message(&mut self) -> (String, bool) {
        loop {
            let now = self.begun.elapsed();
            assert!(now < TIMEOUT, "there is no message");
            self.app.update(now);
            let input = idle_input(SIZE.0 as f32, SIZE.1 as f32, 1.0);
            self.frame.draw(&mut self.app, input, SIZE);
            if let Some(message) = self.app.message.take() {
                return (message.text, message.is_error);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Asserts that the renderer's thread still does what it is asked for: it saves a picture.
    fn assert_saves(&mut self) {
        let name = format!("canopy-alive-{:?}.png", std::thread::current().id());
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        self.app.dispatch(Action::Save(path.clone(), 1.0));
        let (message, is_error) = self.wait_for_message();
        assert_eq!(message, format!("saved {}", path.display()));
        assert!(!is_error);
        std::fs::remove_file(&path).expect("the picture is there");
    }
}

#[test]
fn a_fine_renderer_that_panics_is_told_of_and_draws_on() {
    let mut fixture = Fixture::new();
    let renderer = fixture.frame.fine_renderer.as_ref();
    renderer.expect("a renderer").panic_on_purpose();
    assert_eq!(
        fixture.wait_for_message(),
        (
            "drawing the tree failed: broken on purpose".to_owned(),
            true
        )
    );
    fixture.assert_saves();
}

#[test]
fn a_panic_while_a_picture_is_saved_is_told_with_its_name() {
    let mut fixture = Fixture::new();
    let path = std::env::temp_dir().join("broken.png");
    fixture.app.dispatch(Action::Save(path.clone(), 1.0));
    let path = path.display();
    let expected = format!("cannot write {path}: drawing it failed: broken on purpose");
    assert_eq!(fixture.wait_for_message(), (expected, true));
    fixture.assert_saves();
}
