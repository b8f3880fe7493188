//! Tests of linked slots, with iterations made by hand.

use super::*;
use crate::{
    games::{
        Game as _,
        connect_four::{Column, ConnectFour},
    },
    search::mcts::playout::REWARD_ONE,
};

/// Backpropagates a win along `line`; returns the node at its end and the visits of the last edge.
fn walk(graph: &impl SharedNodes<ConnectFour>, root: &ConnectFour, line: &[u8]) -> (u32, u32) {
    let mut position = *root;
    let mut path = vec![SearchStep {
        edge: graph.root() as usize,
        node: graph.root(),
        mover: Player::Second,
        flipped: false,
    }];
    let chunk = &mut Chunk::default();
    for &column in line {
        let mut here = path[path.len() - 1];
        let is_leaf = |step: &SearchStep| graph.edges(step.edge as u32).1 == 0;
        if is_leaf(&here) {
            if let Transposition::Shared(node) = graph.resolve_transposition(&here, &position) {
                here.node = node;
            }
            *path.last_mut().unwrap() = here;
        }
        if is_leaf(&here) {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let new = NewChildren {
                position: &position,
                moves: &moves,
                priors: &[],
            };
            let expanded = graph.expand(&here, new, chunk);
            assert_eq!(expanded, Expansion::Done);
        }
        let (first, count) = graph.edges(here.edge as u32);
        let edge = (first..first + count)
            .find(|&edge| graph.move_of(edge) == Column(column))
            .expect("the column has room");
        let mover = position.to_move();
        let (node, flipped) = graph.follow(edge, &mut position);
        path.push(SearchStep {
            edge,
            node,
            mover,
            flipped,
        });
    }
    NodeStore::<ConnectFour>::backpropagate(graph, &path, REWARD_ONE);
    let last = path[path.len() - 1];
    (last.node, graph.edge_visits(last.edge))
}

/// Asserts that linked slots have their node's statistics and are in its list; returns the number of linked slots.
fn check_copies(graph: &GraphStore<true>) -> usize {
    let linked = |&slot: &u32| graph.shared_node(slot).is_linked();
    let slots: Vec<u32> = (FIRST_SLOT..graph.slot_count()).filter(linked).collect();
    let mut told = 0;
    for &slot in &slots {
        let node = graph.node_of_slot(slot).expect("it is tied");
        assert!(
            !graph.shared_node(node).is_stored_elsewhere(),
            "{slot} leads to {node}"
        );
        assert_eq!(
            graph.visits_and_value(slot),
            graph.visits_and_value(node),
            "{slot} and {node}"
        );
        assert_eq!(graph.squares(slot), graph.squares(node));
        let children = graph.shape(slot).children();
        assert!(children == (0, 0) || children == graph.shape(node).children());
        let mut next = graph.shared_node(slot).next();
        while !graph.shared_node(slot).is_stored_elsewhere() && next != 0 {
            assert_eq!(graph.node_of_slot(next), Some(slot));
            told += 1;
            next = graph.shared_node(next).next();
        }
    }
    let elsewhere = |slot: &&u32| graph.shared_node(**slot).is_stored_elsewhere();
    assert_eq!(slots.iter().filter(elsewhere).count(), told);
    told
}

#[test]
fn a_node_outlives_the_move_that_reached_it_first() {
    let sharing = Sharing {
        transpositions: true,
        ..Sharing::default()
    };
    let mut graph = GraphStore::<true>::new(1 << 20, sharing);
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
    // One of the two remaining slots holds the node now.
    assert_eq!(check_copies(&graph), 1);
    assert_eq!(NodeStore::<ConnectFour>::root_stats(&graph), (3, 3, 1.0));
    NodeStore::<ConnectFour>::mark_inherited(&mut graph);
    assert_eq!(NodeStore::<ConnectFour>::root_stats(&graph), (3, 0, 1.0));
    // Both remaining edges lead to it, with its statistics and subtree.
    let (node, chosen) = walk(&graph, &root, &[1, 0, 3, 4]);
    assert_eq!((chosen, graph.visits_and_value(node)), (2, (6, 1.0)));
    assert_eq!(walk(&graph, &root, &[3, 4, 1, 0]), (node, 3));
    assert_eq!(graph.visits_and_value(node), (7, 1.0));
    let squares = graph
        .arena
        .get(GraphStore::<true>::offset(node) + SQUARES_WORD);
    assert_eq!(squares, 7 * REWARD_ONE);
    let (below, chosen) = walk(&graph, &root, &[1, 0, 3, 4, 5]);
    assert_eq!((chosen, graph.visits_and_value(below)), (2, (2, 1.0)));
    // A new line finds expanded positions, but not leaves.
    let (leaf, chosen) = walk(&graph, &root, &[1, 0, 5, 4, 3]);
    assert_eq!((chosen, graph.visits_and_value(leaf)), (1, (1, 1.0)));
    assert_ne!(leaf, below);
    assert_eq!(check_copies(&graph), 1);
}

#[test]
fn a_leaf_tells_its_node_what_it_was_told() {
    let sharing = Sharing {
        transpositions: true,
        ..Sharing::default()
    };
    let mut graph = GraphStore::<true>::new(1 << 20, sharing);
    let root = ConnectFour::start(());
    graph.reset(&root);
    let (one, _) = walk(&graph, &root, &[0, 1, 2]);
    let (other, _) = walk(&graph, &root, &[2, 1, 0]);
    assert_ne!(one, other);
    let (below, _) = walk(&graph, &root, &[0, 1, 2, 3]);
    assert_eq!(graph.visits_and_value(one), (2, 1.0));
    assert_eq!(walk(&graph, &root, &[2, 1, 0, 3]), (below, 2));
    assert_eq!(graph.node_of_slot(other), Some(one));
    assert_eq!(graph.visits_and_value(one), (4, 1.0));
    let chosen = |slot: u32| NodeStore::<ConnectFour>::edge_visits(&graph, slot as usize);
    assert_eq!((chosen(one), chosen(other)), (2, 2));
    assert_eq!(check_copies(&graph), 1);
}
