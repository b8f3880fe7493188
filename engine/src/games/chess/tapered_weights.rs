//! Weights of chess's evaluation `tapered`, in hundredths of a point: a row for each feature, a column for each knot.
//! Written by `canopy-engine fit --game chess --games 10 --search strong --nodes 1 --opening 8 --shrink 1000000000 --rounds 800
//! --seed 1`, from 538 positions.

pub(super) const KNOTS: usize = 2;

#[rustfmt::skip]
pub(super) const WEIGHTS: [[i16; KNOTS]; 246] = [
    // pawn knight bishop rook queen
    [84, 104], [300, 288], [308, 300], [452, 500], [930, 930],
    // pawn on a1 b1 c1 d1, a2 ... (files mirrored)
    [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [-12, 0],
    [-3, 4], [-2, 4], [3, 4], [6, 4], [-6, 8], [-4, 8], [6, 8], [12, 8],
    [-9, 12], [-6, 12], [9, 12], [18, 12], [-9, 16], [-6, 16], [9, 16], [18, 16],
    [-9, 20], [-6, 20], [9, 20], [18, 20], [0, 0], [0, 0], [0, 0], [0, 0],
    // knight on a1 b1 c1 d1, a2 ...
    [-40, -26], [-32, -20], [-24, -14], [-16, -8], [-29, -20], [-21, -14], [-13, -8], [-5, -2],
    [-18, -14], [-10, -8], [-2, -2], [6, 4], [-7, -8], [1, -2], [9, 4], [17, 10],
    [-4, -8], [4, -2], [12, 4], [20, 10], [-9, -14], [-1, -8], [7, -2], [15, 4],
    [-17, -20], [-9, -14], [-1, -8], [7, -2], [-25, -26], [-17, -20], [-9, -14], [-1, -8],
    // bishop on
    [-11, -8], [-8, -6], [-5, -4], [-2, -2], [-8, -6], [-5, -4], [-2, -2], [1, 0],
    [-5, -4], [-2, -2], [1, 0], [4, 2], [-2, -2], [1, 0], [4, 2], [7, 4],
    [-2, -2], [1, 0], [4, 2], [7, 4], [-5, -4], [-2, -2], [1, 0], [4, 2],
    [-8, -6], [-5, -4], [-2, -2], [1, 0], [-11, -8], [-8, -6], [-5, -4], [-2, -2],
    // rook on
    [-6, 0], [-3, 0], [2, 0], [5, 0], [-6, 0], [-3, 0], [2, 0], [5, 0],
    [-6, 0], [-3, 0], [2, 0], [5, 0], [-6, 0], [-3, 0], [2, 0], [5, 0],
    [-6, 0], [-3, 0], [2, 0], [5, 0], [-6, 0], [-3, 0], [2, 0], [5, 0],
    [6, 12], [9, 12], [14, 12], [17, 12], [-6, 0], [-3, 0], [2, 0], [5, 0],
    // queen on
    [0, -16], [0, -12], [0, -8], [0, -4], [0, -12], [0, -8], [0, -4], [0, 0],
    [0, -8], [0, -4], [0, 0], [0, 4], [0, -4], [0, 0], [0, 4], [0, 8],
    [0, -4], [0, 0], [0, 4], [0, 8], [0, -8], [0, -4], [0, 0], [0, 4],
    [0, -12], [0, -8], [0, -4], [0, 0], [0, -16], [0, -12], [0, -8], [0, -4],
    // king on
    [20, -42], [28, -33], [2, -24], [-6, -15], [5, -33], [5, -24], [-12, -15], [-20, -6],
    [-25, -24], [-25, -15], [-25, -6], [-25, 3], [-37, -15], [-37, -6], [-37, 3], [-37, 12],
    [-49, -15], [-49, -6], [-49, 3], [-49, 12], [-61, -24], [-61, -15], [-61, -6], [-61, 3],
    [-73, -33], [-73, -24], [-73, -15], [-73, -6], [-85, -42], [-85, -33], [-85, -24], [-85, -15],
    // square within reach of a knight, bishop, rook, queen
    [4, 4], [4, 5], [2, 5], [1, 3],
    // two bishops
    [25, 45],
    // pawn before an own pawn
    [-8, -18],
    // pawn without own pawns on the next files
    [-10, -14],
    // pawn that cannot be supported and whose next square is attacked by a pawn
    [-8, -10],
    // pawn beside or supported by a pawn, on rank 2 to 7
    [5, 5], [6, 6], [9, 9], [17, 17], [32, 32], [50, 50],
    // passed pawn on rank 2 to 7
    [2, 8], [3, 12], [6, 28], [16, 55], [32, 95], [55, 140],
    // blocked passed pawn
    [-8, -20],
    // step of the own and of the other king to the square before a passed pawn from rank 4 on
    [0, -5], [0, 9],
    // rook on a file without pawns, without own pawns
    [22, 12], [12, 6],
    // rook behind a passed pawn of its own
    [5, 12],
    // knight, bishop that a pawn supports and none can attack, on rank 4 to 6
    [22, 12], [12, 6],
    // pawn on the second, third rank before the king
    [14, 0], [9, 0],
    // file beside or of the king without own pawns, without any
    [-16, 0], [-12, 0],
    // square at the other king attacked by a knight, bishop, rook, queen
    [6, 0], [5, 0], [7, 2], [4, 2],
    // two, three, four or more attackers of the other king
    [12, 0], [28, 5], [45, 8],
    // safe square for a check by a knight, bishop, rook, queen
    [18, 5], [10, 4], [16, 8], [12, 8],
    // pawn attacks a minor piece, rook, queen; minor piece attacks a rook or queen
    [40, 30], [55, 30], [55, 30], [32, 25],
    // attacked piece of the opponent that nothing defends
    [18, 12],
    // to move
    [14, 6],
];
