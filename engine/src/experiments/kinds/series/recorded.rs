//! Series of recorded games.

use super::{GameRow, Games, half_points};
use crate::{
    arena::tournament::series::ScheduledSeries,
    experiments::{file::ExperimentFile, play::PlayedGame, records},
    games::{
        Playable,
        notation::{join_words, quote},
    },
};

/// The players of a series, and its games.
pub(super) type RecordedSeries = ([usize; 2], Vec<GameRow>);

/// All series of recorded games.
pub(super) struct Recorded {
    /// Who played against the players of the experiment.
    pub person: String,
    /// The series, in the order of their first games. The last of a pair may be unfinished: it counts as it stands.
    pub series: Vec<RecordedSeries>,
}

/// Reads recorded games of a person, who takes the place of the common opponent of all pairs and gives it a title. The error says what
/// is wrong, with the line of the record.
pub(super) fn read<G: Playable>(
    rules: G::Rules,
    file: &mut ExperimentFile<Games>,
    pairs: &[(usize, usize)],
    text: &str,
) -> Result<Recorded, String> {
    let Some(&(_, opponent)) = pairs.first() else {
        return Err("nobody meets anybody".to_owned());
    };
    if pairs.iter().any(|&(_, second)| second != opponent) {
        return Err(
            "recorded games need one opponent of all: expected pairs with the same second player"
                .to_owned(),
        );
    }
    let games = records::parse::<G>(rules, text)
        .map_err(|problem| format!("line {} of the records: {}", problem.line, problem.text))?;
    let mut recorded = Recorded {
        person: String::new(),
        series: Vec::new(),
    };
    for (number, game) in (1..).zip(games) {
        let found = game.names.each_ref().map(|name| {
            let players = pairs.iter().map(|&(player, _)| player);
            players
                .into_iter()
                .find(|&player| is_called(file, player, name))
        });
        let [first, second] = &game.names;
        let (seats, player, person) = match found {
            [Some(player), None] => ([player, opponent], player, second),
            [None, Some(player)] => ([opponent, player], player, first),
            _ => {
                let known: Vec<&str> = (pairs.iter())
                    .filter_map(|&(player, _)| file.players.get(player))
                    .map(|player| player.name.as_str())
                    .collect();
                return Err(format!(
                    "game {number} of the records is {} against {}: expected one of {} against a person",
                    quote(first),
                    quote(second),
                    join_words(&known, "and")
                ));
            }
        };
        if recorded.person.is_empty() {
            recorded.person.clone_from(person);
        } else if recorded.person != *person {
            return Err(format!(
                "game {number} of the records is of {}: expected {}, as before",
                quote(person),
                quote(&recorded.person)
            ));
        }
        recorded.add([player, opponent], seats, game.game);
    }
    if recorded.series.is_empty() {
        return Err("there are no games: expected some".to_owned());
    }
    if let Some(player) = file.players.get_mut(opponent) {
        player.title.clone_from(&recorded.person);
    }
    Ok(recorded)
}

/// Whether a record means a player by this name: its own, its title, or that of its search.
fn is_called(file: &ExperimentFile<Games>, player: usize, name: &str) -> bool {
    let Some(player) = file.players.get(player) else {
        return false;
    };
    let search = player.search.split(',').next().unwrap_or_default();
    let names = [player.name.as_str(), player.title.as_str(), search];
    !name.is_empty() && names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

impl Recorded {
    /// Adds a game to the last series of its players, or begins another.
    fn add(&mut self, players: [usize; 2], seats: [usize; 2], game: PlayedGame) {
        let is_open = |games: &[GameRow]| {
            let scheduled = ScheduledSeries::best_of_three(1, players, 0);
            let next = scheduled.next_after(games.len(), half_points(players, games));
            next.is_some()
        };
        let mut series = self.series.iter_mut().rev();
        let last = series.find(|(others, _)| *others == players);
        let trial = match &last {
            Some((_, games)) if is_open(games) => games.first().map_or(0, |game| game.trial),
            _ => 0,
        };
        match last {
            Some((_, games)) if trial > 0 => games.push(GameRow::new(trial, seats, game)),
            _ => {
                let trial = self.series.len() as u64 + 1;
                self.series
                    .push((players, vec![GameRow::new(trial, seats, game)]));
            }
        }
    }
}
