//! How games were played: discs, mobility and corners, move by move.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GameRow;
use crate::{
    games::{History, Playable, Player, notation},
    reports::{Axis, Cell, Column, Line, LinePlot, Plot, Point, Role, Section, Table, Unit},
};

/// What can be counted in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StyleMeasure {
    /// Discs or stones on the board after each move
    Discs,
    /// Legal moves at each of a player's turns
    Mobility,
    /// Turns at which a player could have taken a corner and did not
    CornersPassed,
}

impl StyleMeasure {
    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Discs => "discs",
            Self::Mobility => "legal moves",
            Self::CornersPassed => "corners passed by",
        }
    }
}

/// One move of a game. Arrays have the first player's figure first.
#[derive(Clone, Copy, Debug)]
struct StylePly {
    /// Discs after the move.
    discs: [u32; 2],
    /// Corners held after the move.
    corners: [u32; 2],
    /// Who moved: 0 for the first player.
    mover: usize,
    /// Legal moves of the mover.
    mobility: u32,
    /// Whether a corner could be taken.
    could_take_corner: bool,
    /// Whether one was.
    took_corner: bool,
}

/// A game, move by move.
#[derive(Clone, Debug, Default)]
pub(in crate::experiments::kinds) struct GameStyle {
    plies: Vec<StylePly>,
}

impl GameStyle {
    /// The means of a measure in a range of moves, counted from 1: of the player in this seat and of the other. None if there are no
    /// such moves.
    pub(super) fn means(
        &self,
        measure: StyleMeasure,
        [from, to]: [u32; 2],
        seat: usize,
    ) -> Option<[f64; 2]> {
        let mut sums = [(0.0, 0u32); 2];
        for (number, ply) in (1..).zip(&self.plies) {
            if !(from..=to).contains(&number) {
                continue;
            }
            for (side, (sum, count)) in sums.iter_mut().enumerate() {
                let value = match measure {
                    StyleMeasure::Discs => ply.discs.get(side).copied(),
                    _ if ply.mover != side => None,
                    StyleMeasure::Mobility => Some(ply.mobility),
                    StyleMeasure::CornersPassed => {
                        Some(u32::from(ply.could_take_corner && !ply.took_corner))
                    }
                };
                if let Some(value) = value {
                    *sum += f64::from(value);
                    *count += 1;
                }
            }
        }
        let [first, second] = sums.map(|(sum, count)| (count > 0).then(|| sum / f64::from(count)));
        match seat {
            0 => Some([first?, second?]),
            _ => Some([second?, first?]),
        }
    }
}

/// Replays games; `start_of` knows the first position of each.
pub(in crate::experiments::kinds) fn measure<'s, G: Playable>(
    start_of: impl Fn(&GameRow) -> Option<&'s G>,
    rows: &[GameRow],
) -> Vec<GameStyle> {
    rows.iter()
        .map(|row| start_of(row).map_or_else(GameStyle::default, |start| replay(start, &row.moves)))
        .collect()
}

fn replay<G: Playable>(start: &G, moves: &str) -> GameStyle {
    let mut style = GameStyle::default();
    let (mut position, mut history) = (start.clone(), History::new());
    history.push(&position);
    let mut legal = Vec::new();
    // A row that was changed by hand is replayed as far as it goes.
    let _ = notation::play_moves(&mut position, &mut history, moves, |before: &G, mv| {
        let grid = before.grid();
        let rows = grid.stones.len() / usize::from(grid.columns).max(1);
        let is_corner = |mv| {
            before.grid_square(mv).is_some_and(|(column, row)| {
                (column == 0 || column + 1 == grid.columns)
                    && (row == 0 || usize::from(row) + 1 == rows)
            })
        };
        before.legal_moves(&mut legal);
        let mut after = before.clone();
        after.play(mv);
        let grid = after.grid();
        let count = |player: Player| {
            let own = grid.stones.iter().filter(|stone| **stone == Some(player));
            own.count() as u32
        };
        let width = usize::from(grid.columns);
        let last = grid.stones.len().saturating_sub(1);
        let squares = [
            0,
            width.saturating_sub(1),
            (last + 1).saturating_sub(width),
            last,
        ];
        let corners = |player: Player| {
            let held = |&&square: &&usize| grid.stones.get(square) == Some(&Some(player));
            squares.iter().filter(held).count() as u32
        };
        let players = [Player::First, Player::Second];
        style.plies.push(StylePly {
            discs: players.map(count),
            corners: players.map(corners),
            mover: before.to_move().index(),
            mobility: legal.len() as u32,
            could_take_corner: legal.iter().any(|&mv| is_corner(mv)),
            took_corner: is_corner(mv),
        });
    });
    style
}

/// The sections on style: discs and mobility by move number, and corners.
pub(super) fn sections(names: &[&str], rows: &[GameRow], styles: &[GameStyle]) -> Vec<Section> {
    let plot = |label: &str, value: fn(&StylePly, usize) -> Option<f64>| {
        let lines = (0u8..)
            .zip(names)
            .enumerate()
            .map(|(player, (series, name))| Line {
                name: (*name).to_owned(),
                role: Role::Series(series),
                points: points(rows, styles, player, value),
            });
        Plot::Lines(LinePlot {
            x: Axis::new("move", Unit::Number),
            y: Axis::new(label, Unit::Number),
            lines: lines.collect(),
        })
    };
    let discs = plot("discs", |ply, seat| {
        ply.discs.get(seat).map(|&count| f64::from(count))
    });
    let mobility = plot("legal moves", |ply, seat| {
        (ply.mover == seat).then(|| f64::from(ply.mobility))
    });
    vec![
        Section::plot(
            "Discs by move number",
            "mean over all games that last so long, both sides' moves counted",
            discs,
        ),
        Section::plot(
            "Mobility by move number",
            "legal moves of a player at its turn, mean over all games that last so long",
            mobility,
        ),
        Section::table(
            "Corners",
            "for each game and player; a chance is a turn at which a corner could be taken",
            corner_table(names, rows, styles),
        ),
    ]
}

/// The mean of a figure by move number, for one player.
fn points(
    rows: &[GameRow],
    styles: &[GameStyle],
    player: usize,
    value: fn(&StylePly, usize) -> Option<f64>,
) -> Vec<Point> {
    let longest = styles.iter().map(|style| style.plies.len()).max();
    let point = |ply: usize| {
        let (mut sum, mut count) = (0.0, 0u32);
        for (row, style) in rows.iter().zip(styles) {
            let Some(played) = style.plies.get(ply) else {
                continue;
            };
            for (seat, &index) in row.players.iter().enumerate() {
                if index == player
                    && let Some(figure) = value(played, seat)
                {
                    sum += figure;
                    count += 1;
                }
            }
        }
        (count > 0).then(|| Point {
            x: (ply + 1) as f64,
            y: sum / f64::from(count),
            interval: None,
        })
    };
    (0..longest.unwrap_or(0)).filter_map(point).collect()
}

fn corner_table(names: &[&str], rows: &[GameRow], styles: &[GameStyle]) -> Table {
    let columns = [
        Column::text("player"),
        Column::number("corners at the end"),
        Column::number("first corner at move"),
        Column::number("chances"),
        Column::number("taken"),
        Column::number("share taken"),
    ];
    let row = |(player, name): (usize, &&str)| {
        let (mut games, mut held, mut chances, mut taken) = (0u32, 0u32, 0u32, 0u32);
        let mut firsts = Vec::new();
        for (row, style) in rows.iter().zip(styles) {
            for (seat, _) in row
                .players
                .iter()
                .enumerate()
                .filter(|(_, index)| **index == player)
            {
                games += 1;
                let own = |ply: &&StylePly| ply.mover == seat;
                held += (style.plies.last())
                    .and_then(|ply| ply.corners.get(seat).copied())
                    .unwrap_or(0);
                let could = style
                    .plies
                    .iter()
                    .filter(own)
                    .filter(|ply| ply.could_take_corner);
                chances += could.count() as u32;
                let took = |ply: &StylePly| ply.mover == seat && ply.took_corner;
                taken += style.plies.iter().filter(|ply| took(ply)).count() as u32;
                firsts.extend(style.plies.iter().position(took).map(|ply| ply + 1));
            }
        }
        let mean = |sum: f64, count: f64| match count > 0.0 {
            true => Cell::number(sum / count, 2),
            false => Cell::empty(),
        };
        vec![
            Cell::text(*name),
            mean(f64::from(held), f64::from(games)),
            mean(firsts.iter().sum::<usize>() as f64, firsts.len() as f64),
            mean(f64::from(chances), f64::from(games)),
            mean(f64::from(taken), f64::from(games)),
            match chances {
                0 => Cell::empty(),
                chances => Cell::percent(f64::from(taken) / f64::from(chances)),
            },
        ]
    };
    Table::plain(columns, names.iter().enumerate().map(row))
}
