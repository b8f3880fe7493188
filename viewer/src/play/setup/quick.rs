//! A game with two choices, from the start screen: how strong the engine is, and which side the person plays.

use canopy_engine::games::{self, GameFacts};
use serde::{Deserialize, Serialize};

use super::{EngineSetup, GameSetup, LimitKind, PlayMode, SetupProblem};
use crate::play::GameConfig;

/// How strong the engine plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// A beginner can win.
    Easy,
    /// It sees what is near.
    #[default]
    Fair,
    /// As well as it plays without much waiting.
    Strong,
}

impl Strength {
    /// Every strength, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Fair, Self::Strong];

    /// Its name on a button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "Easy",
            Self::Fair => "Fair",
            Self::Strong => "Strong",
        }
    }

    /// The iterations of every move.
    pub fn iterations(self) -> u32 {
        match self {
            Self::Easy => 300,
            Self::Fair => 3_000,
            Self::Strong => 30_000,
        }
    }
}

/// The side that a person plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonSide {
    /// The one that begins.
    #[default]
    First,
    /// The other one.
    Second,
    /// Both: two people play.
    Both,
}

impl PersonSide {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::Both];
}

/// The choices of the start screen. They leave the engines of the form for experts alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuickGame {
    /// The game.
    pub game: String,
    /// How strong the engine plays.
    pub strength: Strength,
    /// The side of the person.
    pub side: PersonSide,
}

impl Default for QuickGame {
    fn default() -> Self {
        Self {
            game: games::DEMO.name.to_owned(),
            strength: Strength::default(),
            side: PersonSide::default(),
        }
    }
}

impl QuickGame {
    /// The chosen game; the usual one if there is none of that name.
    pub fn facts(&self) -> &'static GameFacts {
        games::listed()
            .find(|facts| facts.name == self.game)
            .unwrap_or(games::DEMO)
    }

    /// The game to start. The engine is the game's own search with its best parameters; `own` is the command that starts it.
    pub fn config(&self, own: &[String]) -> Result<GameConfig, Vec<SetupProblem>> {
        let GameFacts {
            name: game,
            default_search,
            ..
        } = *self.facts();
        let mut engine = EngineSetup::default();
        engine.set_search(game, default_search);
        engine.limit = LimitKind::Iterations;
        engine.iterations = self.strength.iterations().to_string();
        let setup = GameSetup {
            game: game.to_owned(),
            mode: match self.side {
                PersonSide::Both => PlayMode::People,
                PersonSide::First | PersonSide::Second => PlayMode::Engine,
            },
            plays_second: self.side == PersonSide::Second,
            engines: [engine.clone(), engine],
            animate: true,
            ..GameSetup::default()
        };
        setup.validate(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_sets_the_iterations_and_the_games_own_exploration_is_kept() {
        for facts in games::listed() {
            for strength in Strength::ALL {
                let quick = QuickGame {
                    game: facts.name.to_owned(),
                    strength,
                    side: PersonSide::First,
                };
                let config = quick.config(&[]).expect("it can be played");
                assert_eq!(config.game, facts.name);
                let [None, Some(engine)] = &config.participants else {
                    panic!("the engine plays second: {config:?}")
                };
                let limits = engine.limits.as_ref().expect("a limit");
                assert_eq!(limits.nodes, Some(strength.iterations().into()));
                // Nothing is told but the search: its defaults are the game's best.
                let search = ("Search".to_owned(), facts.default_search.to_owned());
                assert_eq!(engine.options, [search], "{}", facts.name);
            }
        }
    }

    #[test]
    fn a_person_takes_either_side_or_both() {
        let engines = |side| {
            let quick = QuickGame {
                side,
                ..QuickGame::default()
            };
            let config = quick.config(&[]).expect("sound");
            config.participants.map(|engine| engine.is_some())
        };
        assert_eq!(engines(PersonSide::First), [false, true]);
        assert_eq!(engines(PersonSide::Second), [true, false]);
        assert_eq!(engines(PersonSide::Both), [false, false]);
        let strange = QuickGame {
            game: "no such game".to_owned(),
            ..QuickGame::default()
        };
        assert_eq!(strange.facts(), games::DEMO);
    }
}
