//! Positions of a list that searches are tried on: read, solved, searched.

use std::time::Duration;

use super::judge::Truth;
use crate::{
    catalog::{self, Spec},
    games::{
        History, Playable,
        notation::{self, quote},
        position_list::PositionEntry,
    },
    search::{
        BestMove, SearchLimits, SearchTask, StopFlag,
        exact::{self, Exact, SolveContext},
    },
};

/// A position of a list, in which the game goes on.
#[derive(Clone, Debug)]
pub struct ListedPosition<G: Playable> {
    /// Its moves, or else the position as the list has it.
    pub text: String,
    /// The position.
    pub position: G,
    /// How it came about.
    pub history: History,
    /// The values of all moves, if the list has them (`values=`).
    pub truth: Option<Truth<G::Move>>,
}

impl<G: Playable> ListedPosition<G> {
    /// Reads an entry of a list. The error says what is wrong with it, without its line.
    pub fn read(rules: G::Rules, entry: &PositionEntry) -> Result<Self, String> {
        if !entry.is_of_game::<G>(rules) {
            let (other, game) = (quote(&entry.game), notation::full_name::<G>(rules));
            return Err(format!("a position of {other}: expected {game}"));
        }
        let (position, history) = entry.read::<G>(rules).map_err(|error| error.to_string())?;
        if position.outcome().is_some() {
            return Err("the game is over: expected a position with moves".to_owned());
        }
        let truth = match entry.field("values") {
            Some(text) => {
                let truth = Truth::parse(&position, text);
                Some(truth.map_err(|error| format!("values={error}"))?)
            }
            None => None,
        };
        Ok(Self {
            text: match entry.moves.as_str() {
                "" => entry.position.clone(),
                moves => moves.to_owned(),
            },
            position,
            history,
            truth,
        })
    }

    /// The values of all moves by a solver; none if it runs out of time or memory, or is stopped.
    pub fn solve(
        &self,
        solver: &mut dyn Exact<G>,
        time: Option<Duration>,
        stop: &StopFlag,
    ) -> Option<Truth<G::Move>> {
        let limits = SearchLimits {
            time,
            ..SearchLimits::default()
        };
        let mut on_progress = |_| ();
        let mut context = SolveContext::start(&limits, stop, None, &mut on_progress);
        Truth::new(exact::solved(solver.values(&self.position, &mut context))?)
    }

    /// What a new search finds here; none if it is for another game.
    pub fn search(
        &self,
        spec: &Spec,
        limits: &SearchLimits,
        stop: &StopFlag,
    ) -> Option<BestMove<G::Move>> {
        let mut search = catalog::build::<G>(spec)?;
        Some(search.search(SearchTask::new(&self.position, &self.history, limits, stop)))
    }
}
