//! Golden pictures of boards, and sheets of boards for people to look at.

use super::*;

/// Positions worth looking at, with the marks of a search.
fn samples() -> Vec<(&'static str, PositionInfo, Marks)> {
    let mut samples = Vec::new();
    let othello = "f5 d6 c3 d3 c4 f4 e3 f3 e6 c5 b4 g5 d2 e2 f6 b5 g4 c6 c7";
    let chess = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 d2d3 d8f6";
    let four = "4 4 4 5 3 3 5 2 5 5 6";
    for (game, position, moves) in [
        ("othello", "", othello),
        ("chess", "", chess),
        ("connect-four", "", four),
        ("kalah", "", "3 6 2 5 1 2 4"),
        ("delta", "", "c3 b2 c3c5 e1"),
        ("kalah:4x3", "<4,7,5,0,9,1,0,2,0,0,0> s", ""),
        ("kalah", "<6,13,2,0,1,0,12,0,0,8,0,1,1,0,10> n", ""),
    ] {
        let now = after_legal(game, position, moves);
        let marks = viewer_marks(&now);
        samples.push((game, now, marks));
    }
    let picks_up = |now: &PositionInfo| now.legal_moves.iter().any(|mv| mv.contains('x'));
    let late = (0..)
        .flat_map(|seed| random_game("delta", seed, 19))
        .find(picks_up)
        .unwrap();
    let marks = viewer_marks(&late);
    samples.insert(5, ("delta", late, marks));
    samples
}

/// The position after the moves; illegal ones are skipped.
fn after_legal(game: &str, position: &str, moves: &str) -> PositionInfo {
    let mut played: Vec<&str> = Vec::new();
    for mv in moves.split_whitespace() {
        played.push(mv);
        if Board::after_moves(game, position, &played).is_err() {
            played.pop();
        }
    }
    Board::after_moves(game, position, &played).unwrap()
}

/// Marks as of a search: falling visit shares, the first move chosen.
fn viewer_marks(now: &PositionInfo) -> Marks {
    let mut left = 1.0;
    let count = now.legal_moves.len();
    let mut moves: Vec<MoveShare> = (0..count)
        .map(|index| {
            let share = if index == 0 { 0.55 } else { left * 0.35 };
            left -= share;
            MoveShare {
                mv: now.legal_moves[index * 7 % count].clone(),
                share,
            }
        })
        .collect();
    moves.dedup_by(|one, other| one.mv == other.mv);
    Marks {
        last_move: now.last_move.clone(),
        moves,
        chosen: Some(0),
        ..Marks::default()
    }
}

/// A page of [`samples`]; `hands` shows them as a person sees them who has taken hold of a piece.
fn sheet(theme: &Theme, width: u32, coordinates: bool, hands: bool) -> Page {
    let boards = samples().into_iter().map(|(_, now, marks)| {
        let mut marks = Marks {
            shows_coordinates: coordinates,
            ..marks
        };
        if hands {
            marks.moves.clear();
            let first = now.board.click_targets(&now.legal_moves, &[]).next;
            let last = *first.last().unwrap();
            marks.targets = now.board.click_targets(&now.legal_moves, &[last]).next;
            if marks.targets.is_empty() {
                marks.targets = first;
            } else {
                marks.selected = Some(last);
            }
            marks.is_flipped = true;
        }
        (now.board, marks)
    });
    let across = if width > 400 { 3 } else { 4 };
    board_page(theme, (width, across), boards.collect())
}

/// A page of boards with their marks.
fn board_page(theme: &Theme, size: (u32, usize), boards: Vec<(Board, Marks)>) -> Page {
    let aspects: Vec<f32> = (boards.iter())
        .map(|(board, marks)| board.aspect(marks))
        .collect();
    page(theme, size, &aspects, |index, pixmap, area| {
        let (board, marks) = &boards[index];
        board.paint(&mut pixmap.as_mut(), area, marks, theme);
    })
}

/// Several pictures on one ground.
struct Page {
    pixmap: Pixmap,
    /// The share of each picture's area that is not the bare ground, from 0 to 1.
    painted: Vec<f32>,
}

/// Lays out pictures of one width in rows; `aspects` are their widths divided by their heights.
fn page(
    theme: &Theme,
    (width, across): (u32, usize),
    aspects: &[f32],
    mut paint: impl FnMut(usize, &mut Pixmap, Rect),
) -> Page {
    let gap = 16.0;
    let heights: Vec<f32> = (aspects.iter())
        .map(|aspect| (width as f32 / aspect).round())
        .collect();
    let rows: Vec<f32> = heights
        .chunks(across)
        .map(|row| row.iter().fold(0.0_f32, |high, &height| high.max(height)))
        .collect();
    let high: f32 = rows.iter().map(|row| row + gap).sum::<f32>() + gap;
    let wide = across as f32 * (width as f32 + gap) + gap;
    let mut pixmap = Pixmap::new(wide as u32, high as u32).unwrap();
    pixmap.fill(theme::to_skia(theme.panel));
    let mut painted = Vec::new();
    let mut top = gap;
    for (row, chunk) in heights.chunks(across).enumerate() {
        for (column, &height) in chunk.iter().enumerate() {
            let left = gap + column as f32 * (width as f32 + gap);
            let area = Rect::from_xywh(left, top, width as f32, height).unwrap();
            paint(row * across + column, &mut pixmap, area);
            painted.push(painted_share(&pixmap, area, theme.panel));
        }
        top += rows[row] + gap;
    }
    Page { pixmap, painted }
}

/// The share of an area's pixels that are not of the ground's colour.
fn painted_share(pixmap: &Pixmap, area: Rect, ground: Color32) -> f32 {
    let ground = theme::to_skia(ground).premultiply().to_color_u8();
    let (mut painted, mut all) = (0, 0);
    for y in area.top() as u32..area.bottom() as u32 {
        for x in area.left() as u32..area.right() as u32 {
            all += 1;
            painted += u32::from(pixmap.pixel(x, y) != Some(ground));
        }
    }
    painted as f32 / all as f32
}

/// Keeps a page for people to look at, and demands that every picture on it covers most of its area.
fn keep_page(page: &Page, name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("board-{name}.png"));
    page.pixmap.save_png(path).unwrap();
    for (index, share) in page.painted.iter().enumerate() {
        assert!(*share > 0.6, "picture {index} of {name} covers {share}");
    }
}

fn named_themes() -> [(Theme, &'static str); 2] {
    [(Theme::dark(), "dark"), (Theme::light(), "light")]
}

#[test]
fn sheets_of_boards_for_people() {
    for (theme, name) in named_themes() {
        for width in [120, 240, 700] {
            let page = sheet(&theme, width, width != 120, false);
            assert_eq!(page.painted.len(), samples().len());
            keep_page(&page, &format!("{name}-{width}"));
        }
    }
}

#[test]
fn sheets_of_boards_in_hand_show_what_is_held() {
    for (theme, name) in named_themes() {
        let held = sheet(&theme, 240, false, true);
        keep_page(&held, &format!("{name}-hands"));
        let untouched = (samples().into_iter()).map(|(_, now, marks)| {
            let marks = Marks {
                moves: Vec::new(),
                is_flipped: true,
                ..marks
            };
            (now.board, marks)
        });
        let untouched = board_page(&theme, (240, 4), untouched.collect());
        assert!(held.pixmap != untouched.pixmap, "{name}");
    }
}

#[test]
fn sheets_of_boards_while_playing() {
    for (theme, name) in named_themes() {
        for width in [160, 600] {
            let page = playing_page(&theme, (width, 4), false);
            keep_page(&page, &format!("{name}-playing-{width}"));
        }
    }
}

/// Boards as they look while a person plays.
fn playing() -> Vec<(Board, Marks)> {
    let pit = |number: u8| BoardPlace::Pit {
        owner: Player::First,
        number,
    };
    let at = |game: &str, position: &str, moves: &str, clicks: &[BoardPlace]| {
        let now = after_legal(game, position, moves);
        let marks = Marks {
            last_move: now.last_move.clone(),
            selected: clicks.first().copied(),
            targets: now.board.click_targets(&now.legal_moves, clicks).next,
            checked_king: now.checked_king,
            captures: now.captures,
            shows_coordinates: true,
            ..Marks::default()
        };
        (now.board, marks)
    };
    let opening = "e4 e5 Nf3 Nc6 Bc4 Nd4 Nxe5 Qg5";
    let check = "1rb1k1nr/pppp1ppp/2n5/4p3/2B1P3/5q2/PPPP2PP/RNBQK1NR b KQk - 0 4";
    let discs = "f5 d6 c3 d3 c4 f4 e3 f3 e6 c5 b4 g5 d2 e2 f6 b5 g4 c6 c7";
    let late = "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18";
    let mut boards = vec![
        at("chess", "", opening, &[square(4, 4)]),
        at("chess", check, "Qf2", &[]),
        at("othello", "", discs, &[]),
        at("othello", "", discs, &[]),
        at("connect-four", "", "4 4 4 5 3 3 5 2 5 5 6", &[]),
        at("kalah", "", "3 6 2 5", &[]),
        at("delta", "", "c3 b2 c3c5 e1", &[square(2, 4)]),
        at("delta", late, "", &[]),
    ];
    let (_, discs) = &mut boards[3];
    discs.captures.clear();
    discs.ghost = discs.targets.first().copied();
    let (_, four) = &mut boards[4];
    four.targets.clear();
    four.ghost = Some(square(6, 4));
    let (_, kalah) = &mut boards[5];
    kalah.ghost = Some(pit(3));
    // The slide is chosen; the stone to pick up is not.
    let (board, delta) = &mut boards[7];
    let legal = Board::after_moves("delta", late, &[""; 0])
        .unwrap()
        .legal_moves;
    let from = delta.targets[0];
    let to = board.click_targets(&legal, &[from]).next[0];
    (delta.selected, delta.ghost) = (Some(from), Some(to));
    delta.targets = board.click_targets(&legal, &[from, to]).next;
    boards
}

/// Compares a picture with its golden file; with `UPDATE=1` in the environment, writes the file.
fn looks_as_it_did(actual: &Pixmap, name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pictures");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        actual.save_png(&path).unwrap();
        return;
    }
    let expected = Pixmap::load_png(&path).unwrap();
    if *actual != expected {
        let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/pictures");
        std::fs::create_dir_all(&kept).unwrap();
        actual.save_png(kept.join(format!("{name}.png"))).unwrap();
        panic!("{name} looks different: see target/pictures/{name}.png; UPDATE=1 accepts it");
    }
}

/// A page of [`playing`], from one side or the other.
fn playing_page(theme: &Theme, size: (u32, usize), flip: bool) -> Page {
    let boards = playing().into_iter().map(|(board, marks)| {
        let marks = Marks {
            is_flipped: flip,
            ..marks
        };
        (board, marks)
    });
    board_page(theme, size, boards.collect())
}

#[test]
fn boards_to_play_on_look_as_they_did() {
    for (theme, name) in named_themes() {
        let picture = playing_page(&theme, (272, 4), false);
        looks_as_it_did(&picture.pixmap, &format!("boards-playing-{name}"));
    }
    let picture = playing_page(&Theme::dark(), (160, 4), true);
    looks_as_it_did(&picture.pixmap, "boards-playing-small");
}

/// Animations to compare: game, position, moves of which the last is animated, and the share of its duration.
const MOVES: [(&str, &str, &str, f32); 8] = [
    ("connect-four", "", "4 4 4 5 3 3", 0.4),
    ("othello", "", "f5 d6 c3 d3 c4", 0.5),
    ("kalah", "", "3 6", 0.0),
    ("kalah", "", "3 6", 0.55),
    ("kalah", "<6,3,4,1,0,4,4,4,4,4,4,4,4,4,4> s", "1", 0.8),
    ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0.4),
    ("delta", "", "c3 b2 c3c5", 0.6),
    ("delta", "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18", "", 0.6),
];

#[test]
fn moves_under_way_look_as_they_did() {
    let marks = Marks {
        shows_coordinates: true,
        ..Marks::default()
    };
    let motions = MOVES.map(|(game, position, moves, part)| {
        let mut moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        if moves.is_empty() {
            let now = Board::after_moves(game, position, &moves).unwrap();
            moves.push(now.legal_moves[0].clone());
        }
        (MoveAnimation::new(game, position, &moves).unwrap(), part)
    });
    let aspects = motions
        .clone()
        .map(|(motion, _)| motion.final_board().aspect(&marks));
    for (theme, name) in named_themes() {
        let picture = page(&theme, (240, 4), &aspects, |index, pixmap, area| {
            let (motion, part) = &motions[index];
            let at = motion.duration().mul_f32(*part);
            motion.paint(at, &mut pixmap.as_mut(), area, &marks, &theme);
        });
        looks_as_it_did(&picture.pixmap, &format!("boards-moving-{name}"));
    }
}
