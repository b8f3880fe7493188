//! Signatures of searches: checksums of what they do, which change exactly when their results do.

use super::{CatalogError, Spec};
use crate::{
    games::{self, History, Playable, Player, Visitor, notation::move_text},
    rng::mix,
    search::{SearchLimits, SearchReport, SearchTask, StopFlag},
};

/// Work of a build's signature, for which a moment must do: iterations with playouts, plies without.
const BUILD_ITERATIONS: u64 = 100;
const BUILD_DEPTH: u32 = 2;
/// Plies before the search, so that the position is not symmetric; two moves are searched, so that trees are reused.
const OPENING_PLIES: usize = 6;

/// The result of one search at one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureRow {
    /// The last move it chose.
    pub mv: String,
    /// Nodes or iterations of both searches.
    pub steps: u64,
    /// A checksum of all it said.
    pub checksum: u64,
}

/// The signature of a search at a game, the same on every machine: 16 hexadecimal digits.
pub fn search_signature<G: Playable>(search: &str, start: &G) -> Result<String, CatalogError> {
    let row = search_twice(search, start, (BUILD_ITERATIONS, BUILD_DEPTH))?;
    Ok(format!("{:016x}", row.checksum))
}

/// [`search_signature`] at the start of a game that is known by its name, with its variant; `None` if there is no such game or search.
pub fn signature_in(game: &str, search: &str) -> Option<String> {
    struct StartSignature<'a>(&'a str);
    impl Visitor for StartSignature<'_> {
        type Out = Option<String>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            search_signature(self.0, &G::start(rules)).ok()
        }
    }
    games::with_game(game, StartSignature(search)).ok()?
}

/// Searches a position, plays the move, and searches again, each time with this limit of iterations or depth.
pub fn search_twice<G: Playable>(
    search: &str,
    start: &G,
    (iterations, depth): (u64, u32),
) -> Result<SignatureRow, CatalogError> {
    let mut spec = super::parse::<G>(search)?;
    let limits = match &mut spec {
        Spec::Mcts(config) => {
            // A table as large as report 002's takes longer to make than to fill.
            config.entries = config.entries.min(100_000);
            config.memory_mb = 64;
            // Several threads do not repeat themselves.
            config.threads = 1;
            SearchLimits::iterations(iterations)
        }
        Spec::Exact(config) => {
            // What the solver does, whatever the book knows.
            config.uses_book = false;
            SearchLimits::depth(depth)
        }
        _ => SearchLimits::depth(depth),
    };
    let mut search =
        super::build::<G>(&spec).expect("what was parsed for a game can be built for it");
    let mut position = start.clone();
    let mut history = History::new();
    history.push(&position);
    let mut moves = Vec::new();
    for ply in 0..OPENING_PLIES {
        position.legal_moves(&mut moves);
        let Some(&mv) = (ply * 5 + 2)
            .checked_rem(moves.len())
            .and_then(|index| moves.get(index))
        else {
            break;
        };
        history.play(&mut position, mv);
    }
    let mut row = SignatureRow {
        mv: String::new(),
        steps: 0,
        checksum: 0,
    };
    for _ in 0..2 {
        if history.outcome(&position).is_some() {
            break;
        }
        let choice = search.search(SearchTask::new(
            &position,
            &history,
            &limits,
            &StopFlag::new(),
        ));
        row.mv = move_text(&position, choice.mv);
        row.steps += choice.report.nodes;
        row.checksum = mix(row.checksum ^ report_checksum::<G>(&choice.report));
        search.advance(choice.mv);
        history.play(&mut position, choice.mv);
    }
    Ok(row)
}

/// A checksum over everything a search reports about its moves.
fn report_checksum<G: Playable>(report: &SearchReport<G::Move>) -> u64 {
    let mut sum = mix(report.nodes);
    for root in &report.root_moves {
        sum = mix(sum ^ u64::from(G::move_to_bits(root.mv)));
        sum = mix(sum ^ root.visits);
        sum = mix(sum ^ root.value.for_player(Player::First).to_bits());
        for &mv in &root.pv {
            sum = mix(sum ^ u64::from(G::move_to_bits(mv)));
        }
    }
    sum
}
