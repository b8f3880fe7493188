//! A match that the window starts itself, for the demo.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, SystemTime},
};

use canopy_engine::{arena::engine_config, games};

use super::{
    engine_run::{self, EngineRun},
    match_state::MATCH_FILE,
};
use crate::system::{temporary::TemporaryDirectory, wake::Wake};

/// Older matches that stay when a new one is to be kept.
const MAX_KEPT_MATCHES: usize = 7;
/// A match that was written to more recently is not removed.
const MIN_AGE: Duration = Duration::from_secs(60 * 60);

/// The match to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoMatchConfig {
    /// The game, with its variant.
    pub game: String,
    /// The command that starts the engine.
    pub engine: Vec<String>,
    /// Number of games.
    pub games: u32,
    /// Milliseconds between moves.
    pub pace_ms: u32,
    /// Whether the window closes when the match is over.
    pub close_when_over: bool,
    /// The directory of the trees; none for a temporary one.
    pub directory: Option<PathBuf>,
}

impl DemoMatchConfig {
    /// A match of two games; `engine` is the command that starts the engine, if it is not ours.
    pub fn new(game: &str, engine: Option<&str>) -> Result<Self, String> {
        let game = games::full_name(game).map_err(|error| error.to_string())?;
        let engine = match engine {
            Some(command) => engine_config::split_command(command)
                .ok_or_else(|| format!("{command:?} is no command: a quote is not closed"))?,
            None => own_engine_command(),
        };
        Ok(Self {
            game,
            engine,
            games: 2,
            pace_ms: 1800,
            close_when_over: false,
            directory: None,
        })
    }
}

/// A new directory in `parent` for a match of a game, which stays. Of older matches there, the newest few stay too.
pub fn kept_directory(parent: &Path, game: &str, now: SystemTime) -> PathBuf {
    let seconds = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap_or_default().as_secs()
    };
    let mut old: Vec<(u64, PathBuf)> = (fs::read_dir(parent).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.join(MATCH_FILE).is_file())
        .filter_map(|path| {
            let written = fs::metadata(path.join(MATCH_FILE)).and_then(|data| data.modified());
            Some((seconds(written.ok()?), path))
        })
        .collect();
    old.sort();
    old.reverse();
    for (written, path) in old.into_iter().skip(MAX_KEPT_MATCHES) {
        // Another window may still be playing it.
        if written + MIN_AGE.as_secs() < seconds(now) {
            let _ = fs::remove_dir_all(path);
        }
    }
    let name = game.replace(':', "-");
    (seconds(now)..)
        .map(|number| parent.join(format!("{name}-{number}")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| parent.join(name))
}

/// The command that starts our engine: the program beside this one, or this one, which carries it.
pub fn own_engine_command() -> Vec<String> {
    let this = std::env::current_exe().unwrap_or_else(|_| "canopy-viewer".into());
    let name = format!("canopy-engine{}", std::env::consts::EXE_SUFFIX);
    let beside = this.with_file_name(name);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    if beside.is_file() {
        vec![text(&beside)]
    } else {
        vec![text(&this), "engine".to_owned()]
    }
}

/// A match that runs. It ends when this is dropped, and its files go with it unless they were to stay.
#[derive(Debug)]
pub struct DemoMatch {
    run: EngineRun,
    directory: PathBuf,
    /// Removes the directory after the match, unless it is to stay.
    _temporary: Option<TemporaryDirectory>,
    engine: String,
}

impl DemoMatch {
    /// Starts it; `wake` is called when it has ended.
    pub fn start(config: &DemoMatchConfig, wake: Wake) -> Result<Self, String> {
        let engine = config.engine.join(" ");
        let failed =
            |error: std::io::Error| format!("the match cannot be started with {engine}: {error}");
        let (directory, temporary) = match &config.directory {
            Some(directory) => (directory.clone(), None),
            None => {
                let temporary = TemporaryDirectory::new().map_err(failed)?;
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        let mut command = engine_run::engine_command(&config.engine)?;
        command
            .args(["match", "--attended", "--game", &config.game])
            .args(["--games", &config.games.to_string()])
            .args(["--pace", &config.pace_ms.to_string()])
            .arg("--trees")
            .arg(&directory);
        let facts = games::facts_of(&config.game).unwrap_or(games::DEMO);
        for player in facts.demo_players {
            let written = format!("option.TreeJournal=true option.TreeExtra=true {player}");
            command.args(["--engine", &written]);
        }
        let run = EngineRun::start(command.stdin(Stdio::piped()), "match", wake);
        let run = run.map_err(|error| {
            // The directory is still empty.
            let _ = fs::remove_dir_all(&directory);
            failed(error)
        })?;
        Ok(Self {
            run,
            directory,
            _temporary: temporary,
            engine,
        })
    }

    /// Where it is to be followed.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Which engine plays.
    pub fn description(&self) -> String {
        format!("two engines play: {}", self.engine)
    }

    /// Whether the match has ended, well or not.
    pub fn has_ended(&mut self) -> bool {
        self.run.has_ended()
    }

    /// The error, once; none if there is none.
    pub fn take_error(&mut self) -> Option<String> {
        let (status, said) = self.run.take_end()?;
        let status = status.ok()?;
        (!status.success()).then(|| {
            let said = said.trim();
            format!("the match has ended ({status}): {said}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_matches_are_kept_and_one_that_is_played_is_never_removed() {
        let parent = TemporaryDirectory::new().expect("it can be made");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let add_match = |name: &str, age: u64| {
            let path = parent.path().join(name);
            fs::create_dir(&path).expect("it can be made");
            let file = fs::File::create(path.join(MATCH_FILE)).expect("it can be written");
            file.set_modified(now - Duration::from_secs(age))
                .expect("it can be dated");
        };
        for number in 0..9 {
            add_match(&format!("old-{number}"), 100_000 + number);
        }
        fs::create_dir(parent.path().join("no-match")).expect("it can be made");
        let new = kept_directory(parent.path(), "kalah:4x3", now);
        assert_eq!(new, parent.path().join("kalah-4x3-1000000000"));
        let is_left = |name: &str| parent.path().join(name).exists();
        assert!(is_left("old-6") && !is_left("old-7") && !is_left("old-8"));
        assert!(is_left("no-match"), "only matches are removed");
        for number in 0..9 {
            add_match(&format!("new-{number}"), 60);
        }
        kept_directory(parent.path(), "chess", now);
        assert!((0..9).all(|number| is_left(&format!("new-{number}"))));
        assert!(!is_left("old-0"));
    }
}
