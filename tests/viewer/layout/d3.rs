//! Every node is where d3 draws it.

use std::{fs, path::PathBuf};

use super::*;

const UNIT: i64 = 10_000_000;

/// Parses a decimal number with up to seven decimals, in units of 10^-7.
fn parse_units(text: &str) -> i64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: i64 = format!("{}{fraction:0<7}", whole.trim_start_matches('-'))
        .parse()
        .expect("a number with up to seven decimals");
    if whole.starts_with('-') {
        -digits
    } else {
        digits
    }
}

/// Expected x of every node, from the output of data/layout/make.mjs.
fn expected_x(kind: &str) -> Vec<f64> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/data/layout/{kind}.txt"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut places = Vec::new();
    for layer in text.lines() {
        let mut words = layer.split(' ');
        let mut x = parse_units(words.next().expect("a layer has a first node"));
        places.push(x);
        for word in words {
            let (distance, times) = word.split_once('*').unwrap_or((word, "1"));
            let times: usize = times.parse().expect("a number of times");
            for _ in 0..times {
                x += parse_units(distance);
                places.push(x);
            }
        }
    }
    places.into_iter().map(|x| x as f64 / UNIT as f64).collect()
}

#[test]
fn every_node_is_where_d3_draws_it() {
    for (kind, size, seed) in [
        ("uct", 100_000, 1),
        ("recursive", 50_000, 2),
        ("wide", 20_000, 3),
        ("deep", 10_000, 4),
        ("caterpillar", 2_000, 5),
        ("brooms", 10_000, 6),
    ] {
        assert_close(
            &generate_tree(kind, size, seed).layout(),
            &expected_x(kind),
            1e-6,
        );
    }
}
