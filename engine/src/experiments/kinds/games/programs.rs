//! Games in which a player is another program. Both sides are processes then, and the referee of matches plays the game.
//!
//! A process plays one game: trials depend on nothing but their numbers.

use std::time::Duration;

use crate::{
    arena::{
        client::{Client, EngineFault, GameSpec, StartError, Timeouts},
        engine_config::EngineConfig,
        openings::Opening,
        referee::{self, Adjudication, EnginePlayer, FinishedGame, RefereeSettings},
        time_control::MoveLimits,
        tournament::run::own_command,
    },
    experiments::{
        file,
        kinds::TrialContext,
        play::{MoveFigures, PlayedGame},
    },
    games::{Playable, Player},
    runs::execute::TrialEnd,
};

/// Time for a move of one of our searches, whose limits stand in its parameters. Nobody waits for it.
const OWN_MOVE_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// A program that plays for a player.
#[derive(Clone, Debug)]
pub(super) struct Program {
    engine: EngineConfig,
    timeouts: Timeouts,
    limits: MoveLimits,
}

impl Program {
    /// The program of a player; `own` starts ours.
    fn new(player: &file::Player, game: &str, own: &[String]) -> Result<Self, String> {
        let own = own_command(own, game);
        let is_own = player.engine.is_empty();
        let mut engine = match is_own {
            true => EngineConfig {
                command: own,
                // A trial gives every move the time that the experiment says.
                options: [("Search", player.search.as_str()), ("EarlyStop", "false")]
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .to_vec(),
                ..EngineConfig::default()
            },
            false => {
                EngineConfig::parse(&player.engine, &own).map_err(|error| error.to_string())?
            }
        };
        engine.name = player.name.clone();
        let mut timeouts = Timeouts::default();
        if is_own {
            timeouts.reply = OWN_MOVE_TIMEOUT;
        }
        Ok(Self {
            limits: engine.limits.clone().unwrap_or_default(),
            engine,
            timeouts,
        })
    }

    fn start(&self, game: &GameSpec, context: &TrialContext<'_>) -> Result<Client, StartError> {
        Client::start(&self.engine, game, self.timeouts, context.halt)
    }
}

/// Starts every program once. Fails with the first that does not start.
pub(super) fn check<G: Playable>(
    players: &[file::Player],
    rules: G::Rules,
    context: &TrialContext<'_>,
) -> Result<(), String> {
    let game = GameSpec::of::<G>(rules);
    for player in players.iter().filter(|player| !player.engine.is_empty()) {
        let program = Program::new(player, &game.name, context.own_command)?;
        match program.start(&game, context) {
            Ok(client) => drop(client.quit()),
            Err(StartError {
                fault: EngineFault::Halted,
                ..
            }) => return Ok(()),
            Err(StartError { fault, post_mortem }) => {
                let (name, reason) = (&player.name, fault.describe(&post_mortem));
                return Err(format!("{name} {reason}"));
            }
        }
    }
    Ok(())
}

/// Plays a game between two players, the first of whom begins, with these seeds. The text is empty unless a player lost by a fault.
pub(super) fn play<G: Playable>(
    players: &[&file::Player; 2],
    opening: &Opening<G>,
    seeds: [u64; 2],
    context: &TrialContext<'_>,
) -> TrialEnd<(PlayedGame, String)> {
    let game = GameSpec::of::<G>(opening.start.rules());
    let program = |player: &file::Player| Program::new(player, &game.name, context.own_command);
    let [first, second] = players.map(program);
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(problem), _) | (_, Err(problem)) => return TrialEnd::Void(problem),
    };
    let mut seats = Vec::new();
    for (program, seed) in [&first, &second].into_iter().zip(seeds) {
        match program.start(&game, context) {
            Ok(client) => seats.push(EnginePlayer {
                client: Some(client),
                start_error: None,
                limits: &program.limits,
                seed,
                trees: None,
            }),
            Err(StartError {
                fault: EngineFault::Halted,
                ..
            }) => return TrialEnd::Halted,
            // A program that is gone, or no more handles, is nobody's play.
            Err(error) => {
                let (name, reason) = (&program.engine.name, error.fault);
                return TrialEnd::Void(format!("{name} {}", reason.describe(&error.post_mortem)));
            }
        }
    }
    let Ok(mut seats) = <[EnginePlayer<'_>; 2]>::try_from(seats) else {
        return TrialEnd::Halted;
    };
    let settings = RefereeSettings {
        game,
        timeouts: Timeouts::default(),
        adjudication: Adjudication::default(),
        move_delay: Duration::ZERO,
    };
    let finished = referee::play(&settings, opening, &mut seats, context.halt, &mut |_| {});
    for seat in seats {
        if let Some(client) = seat.client {
            client.quit();
        }
    }
    match finished {
        None => TrialEnd::Halted,
        Some(game) if game.is_stopped_externally || game.is_engine_unusable => {
            TrialEnd::Void(fault_text(&game, players))
        }
        Some(game) => {
            let fault = match game.ending.is_fault() {
                true => fault_text(&game, players),
                false => String::new(),
            };
            TrialEnd::Done((played_game(game, opening.moves.len()), fault))
        }
    }
}

/// Who failed, and how.
fn fault_text(game: &FinishedGame, [first, second]: &[&file::Player; 2]) -> String {
    let name = match game.blame {
        Some(Player::First) => &first.name,
        Some(Player::Second) => &second.name,
        None => return game.reason.clone(),
    };
    format!("{name} {}", game.reason)
}

/// The game as one between searches is told.
fn played_game(finished: FinishedGame, opening_plies: usize) -> PlayedGame {
    let mut game = PlayedGame::new(opening_plies);
    let searched = finished.moves.iter().skip(opening_plies);
    for ((player, _), (info, time)) in searched.zip(&finished.infos) {
        let figures = MoveFigures {
            searched: true,
            nodes: info.nodes.unwrap_or(0),
            leaves: info.leaves.unwrap_or(0),
            micros: time.as_micros() as u64,
        };
        game.count_move(*player, figures);
    }
    let words: Vec<String> = finished.moves.into_iter().map(|(_, text)| text).collect();
    game.moves = words.join(" ");
    game.result = finished.outcome;
    game.score = finished.score;
    game
}
