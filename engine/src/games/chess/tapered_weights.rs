//! Weights of chess's evaluation `tapered`, in hundredths of a point: a row for each feature, a column for each knot.
//! Written by `canopy-engine fit --game chess --games 12000 --search deepening,ties=random --nodes 1000 --opening 8 --shrink 300 --rounds 400
//! --seed 1`, from 611526 positions.

pub(super) const KNOTS: usize = 2;

#[rustfmt::skip]
pub(super) const WEIGHTS: [[i16; KNOTS]; 246] = [
    // pawn knight bishop rook queen
    [39, 106], [223, 280], [281, 313], [461, 491], [961, 926],
    // pawn on a1 b1 c1 d1, a2 ... (files mirrored)
    [0, 0], [0, 0], [0, 0], [0, 0], [-9, -16], [-9, -12], [20, 25], [28, -12],
    [-14, -11], [-28, 23], [26, -24], [19, 0], [-9, 16], [-29, 3], [-17, -19], [-6, -35],
    [-7, 19], [-14, -6], [-22, 11], [-2, -9], [6, 21], [7, 11], [8, 7], [-14, 5],
    [5, 8], [1, 2], [-3, -3], [1, 1], [0, 0], [0, 0], [0, 0], [0, 0],
    // knight on a1 b1 c1 d1, a2 ...
    [-7, -11], [-39, -23], [-28, -8], [8, 13], [-6, -2], [8, -1], [-19, -6], [-9, 21],
    [-25, -6], [6, -4], [3, 4], [3, -1], [9, 4], [-12, -11], [12, 12], [4, -1],
    [1, 0], [32, -3], [-13, 4], [10, 6], [-8, -6], [-1, 3], [0, 0], [7, 4],
    [6, 2], [-6, -5], [-5, 0], [1, 0], [-10, -5], [0, -5], [1, 5], [2, -2],
    // bishop on
    [-12, -10], [4, 2], [24, 27], [-10, -8], [-2, -3], [-14, 6], [-5, -5], [11, 2],
    [0, 4], [1, -13], [6, -3], [0, 2], [6, 1], [10, 2], [6, -8], [4, -1],
    [-1, 2], [-15, -6], [14, 6], [-14, 2], [-15, -4], [1, 1], [-3, 1], [7, 2],
    [-10, -2], [-1, 8], [0, 1], [4, 1], [-7, 6], [-2, -5], [-6, -3], [1, 6],
    // rook on
    [-18, 18], [-20, -2], [5, -15], [5, -10], [-11, -26], [1, -9], [-10, 3], [8, 1],
    [-8, -6], [-4, -1], [9, 1], [-16, 0], [0, -5], [3, -4], [10, 3], [-5, 0],
    [-4, 7], [-16, -5], [-5, -12], [-13, 3], [4, 2], [1, 5], [7, 0], [8, 6],
    [4, 11], [0, 12], [8, 2], [4, 2], [8, 5], [8, 7], [0, 2], [1, -2],
    // queen on
    [-29, -1], [-32, -1], [-30, -1], [-18, 6], [-6, -1], [-31, 2], [-11, 4], [4, 1],
    [-18, 0], [14, 3], [14, -1], [8, -2], [10, 0], [-12, 1], [6, 2], [-17, -3],
    [17, 1], [27, 0], [14, -1], [10, -1], [11, 2], [15, 4], [13, 2], [22, 7],
    [14, 1], [9, -3], [22, 1], [-5, -3], [24, 5], [8, 0], [4, 1], [4, 1],
    // king on
    [40, 6], [38, 8], [39, 12], [25, 5], [2, -4], [3, -9], [8, 14], [-22, 0],
    [-10, 9], [-1, -1], [-38, -6], [-32, -8], [-5, -2], [-13, 1], [-10, -4], [-16, -4],
    [-2, -1], [-2, 6], [-5, -2], [-2, 0], [1, 4], [-1, 2], [0, 0], [1, 1],
    [2, 0], [1, 0], [0, -1], [-2, -5], [0, -6], [1, -2], [0, -4], [-2, -9],
    // square within reach of a knight, bishop, rook, queen
    [3, 1], [3, 4], [5, 7], [12, 14],
    // two bishops
    [-10, 29],
    // pawn before an own pawn
    [19, 2],
    // pawn without own pawns on the next files
    [2, -14],
    // pawn that cannot be supported and whose next square is attacked by a pawn
    [17, 4],
    // pawn beside or supported by a pawn, on rank 2 to 7
    [3, 3], [14, 9], [12, 13], [4, -7], [-8, 8], [0, 1],
    // passed pawn on rank 2 to 7
    [11, 10], [-10, -4], [9, -32], [-1, 6], [-2, 24], [4, 8],
    // blocked passed pawn
    [17, -9],
    // step of the own and of the other king to the square before a passed pawn from rank 4 on
    [9, 4], [-15, 46],
    // rook on a file without pawns, without own pawns
    [13, -10], [29, 9],
    // rook behind a passed pawn of its own
    [-15, -3],
    // knight, bishop that a pawn supports and none can attack, on rank 4 to 6
    [33, 10], [-9, 4],
    // pawn on the second, third rank before the king
    [30, 7], [14, 7],
    // file beside or of the king without own pawns, without any
    [-29, 4], [-32, -49],
    // square at the other king attacked by a knight, bishop, rook, queen
    [14, 16], [2, -7], [24, -9], [21, 11],
    // two, three, four or more attackers of the other king
    [10, -5], [12, 2], [5, 1],
    // safe square for a check by a knight, bishop, rook, queen
    [57, 12], [25, 6], [43, 33], [67, 29],
    // pawn attacks a minor piece, rook, queen; minor piece attacks a rook or queen
    [0, -1], [3, 0], [-7, 0], [5, 3],
    // attacked piece of the opponent that nothing defends
    [43, 17],
    // to move
    [2, 5],
];
