//! The words of the window, one sentence each. Hover texts and the help page are made from this table.

/// A group of terms on the help page, and its terms with their sentences.
pub type TermGroup = (&'static str, &'static [(&'static str, &'static str)]);

/// All terms. A term is written as the panels write it, with other words for the same after a slash.
pub const GLOSSARY: &[TermGroup] = &[
    (
        "The tree",
        &[
            (
                "Node",
                "A position the search has looked at. The fill says whose turn it is there.",
            ),
            (
                "End of a game",
                "A square: the game is over there. The fill says who has won.",
            ),
            (
                "Root",
                "The position whose best move is searched; the node on top.",
            ),
            (
                "Edge",
                "A move from one position to the next. Its colour and width show how often it was tried.",
            ),
            (
                "Selected",
                "The node you look at, with a ring in the tree and an amber way to it. Click a node to select it.",
            ),
            (
                "Expected line / principal variation",
                "The most visited move at every step, from here on: what the search expects to be played. Blue in the tree.",
            ),
            (
                "Chosen line",
                "The best play for both sides that a classical search has found (principal variation). Blue in the tree.",
            ),
            (
                "Window",
                "What both sides have already elsewhere: a value outside it changes nothing, so the search may stop there.",
            ),
            (
                "Moves here",
                "The moves of the selected node, and what the search did with each.",
            ),
            (
                "What happened",
                "Why the search went no further here: cut off, known from the table, or not looked at.",
            ),
            (
                "Charts",
                "Nodes and visits by level, how many children nodes have, how sure the moves are, when the choice last changed.",
            ),
            (
                "Iterative deepening",
                "A search to depth 1, then 2, and so on: each orders the moves of the next.",
            ),
            (
                "Last iteration",
                "The path from the root that the iteration before took, dashed in the tree.",
            ),
            (
                "Folded moves",
                "A grey triangle stands for moves that are not drawn. Click it to draw them, with Shift all below.",
            ),
            (
                "Shared / transposition",
                "A position that several moves of the tree lead to, with a ring of its own. It is drawn below one of them.",
            ),
            (
                "Above",
                "The nodes between the root and what is in view. Click one to fly there.",
            ),
            (
                "Map",
                "The whole tree, with a frame around what is in view. Click to go there.",
            ),
            ("Line", "The moves from the root to the selected node."),
            ("Depth", "How many moves a node is away from the root."),
            (
                "Widest level",
                "The most nodes that lie equally far from the root.",
            ),
        ],
    ),
    (
        "The search",
        &[
            (
                "Iteration",
                "One round of Monte-Carlo tree search: walk down by the highest scores, add a node, play a game to its end, count it as a visit of every node on the way.",
            ),
            (
                "Playout",
                "A game played to its end by quick, mostly random moves. Its result is the reward.",
            ),
            (
                "Visits",
                "How many iterations went through this node. Many visits: a move that looked good, and a value that is well known.",
            ),
            (
                "Visits by this move",
                "How many iterations came here by this very move; other moves lead to the same position.",
            ),
            (
                "Visits of the position",
                "How many iterations came to this position, by whatever moves.",
            ),
            (
                "Visits in this search",
                "The visits without those that were kept from the search of the move before.",
            ),
            (
                "Second counter",
                "The second number of each node in a file of another program. Canopy's files have the visits of this search there.",
            ),
            (
                "Value",
                "How well a side stands: the share of the games it won of those tried from here. Half is even.",
            ),
            (
                "How sure / ± by chance",
                "With 95 % confidence the true share of wins is at most so many points away: Wilson's interval, as if all playouts were alike.",
            ),
            (
                "Share of visits / share",
                "How the visits divide among the moves. In the end the search plays the move with the most.",
            ),
            (
                "Proven",
                "A result that is known for certain: no reply can change it.",
            ),
            (
                "Move chosen",
                "The move the search plays: the most visited one, known when the search has ended.",
            ),
            (
                "Search",
                "How the program thinks: which search it is, and what it was given.",
            ),
            ("Time", "How long the search took."),
            (
                "Seed",
                "The number that random choices begin with. The same seed gives the same search, with one thread.",
            ),
            ("Threads", "How many processors searched at once."),
            ("Game", "The game whose moves are searched."),
            ("Nodes", "How many positions the search has looked at."),
            (
                "Nodes searched",
                "How many positions the search has looked at below this move.",
            ),
            (
                "Nodes in the tree",
                "How many nodes the file has, shown or not.",
            ),
            (
                "Parameters",
                "Everything that can be set about the search, with the values it had.",
            ),
        ],
    ),
    (
        "Which move next, and why",
        &[
            (
                "Which move next, and why",
                "An iteration walks to the move with the highest score. The table has the terms of every score.",
            ),
            (
                "Mean / average",
                "The average reward of the player who moves: the share of wins, a draw counting half.",
            ),
            (
                "Explore / exploration term",
                "What is added to the mean of moves that were tried seldom, so that none is forgotten. It shrinks with every visit.",
            ),
            (
                "Score",
                "Mean + exploration. The next iteration takes the highest; a move never tried comes first (∞).",
            ),
            (
                "Next choice",
                "A green triangle marks the move that the next iteration would try.",
            ),
            (
                "C",
                "The weight of exploration. Larger: try more moves. Smaller: trust what looks best.",
            ),
            (
                "Moves",
                "The moves that can be played here, and how many of them were tried.",
            ),
            (
                "Hidden",
                "Children that the tree does not show. The search chooses among all of them.",
            ),
        ],
    ),
    (
        "Figures",
        &[
            ("Figures", "What the file has of the selected node."),
            (
                "What the numbers say",
                "The figures of the selected node in words.",
            ),
            (
                "Column",
                "A number that the files have of every move besides visits and mean.",
            ),
            ("Id", "The number of the node's row in the file."),
            ("Move", "The move that leads here."),
            ("State", "The position, as text."),
            ("Player to move", "Whose turn it is here."),
            (
                "Visit discs",
                "A disc for every move on the board: its area is the move’s share of visits, the best one is bright.",
            ),
            ("Last move", "The move that led to this position."),
            (
                "Truth",
                "What an exact solver says of the moves on screen. A tick: the side to move wins; an equals sign: a draw; a cross: it loses. Small nodes have a ring for a win and a square for a loss.",
            ),
            (
                "What it expects, step by step",
                "The lines that the search expects after either move, on two boards.",
            ),
            (
                "All moves, the best first",
                "Every move of the root. A click asks why not that one.",
            ),
            ("Children", "How many moves from here the file has."),
            ("Sum", "All rewards added up: the mean times the visits."),
            (
                "Cut off",
                "The game was not played to its end here; the position was judged instead.",
            ),
        ],
    ),
    (
        "Colours and what is shown",
        &[
            (
                "Colour",
                "What the colours of edges tell: visits, values, or a number of the files.",
            ),
            (
                "Show",
                "How much of the tree is drawn. What is not drawn becomes grey triangles, and still counts.",
            ),
            (
                "Colour by visits",
                "Edges that were tried often are warm, others cool.",
            ),
            (
                "Colour by value",
                "Edges have the colour of the side that wins more; grey is even, pale is little evidence.",
            ),
            (
                "Colour by proof",
                "Edges have the colour of the side that is proven to win, grey for a draw; pale edges are not proven.",
            ),
            (
                "Colour by a column",
                "Edges have the colour of a number that the files have of every move.",
            ),
            (
                "Log scale",
                "Each step of colour is a multiple of visits, so that seldom tried moves differ, too.",
            ),
            (
                "Per level",
                "Colours compare only nodes that are equally far from the root.",
            ),
        ],
    ),
];

/// The sentence about a term, however it is capitalised; names such as "Mean for Black" are found by their first part,
/// those such as "Black’s mean" by their last, and words in the plural by the singular.
pub fn explain(term: &str) -> Option<&'static str> {
    let find = |wanted: &str| {
        let terms = GLOSSARY.iter().flat_map(|(_, terms)| terms.iter());
        let mut known = terms.filter(|(names, _)| {
            let mut names = names.split(" / ");
            names.any(|name| name.eq_ignore_ascii_case(wanted))
        });
        known.next().map(|(_, sentence)| *sentence)
    };
    find(term)
        .or_else(|| find(term.split_once(" for ")?.0))
        .or_else(|| find(term.split_once("’s ")?.1))
        .or_else(|| find("Value").filter(|_| term.ends_with(" wins")))
        .or_else(|| find(term.strip_suffix('s')?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_term_has_one_sentence() {
        let mut known = BTreeSet::new();
        for (names, sentence) in GLOSSARY.iter().flat_map(|(_, terms)| *terms) {
            for name in names.split(" / ") {
                assert!(known.insert(name.to_lowercase()), "{name} is there twice");
            }
            assert!(sentence.ends_with('.') && sentence.len() < 200, "{names}");
        }
    }

    #[test]
    fn the_words_of_the_field_are_explained() {
        for term in [
            "visits",
            "share",
            "value",
            "mean",
            "exploration term",
            "principal variation",
            "expected line",
            "iteration",
            "iterations",
            "playout",
            "proven",
            "transposition",
        ] {
            assert!(explain(term).is_some(), "{term}");
        }
    }

    #[test]
    fn names_with_an_owner_are_found() {
        assert_eq!(explain("Mean for Black"), explain("mean"));
        assert!(explain("Sum for Player 1").is_some());
        assert_eq!(explain("X’s mean"), explain("Mean"));
        assert_eq!(explain("Black wins"), explain("Value"));
        assert_eq!(explain("no such word"), None);
    }
}
