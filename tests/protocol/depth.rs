//! A depth limit always ends a search, even if the game ends at a smaller depth.

use std::time::Duration;

use canopy_engine::{catalog::SEARCHES, protocol::ServerConfig, session};

use crate::{
    random_game,
    support::{
        every_game,
        transcript::{InProcessServer, Peer as _},
    },
};

/// Deadline of a search with a depth limit, generous for a busy machine.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(120);

/// The searches that can play a game, each with whether it makes playouts.
fn searches_of_game(game: &'static str) -> impl Iterator<Item = (&'static str, bool)> {
    (SEARCHES.iter())
        .filter(move |entry| entry.only_game.is_none_or(|only| only == game))
        .map(move |entry| {
            let mut session = session::open(game).expect("there is the game");
            (session.set_search(entry.name, &[])).expect("the search can play it");
            (entry.name, session.has_playouts())
        })
}

/// A UGI server for this game and search, with little memory.
fn start_server(game: &str, search: &str) -> InProcessServer {
    let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let setup = ServerConfig {
        game: Some(game.to_owned()),
        options: vec![option("Search", search), option("Hash", "16")],
        ..ServerConfig::default()
    };
    let mut server = InProcessServer::new(&setup).expect("the set-up is sound");
    server.send("ugi");
    while server
        .read_line(SEARCH_TIMEOUT)
        .expect("it introduces itself")
        != "ugiok"
    {}
    server
}

/// Waits for `bestmove`; panics at the deadline.
fn expect_move(server: &mut InProcessServer, what: &str) {
    loop {
        match server.read_line(SEARCH_TIMEOUT) {
            Some(line) if line.starts_with("bestmove ") => break,
            Some(_) => {}
            None => panic!("{what} was not answered"),
        }
    }
}

/// Searches the position `plies` before the end of `game`. Searches exponential in the depth get a node limit as well.
fn search_near_end(
    server: &mut InProcessServer,
    game: &[String],
    plies: usize,
    depth: u32,
    has_playouts: bool,
) {
    let moves = game[..game.len() - plies].join(" ");
    server.send("uginewgame");
    server.send(&format!("position startpos moves {moves}"));
    let nodes = if has_playouts { "" } else { " nodes 20000" };
    let go = format!("go depth {depth}{nodes}");
    server.send(&go);
    expect_move(server, &format!("{go} {plies} plies before the end"));
}

#[test]
fn a_depth_beyond_a_mate_is_answered() {
    for (search, _) in searches_of_game("chess").filter(|&(_, has_playouts)| has_playouts) {
        for line in ["go depth 5", "go depth 500 searchmoves a1a8 a1b1"] {
            let mut server = start_server("chess", search);
            server.send("position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1");
            server.send(line);
            expect_move(&mut server, &format!("{search}: {line}"));
        }
    }
}

#[test]
fn depths_near_the_end_of_games_are_answered() {
    let mut number = 0;
    for game in every_game() {
        for (search, has_playouts) in searches_of_game(game) {
            let moves = random_game(game, number);
            let (plies, depth) = (1 + number as usize % 4, 1 + (7 * number as u32) % 20);
            let mut server = start_server(game, search);
            search_near_end(&mut server, &moves, plies, depth, has_playouts);
            number += 1;
        }
    }
}

/// Runs every search at depths 1 to 20, one to four plies before the end of random games.
fn search_all_depths(game: &'static str) {
    let games: Vec<Vec<String>> = (0..3).map(|seed| random_game(game, seed)).collect();
    for (search, has_playouts) in searches_of_game(game) {
        let mut server = start_server(game, search);
        for moves in &games {
            for plies in 1..=4 {
                for depth in 1..=20 {
                    search_near_end(&mut server, moves, plies, depth, has_playouts);
                }
            }
        }
    }
}

#[test]
#[ignore = "every search at twenty depths"]
fn all_depths_near_the_end_of_chess_are_answered() {
    search_all_depths("chess");
}

#[test]
#[ignore = "every search at twenty depths"]
fn all_depths_near_the_end_of_othello_are_answered() {
    search_all_depths("othello");
}

#[test]
#[ignore = "every search at twenty depths"]
fn all_depths_near_the_end_of_kalah_are_answered() {
    search_all_depths("kalah");
}

#[test]
#[ignore = "every search at twenty depths"]
fn all_depths_near_the_end_of_connect_four_are_answered() {
    search_all_depths("connect-four");
}

#[test]
#[ignore = "every search at twenty depths"]
fn all_depths_near_the_end_of_delta_are_answered() {
    search_all_depths("delta");
}
