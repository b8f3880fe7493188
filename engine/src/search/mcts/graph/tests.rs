//! Nodes and the moves that lead to them, walked by hand.

use super::*;
use crate::{
    games::{
        Game as _,
        connect_four::{Column, ConnectFour},
    },
    search::mcts::playout::ONE,
};

/// Plays `line` from the root, which wins; the node it leads to, and how often its last move was chosen.
fn walk(graph: &impl Store<ConnectFour>, root: &ConnectFour, line: &[u8]) -> (u32, u32) {
    let mut position = *root;
    let mut path = vec![Step {
        edge: graph.root() as usize,
        node: graph.root(),
        mover: Player::Second,
        flipped: false,
    }];
    let plot = &mut Plot::default();
    for &column in line {
        let mut here = path[path.len() - 1];
        let is_leaf = |step: &Step| graph.edges(step.edge as u32).1 == 0;
        if is_leaf(&here) {
            if let Settled::Elsewhere(node) = graph.settle(&here, &position) {
                here.node = node;
            }
            *path.last_mut().unwrap() = here;
        }
        if is_leaf(&here) {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let expanded = graph.expand(&here, &position, &moves, plot);
            assert_eq!(expanded, Expansion::Done);
        }
        let (first, count) = graph.edges(here.edge as u32);
        let edge = (first..first + count)
            .find(|&edge| graph.move_of(edge) == Column(column))
            .expect("the column has room");
        let mover = position.to_move();
        let (node, flipped) = graph.follow(edge, &mut position);
        path.push(Step {
            edge,
            node,
            mover,
            flipped,
        });
    }
    Store::<ConnectFour>::tell_all(graph, &path, ONE);
    let last = path[path.len() - 1];
    (last.node, graph.chosen(last.edge))
}

/// Asks that all moves to a node know what it knows, and that all know of each other; how many have a node elsewhere.
fn check_copies(graph: &Graph<true>) -> usize {
    let tied = |&slot: &u32| graph.ties(slot).is_tied();
    let slots: Vec<u32> = (FIRST..graph.slots()).filter(tied).collect();
    let mut told = 0;
    for &slot in &slots {
        let node = graph.node(slot).expect("it is tied");
        assert!(!graph.ties(node).is_elsewhere(), "{slot} leads to {node}");
        assert_eq!(
            graph.figures(slot),
            graph.figures(node),
            "{slot} and {node}"
        );
        assert_eq!(graph.squares(slot), graph.squares(node));
        let children = graph.shape(slot).children();
        assert!(children == (0, 0) || children == graph.shape(node).children());
        let mut next = graph.ties(slot).next();
        while !graph.ties(slot).is_elsewhere() && next != 0 {
            assert_eq!(graph.node(next), Some(slot));
            told += 1;
            next = graph.ties(next).next();
        }
    }
    let elsewhere = |slot: &&u32| graph.ties(**slot).is_elsewhere();
    assert_eq!(slots.iter().filter(elsewhere).count(), told);
    told
}

#[test]
fn a_node_outlives_the_move_that_reached_it_first() {
    let sharing = Sharing {
        transpositions: true,
        ..Sharing::default()
    };
    let mut graph = Graph::<true>::new(1 << 20, sharing);
    let mut root = ConnectFour::start(());
    graph.reset(&root);
    let (node, _) = walk(&graph, &root, &[0, 1, 4, 3, 2]);
    walk(&graph, &root, &[0, 1, 4, 3, 2, 5]);
    assert_eq!(walk(&graph, &root, &[2, 1, 0, 3, 4]), (node, 1));
    assert_eq!(walk(&graph, &root, &[2, 3, 4, 1, 0]), (node, 1));
    assert_eq!(walk(&graph, &root, &[2, 3, 4, 1, 0]), (node, 2));
    assert_eq!(check_copies(&graph), 2);
    assert!(graph.advance(&root, Column(2)));
    root.play(Column(2));
    // One of the two that are left has the node now.
    assert_eq!(check_copies(&graph), 1);
    assert_eq!(Store::<ConnectFour>::root_figures(&graph), (3, 3, 1.0));
    Store::<ConnectFour>::mark_inherited(&mut graph);
    assert_eq!(Store::<ConnectFour>::root_figures(&graph), (3, 0, 1.0));
    // Both moves that are left lead to it, with what was known of it and what hangs below.
    let (node, chosen) = walk(&graph, &root, &[1, 0, 3, 4]);
    assert_eq!((chosen, graph.figures(node)), (2, (6, 1.0)));
    assert_eq!(walk(&graph, &root, &[3, 4, 1, 0]), (node, 3));
    assert_eq!(graph.figures(node), (7, 1.0));
    let squares = graph.arena.get(Graph::<true>::word(node) + SQUARES_WORD);
    assert_eq!(squares, 7 * ONE);
    let (below, chosen) = walk(&graph, &root, &[1, 0, 3, 4, 5]);
    assert_eq!((chosen, graph.figures(below)), (2, (2, 1.0)));
    // A way that was not taken before finds what is there, but not what is only a leaf.
    let (leaf, chosen) = walk(&graph, &root, &[1, 0, 5, 4, 3]);
    assert_eq!((chosen, graph.figures(leaf)), (1, (1, 1.0)));
    assert_ne!(leaf, below);
    assert_eq!(check_copies(&graph), 1);
}

#[test]
fn a_leaf_tells_its_node_what_it_was_told() {
    let sharing = Sharing {
        transpositions: true,
        ..Sharing::default()
    };
    let mut graph = Graph::<true>::new(1 << 20, sharing);
    let root = ConnectFour::start(());
    graph.reset(&root);
    let (one, _) = walk(&graph, &root, &[0, 1, 2]);
    let (other, _) = walk(&graph, &root, &[2, 1, 0]);
    assert_ne!(one, other);
    let (below, _) = walk(&graph, &root, &[0, 1, 2, 3]);
    assert_eq!(graph.figures(one), (2, 1.0));
    assert_eq!(walk(&graph, &root, &[2, 1, 0, 3]), (below, 2));
    assert_eq!(graph.node(other), Some(one));
    assert_eq!(graph.figures(one), (4, 1.0));
    let chosen = |slot: u32| Store::<ConnectFour>::chosen(&graph, slot as usize);
    assert_eq!((chosen(one), chosen(other)), (2, 2));
    assert_eq!(check_copies(&graph), 1);
}
