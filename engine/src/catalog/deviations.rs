//! How the searches with a report's number differ from the report's text and from the program behind its figures.

/// Sentences about the search called `name`, for people who compare its figures with the report's; none for searches of our own.
pub fn deviations(name: &str) -> &'static [&'static str] {
    (DEVIATIONS.iter())
        .find(|(search, _)| search.eq_ignore_ascii_case(name))
        .map_or(&[], |(_, sentences)| sentences)
}

const REPORT_001: [&str; 2] = [
    "Rewards are 0, 0.5 and 1, and every node has those of its own mover. The program rewarded -1, 0 and 1, which halves what C explores, \
     and passed a changed sign on to the parent, so that two of four levels had the wrong one.",
    "legacy=true repeats that program at othello: its signs, its rewards, the last move of a node tried first, column by column, \
     and every playout begun with the same random numbers. It leaves no tree.",
];
const REPORT_002: [&str; 1] = [
    "Rewards are 0, 0.5 and 1, so C = 1.414 explores twice as much as in the program, which counted 0, 1 and 2. A board is full when all \
     seven columns are; the program looked at six.",
];
const REPORT_002_REPLIES: [&str; 2] = [
    REPORT_002[0],
    "All seven columns can be replies, a draw teaches nothing, and LGR-2 looks up the last two moves. The program never used the first \
     column, took the last mover for the winner of a draw, and looked up the last move twice, so that its LGR-2 was LGR-1.",
];
const REPORT_002_TABLE: &str = "Positions that fall on one entry of the table are told apart; verify_key=false mixes them, as the program did.";
const REPORT_003: [&str; 1] = [
    "The report does not give the weights of its evaluation: they are 1 for mobility and 10 for a square that makes a line.",
];
const REPORT_004: [&str; 2] = [
    "A finished game is worth a win or a loss, and passes do not change who maximises. The numbers of the report depend on a program that \
     did otherwise.",
    "legacy=true repeats that program: a decided game is worth 99999 to the searching player, whoever has won; a pass takes no ply but \
     exchanges maximising and minimising; nodes are the evaluated leaves. From the position `mirrored` it plays the report's games.",
];

static DEVIATIONS: &[(&str, &[&str])] = &[
    (
        "uct-000",
        &[
            "Every node on the path has its reward. The program gave none to every second node, and judged a lost playout by the curve of \
             cut-off playouts instead of 0.",
            "A playout is limited in plies; the program counted a chain of sowings at kalah as one move.",
            "legacy=true stops after 90 % of a time limit, and writes 0 as the mean of nodes without visits, as the program did.",
        ],
    ),
    ("uct-001", &REPORT_001),
    (
        "ucb1-tuned-001",
        &[
            REPORT_001[0],
            "The bound of 1/4 on the variance is right for rewards from 0 to 1; for the program's it was too small.",
            REPORT_001[1],
        ],
    ),
    (
        "grouping-001",
        &[
            REPORT_001[0],
            "Rotations and colour inversion share a node, as the report says. The program rotated only, and ignored whose turn it was.",
            "The graph is built anew for every move, so that all its visits belong to the root in question; reuse=true keeps what lies \
             below the move played. The program kept its table of positions through the game, and so does legacy=true.",
            REPORT_001[1],
        ],
    ),
    ("uct-002", &REPORT_002),
    ("transposition-002", &[REPORT_002[0], REPORT_002_TABLE]),
    ("lgr1-002", &REPORT_002_REPLIES),
    ("lgr2-002", &REPORT_002_REPLIES),
    (
        "transposition-lgr2-002",
        &[REPORT_002[0], REPORT_002_REPLIES[1], REPORT_002_TABLE],
    ),
    (
        "simple-heuristic-001",
        &[
            "The weight of b7 and g7 is -40, as in the rest of the matrix; the program has -30 there.",
        ],
    ),
    (
        "heuristic-001",
        &[
            "The evaluation is the report's, the weights of the searching player's own squares; evaluation=weights:diff takes the \
             opponent's off.",
            "Depth 6 is six plies, a finished game is a win or a loss, and the evaluation is the searching player's at every depth. The \
             program searched five plies, and evaluated for the side to move at the leaf: at an odd depth it chose what is best for \
             its opponent.",
            "legacy=true repeats that program: its depth, its leaves, the discs of the side to move as the value of a finished game, \
             -30 for -40 on b7 and g7, moves column by column. Its evaluation is fixed.",
        ],
    ),
    (
        "rules-002",
        &[
            "The rules are the report's. The program played the centre only to a height of four, stopped pairs of discs in any row, and looked at no runs of its own.",
        ],
    ),
    ("alpha-beta-003", &REPORT_003),
    ("deepening-003", &REPORT_003),
    ("aspiration-003", &REPORT_003),
    (
        "three-valued-003",
        &["The report gives no time for a move; it is a second."],
    ),
    ("minimax-004", &REPORT_004),
    ("alpha-beta-004", &REPORT_004),
];
