//! Layouts of large trees, and their times.

use std::{thread, time::Instant};

use super::*;

/// Lays a tree out with a 64 KiB stack, too small for recursion over it.
fn layout_on_small_stack(tree: LayoutTree) {
    let run = thread::Builder::new().stack_size(64 << 10).spawn(move || {
        let x = tree.layout();
        assert_tidy(&tree, &x, 1e-6);
    });
    run.expect("a thread can be started")
        .join()
        .expect("the drawing is tidy");
}

#[test]
fn a_million_nodes_of_every_shape_are_drawn() {
    for kind in [
        "star",
        "chain",
        "wide",
        "deep",
        "caterpillar",
        "brooms",
        "recursive",
    ] {
        layout_on_small_stack(generate_tree(kind, 1_000_000, 7));
    }
}

#[test]
fn a_chain_beside_a_chain_is_followed_once() {
    // Many siblings of one leaf each beside a long path, in both orders: what walks down every time would not end soon.
    let (long, many) = (300_000, 300_000);
    for left in [true, false] {
        let mut parents = vec![0];
        let path = |parents: &mut Vec<u32>| {
            let mut node = 0;
            for _ in 0..long {
                parents.push(node);
                node = parents.len() as u32 - 1;
            }
        };
        if left {
            path(&mut parents);
        }
        for _ in 0..many {
            parents.push(0);
            parents.push(parents.len() as u32 - 1);
        }
        if !left {
            path(&mut parents);
        }
        layout_on_small_stack(LayoutTree::new(&parents));
    }
}

#[test]
#[ignore = "prints times, and is for an optimised build on a quiet machine"]
#[expect(clippy::print_stdout, reason = "for whoever asked for the times")]
fn times_grow_with_the_number_of_nodes() {
    for kind in [
        "uct",
        "recursive",
        "wide",
        "deep",
        "caterpillar",
        "brooms",
        "star",
        "chain",
    ] {
        for size in [100_000, 1_000_000, 10_000_000] {
            if size > 1_000_000 && kind != "star" && kind != "chain" {
                continue;
            }
            let tree = generate_tree(kind, size, 1);
            let layers = tree.layers().len() - 1;
            let best = (0..5)
                .map(|_| {
                    let start = Instant::now();
                    let x = tree.layout();
                    assert_eq!(x[0], 0.0);
                    start.elapsed()
                })
                .min()
                .unwrap_or_default();
            let each = best.as_nanos() as f64 / size as f64;
            println!(
                "{kind:>11} {size:>10} nodes in {layers:>8} layers: {best:>10.1?}, {each:5.1} ns each"
            );
        }
    }
}
