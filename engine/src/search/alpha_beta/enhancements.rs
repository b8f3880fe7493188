//! The switches of the alpha-beta core (Schaeffer 1989 calls them the enhancements). With all of them off it is plain
//! alpha-beta.

/// What the alpha-beta core does beyond plain alpha-beta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enhancements {
    /// Remember positions in a transposition table.
    pub table: bool,
    /// Let values of deeper searches in the table count, too. Without, a fixed depth has minimax's value.
    pub deeper_entries: bool,
    /// Try the table's best move first.
    pub hash_move: bool,
    /// Order moves as the game says: captures by value, corners, lines ([`crate::games::Tactics::move_order`]).
    pub move_order: bool,
    /// Try moves early that caused a cutoff at the same ply.
    pub killers: bool,
    /// Try moves early that caused cutoffs anywhere (Schaeffer 1983).
    pub history: bool,
    /// Principal variation search: all moves but the first are expected to be worse (Marsland and Campbell 1982).
    pub pvs: bool,
    /// Cut off where even a win in the next ply would change nothing.
    pub mate_distance: bool,
    /// Take the first repetition in a line for a draw.
    pub early_draws: bool,
    /// Follow captures and threats beyond the depth.
    pub quiescence: bool,
    /// Search checks and forced replies one ply deeper.
    pub extensions: bool,
    /// Cut off where passing would be good enough (Donninger 1993).
    pub null_move: bool,
    /// Search late moves less deeply until one of them surprises.
    pub reductions: bool,
    /// Near the horizon, cut off positions far ahead and leave out quiet moves of positions far behind.
    pub futility: bool,
}

impl Enhancements {
    /// Those that do not change the value of a search to a fixed depth.
    pub const SOUND: Self = Self {
        table: true,
        hash_move: true,
        move_order: true,
        killers: true,
        history: true,
        pvs: true,
        mate_distance: true,
        ..Self::NONE
    };

    /// All.
    pub const ALL: Self = Self {
        deeper_entries: true,
        early_draws: true,
        quiescence: true,
        extensions: true,
        null_move: true,
        reductions: true,
        futility: true,
        ..Self::SOUND
    };

    /// Plain alpha-beta.
    pub const NONE: Self = Self {
        table: false,
        deeper_entries: false,
        hash_move: false,
        move_order: false,
        killers: false,
        history: false,
        pvs: false,
        mate_distance: false,
        early_draws: false,
        quiescence: false,
        extensions: false,
        null_move: false,
        reductions: false,
        futility: false,
    };

    /// Whether moves are searched in another order than that of move generation.
    pub(super) fn orders_moves(&self) -> bool {
        self.hash_move || self.move_order || self.killers || self.history
    }

    /// Whether threats are looked for.
    pub(super) fn sees_threats(&self) -> bool {
        self.quiescence || self.extensions || self.null_move || self.reductions || self.futility
    }
}
