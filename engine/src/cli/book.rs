//! `canopy-engine book`: makes opening books of exact values, and shows them.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use clap::{Args, Subcommand};

use super::{
    CliError, PositionCommand, PositionText, game_help, game_name, progress::Progress,
    with_position,
};
use crate::{
    catalog::solvers::{self, SolverConfig},
    games::{Playable, notation::move_text},
    protocol::client_watch,
    search::{
        SearchLimits, StopFlag,
        exact::{
            SolveContext,
            book::{Book, Openings, book_value},
            leaf_values::LeafValues,
        },
    },
    tree::files::write_atomic_synced,
};

#[derive(Args)]
pub(super) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand)]
enum BookCommand {
    /// Solve all positions of the first plies and write a book of them
    Make(MakeArgs),
    /// Show what a book has on a position
    Show(ShowArgs),
    /// Write the values of a book's last positions, from which all others follow: the form in which a book is embedded
    Pack(PackArgs),
}

#[derive(Args)]
struct MakeArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// How many moves deep; all moves in positions before that are in the book
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=12))]
    plies: u32,
    /// The book to write, .cbook; FILE.part keeps what is solved, and the same command goes on from there
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Threads, each with its own solver
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=512))]
    threads: u64,
    /// Memory of all solvers together, in megabytes
    #[arg(long, value_name = "MEGABYTES", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    memory: u64,
}

#[derive(Args)]
struct ShowArgs {
    /// The book
    file: PathBuf,
    #[command(flatten)]
    position: PositionText,
}

#[derive(Args)]
struct PackArgs {
    /// The book
    file: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &BookArgs, out: &mut dyn Write) -> Result<(), CliError> {
    client_watch::exit_when_stdout_closes();
    match &arguments.command {
        BookCommand::Make(arguments) => with_position(&arguments.game, "startpos", arguments, out),
        BookCommand::Show(arguments) => {
            let book = read_book(&arguments.file)?;
            let game = book.game.clone();
            with_position(&game, &arguments.position.position, ShowBook(book), out)
        }
        BookCommand::Pack(arguments) => {
            let book = read_book(&arguments.file)?;
            let game = book.game.clone();
            let command = PackCommand { book, arguments };
            with_position(&game, "startpos", command, out)
        }
    }
}

/// Positions that a thread takes at a time. Neighbours have much in common: one solver for them needs half the time of two that
/// take turns.
const POSITIONS_PER_TURN: usize = 64;

impl PositionCommand for &MakeArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let game = game_name(&start);
        let openings = Openings::new(game.clone(), &start, self.plies).ok_or_else(|| {
            CliError::Usage(format!("positions of {game} recur: it can have no book"))
        })?;
        let part = PathBuf::from(format!("{}.part", self.out.display()));
        let header = format!("canopy book {game} {} plies", self.plies);
        let failed = |error: io::Error| CliError::Failed(format!("{}: {error}", part.display()));
        let (mut known, file) = open_part(&part, &header).map_err(failed)?;
        let mut unsolved = openings.leaves_by_kinship();
        unsolved.retain(|(key, _)| !known.contains_key(key));
        let total = openings.leaves().len();
        let (done, rest) = (total - unsolved.len(), unsolved.len());
        writeln!(
            out,
            "{total} positions, {done} of them known, {rest} to solve"
        )?;
        out.flush()?;
        let mut progress = Progress::new("positions");
        progress.begin(total as u64, done as u64);
        let solved = solve_all(self, &unsolved, file, progress).map_err(failed)?;
        known.extend(solved);
        let values: Option<Vec<i16>> = (openings.leaves())
            .map(|(key, _)| known.get(&key).copied())
            .collect();
        let book = values.and_then(|values| openings.book(&values));
        let book = book.ok_or_else(|| CliError::Failed("a position is unsolved".to_owned()))?;
        write_atomic_synced(&self.out, |out| out.write_all(&book.to_bytes()))
            .map_err(|error| CliError::file(&self.out, error.into()))?;
        writeln!(
            out,
            "{}: {} moves",
            self.out.display(),
            book.records().len()
        )?;
        Ok(())
    }
}

/// Opens the file of solved positions for appending, and returns what it has already: after a header, lines of a key in
/// hexadecimal digits and a value. A last line without its end was cut off, and is removed.
fn open_part(path: &Path, header: &str) -> io::Result<(BTreeMap<u64, i16>, File)> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64)?;
    let mut lines = text[..whole].lines();
    match lines.next() {
        None => writeln!(file, "{header}")?,
        Some(first) if first == header => {}
        Some(_) => {
            let problem =
                format!("belongs to another book: expected it to begin with \"{header}\"");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
    }
    let mut known = BTreeMap::new();
    for (index, line) in lines.enumerate() {
        let entry = line.split_once(' ').and_then(|(key, value)| {
            Some((u64::from_str_radix(key, 16).ok()?, value.parse().ok()?))
        });
        let Some((key, value)) = entry else {
            let problem = format!("line {}: expected a key and a value", index + 2);
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        };
        known.insert(key, value);
    }
    Ok((known, file))
}

/// Results of the threads, and where they go.
struct Results {
    solved: BTreeMap<u64, i16>,
    file: File,
    progress: Progress,
}

impl Results {
    /// Appends a value to the file, so that it is not lost if the program ends now.
    fn add(&mut self, key: u64, value: i16) -> io::Result<()> {
        self.file
            .write_all(format!("{key:016x} {value}\n").as_bytes())?;
        self.solved.insert(key, value);
        self.progress.advance_to(self.solved.len() as u64);
        Ok(())
    }
}

/// Solves the positions with several threads. Their values in the file are those for the player to move.
fn solve_all<G: Playable>(
    arguments: &MakeArgs,
    positions: &[(u64, &G)],
    file: File,
    progress: Progress,
) -> io::Result<BTreeMap<u64, i16>> {
    let results = Mutex::new(Results {
        solved: BTreeMap::new(),
        file,
        progress,
    });
    let threads = (arguments.threads as usize).min(positions.len().div_ceil(POSITIONS_PER_TURN));
    let bytes = usize::try_from(arguments.memory << 20).unwrap_or(usize::MAX) / threads.max(1);
    let turns: Vec<_> = positions.chunks(POSITIONS_PER_TURN).collect();
    let next = AtomicUsize::new(0);
    let solve_some = || -> io::Result<()> {
        let Some(&(_, first)) = positions.first() else {
            return Ok(());
        };
        let mut solver = solvers::solver::<G>(first.rules(), SolverConfig::plain(bytes));
        let (limits, stop) = (SearchLimits::default(), StopFlag::new());
        let taken = std::iter::from_fn(|| turns.get(next.fetch_add(1, Relaxed)));
        for &(key, position) in taken.copied().flatten() {
            let mut ignore = |_| {};
            let mut context = SolveContext::start(&limits, &stop, None, &mut ignore);
            if let Some(value) = solver.value(position, &mut context) {
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.add(key, book_value(&value))?;
            }
        }
        Ok(())
    };
    let ends: Vec<io::Result<()>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(solve_some)).collect();
        let failed = || Err(io::Error::other("a thread failed"));
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|result| result.unwrap_or_else(|_| failed()))
            .collect()
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.progress.finish();
    ends.into_iter().collect::<io::Result<()>>()?;
    Ok(results.solved)
}

fn read_book(path: &Path) -> Result<Book, CliError> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| CliError::Failed(format!("{name}: {error}")))?;
    Book::from_bytes(&bytes).map_err(|error| CliError::Usage(format!("{name}: {error}")))
}

struct PackCommand<'a> {
    book: Book,
    arguments: &'a PackArgs,
}

impl PositionCommand for PackCommand<'_> {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let Self {
            book,
            arguments: PackArgs { file, out: path },
        } = self;
        let leaves = LeafValues::of_book(&book, &start).ok_or_else(|| {
            let name = file.display();
            CliError::Usage(format!(
                "{name}: expected all positions of some number of plies, and values from -128 to 127"
            ))
        })?;
        let bytes = leaves.to_bytes();
        write_atomic_synced(path, |file| file.write_all(&bytes))
            .map_err(|error| CliError::file(path, error.into()))?;
        writeln!(
            out,
            "{}: {} positions after {} plies, {} bytes",
            path.display(),
            leaves.values.len(),
            leaves.plies,
            bytes.len()
        )?;
        Ok(())
    }
}

struct ShowBook(Book);

impl PositionCommand for ShowBook {
    fn run<G: Playable>(self, position: G, out: &mut dyn Write) -> Result<(), CliError> {
        let Self(book) = self;
        let records = book.records();
        let positions = records.chunk_by(|one, other| one.key == other.key).count();
        writeln!(
            out,
            "{}: {positions} positions, {} moves",
            book.game,
            records.len()
        )?;
        let moves = book.moves(&position);
        if moves.is_empty() {
            writeln!(out, "the position is not in the book")?;
        }
        for (mv, record) in moves {
            let best = if record.weight > 0 { "  best" } else { "" };
            let text = move_text(&position, mv);
            writeln!(out, "{text:<8}{:>6}{best}", record.value)?;
        }
        Ok(())
    }
}
