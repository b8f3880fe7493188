//! A checker of certificates that knows nothing but the rules.

use std::collections::HashMap;

use canopy_engine::games::{
    self, Outcome, Playable, Visitor,
    notation::{position_text, read_position},
};

/// Checks the text of a certificate; the number of its decisions, or what is wrong with it.
pub(super) fn check(text: &str) -> Result<usize, String> {
    let game = text
        .lines()
        .nth(1)
        .and_then(|line| line.strip_prefix("game "));
    let game = game.ok_or("no game in the second line")?;
    games::with_game(game, Check(text)).map_err(|error| error.to_string())?
}

struct Check<'a>(&'a str);

impl Visitor for Check<'_> {
    type Out = Result<usize, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let mut lines = self.0.lines();
        let mut header = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name));
            line.ok_or(format!("no {name}in the header"))
        };
        header("canopy certificate 1")?;
        header("game ")?;
        let root: G = read(rules, header("root ")?)?;
        let claim = Outcome::parse(header("claim ")?).ok_or("no outcome is claimed")?;
        let count: usize = header("decisions ")?.parse().map_err(|_| "no number")?;
        let mut checker = Checker::<G> {
            claim,
            decisions: HashMap::new(),
            heights: HashMap::new(),
            boards: HashMap::new(),
        };
        let mut last = "";
        for line in lines {
            let (position, mv) = line.split_once('\t').ok_or("a line without a tab")?;
            if position <= last {
                return Err(format!("{position} is out of order"));
            }
            last = position;
            let decided: G = read(rules, position)?;
            let mv = decided.parse_move(mv).map_err(|error| error.to_string())?;
            if Outcome::Win(decided.to_move()) != claim {
                return Err(format!("{position}: the loser is to move"));
            }
            checker.decisions.insert(position.to_owned(), mv);
        }
        if checker.decisions.len() != count {
            return Err(format!("{} decisions", checker.decisions.len()));
        }
        checker.height(&root)?;
        if checker.heights.len() != count {
            return Err("decisions that play never comes to".to_owned());
        }
        Ok(count)
    }
}

fn read<G: Playable>(rules: G::Rules, text: &str) -> Result<G, String> {
    read_position(rules, text).map_err(|error| error.to_string())
}

struct Checker<G: Playable> {
    claim: Outcome,
    decisions: HashMap<String, G::Move>,
    /// The most plies to the end from a decision; none while that is being found.
    heights: HashMap<String, Option<u32>>,
    /// The heights by what counts as the same position for repetitions. Along a line heights fall, so boards of one height each
    /// cannot recur.
    boards: HashMap<u64, u32>,
}

impl<G: Playable> Checker<G> {
    fn can_win_at_once(&self, position: &G) -> bool {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().any(|mv| {
            let mut child = position.clone();
            child.play(mv);
            child.outcome() == Some(self.claim)
        })
    }

    /// The most plies to the end of the game if the winner follows the certificate; an error if it does not win.
    fn height(&mut self, position: &G) -> Result<u32, String> {
        if let Some(outcome) = position.outcome() {
            let text = position_text(position);
            let is_won = outcome == self.claim;
            return is_won.then_some(0).ok_or(format!("{text} is not won"));
        }
        if Outcome::Win(position.to_move()) != self.claim {
            let mut highest = 0;
            for child in super::children(position) {
                highest = highest.max(self.height(&child)? + 1);
            }
            return Ok(highest);
        }
        if self.can_win_at_once(position) {
            return Ok(1);
        }
        let (image, text) = (G::SYMMETRIES.iter())
            .map(|&symmetry| position.image(symmetry))
            .map(|image| (position_text(&image), image))
            .find(|(text, _)| self.decisions.contains_key(text))
            .map(|(text, image)| (image, text))
            .ok_or_else(|| format!("{} is not decided", position_text(position)))?;
        match self.heights.get(&text) {
            Some(Some(height)) => return Ok(*height),
            Some(None) => return Err(format!("{text} recurs")),
            None => {}
        }
        self.heights.insert(text.clone(), None);
        let mut child = image.clone();
        child.play(self.decisions[&text]);
        let height = self.height(&child)? + 1;
        self.heights.insert(text.clone(), Some(height));
        if let Some(board) = image.repetition_key()
            && *self.boards.entry(board).or_insert(height) != height
        {
            return Err(format!("the board of {text} may recur"));
        }
        Ok(height)
    }
}
