//! The keyboard: one table of what keys do in which state of the window. Key handling, the help page and tooltips are made
//! from it.

use egui::{Context, Event, FocusDirection, Key, Modifiers};

use crate::app::{CompareCommand, StepsCommand, View, WhyCommand};

#[cfg(test)]
mod tests;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the table below says what each of them does, in the words of the help page"
)]
pub enum Command {
    /// Changes to a view.
    Show(View),
    Why(WhyCommand),
    Steps(StepsCommand),
    Compare(CompareCommand),
    /// Goes so many steps of the lesson on or back.
    TurnLesson(i64),
    Quit,
    Close,
    Help,
    SwitchTheme,
    LargerText,
    SmallerText,
    UsualText,
    Settings,
    Present,
    Open,
    Save,
    Rules,
    Watch,
    Play,
    PreviousTree,
    NextTree,
    GoToTree,
    FollowNewest,
    Find,
    Parent,
    Child,
    PreviousSibling,
    NextSibling,
    Back,
    Forward,
    FitNode,
    FitParent,
    WholeTree,
    ZoomIn,
    ZoomOut,
    Fold,
    Readable,
    BestChildren,
    NextColouring,
    Legend,
    FoldLeftPanel,
    FoldRightPanel,
    Controls,
    /// Shows exact values, or not.
    Truth,
    NextMistake,
    CopyLine,
    CopyPosition,
    CopyFigures,
    PlayReplay,
    PreviousIteration,
    NextIteration,
    HundredBack,
    HundredOn,
    ShowEnd,
    Undo,
    SingleMove,
    TypeMove,
    PauseGame,
    PreviousPly,
    NextPly,
    LineUp,
    LineDown,
    PageUp,
    PageDown,
    TextStart,
    TextEnd,
}

/// Where a key is heeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Everywhere, even while a text is typed.
    Always,
    /// Where no dialog or page lies over the window.
    Window,
    /// On the cards of the start screen.
    Start,
    /// Where trees are shown, be there one already or not.
    Tree,
    /// While there is a tree whose nodes can be walked through.
    Nodes,
    /// While its growth can be replayed.
    Replay,
    /// While the trees of a folder are followed.
    Follow,
    /// In a game. These keys come before those of the tree.
    Game,
    /// In a lesson. These keys come before those of the tree.
    Lesson,
    /// In a view other than the tree's. These keys come before those of the tree, and after those of a game.
    View(View),
    /// On a page to read.
    Page,
}

/// A state of the window. It decides which scopes are heeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// A text is typed.
    Typing,
    /// A dialog or a question is open.
    Dialog,
    /// A page to read is open: the rules of a game, the help page.
    Page,
    /// The cards of the start screen.
    Start,
    /// Another screen without a tree.
    Empty,
    /// A tree or a game, with what can be done there.
    Tree {
        /// Whether there is a tree.
        nodes: bool,
        /// Whether the tree's growth can be replayed.
        replay: bool,
        /// Whether a folder is followed.
        follow: bool,
        /// Whether a game is played.
        game: bool,
        /// Whether a lesson is taken.
        lesson: bool,
        /// The view that is shown.
        view: View,
    },
}

impl KeyState {
    /// The scopes that are heeded, those that come first at the beginning.
    fn scopes(self) -> Vec<Scope> {
        match self {
            Self::Typing | Self::Dialog => vec![Scope::Always],
            Self::Page => vec![Scope::Always, Scope::Page],
            Self::Empty => vec![Scope::Always, Scope::Window],
            Self::Start => vec![Scope::Always, Scope::Window, Scope::Start],
            Self::Tree {
                nodes,
                replay,
                follow,
                game,
                lesson,
                view,
            } => {
                let mut scopes = vec![Scope::Always];
                scopes.extend(game.then_some(Scope::Game));
                scopes.extend(lesson.then_some(Scope::Lesson));
                scopes.extend([Scope::View(view), Scope::Window, Scope::Tree]);
                scopes.extend(nodes.then_some(Scope::Nodes));
                scopes.extend(replay.then_some(Scope::Replay));
                scopes.extend(follow.then_some(Scope::Follow));
                scopes
            }
        }
    }
}

/// Whether the Shift key belongs to a chord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    No,
    Yes,
    /// It depends on the keyboard's layout.
    Any,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chord {
    key: Key,
    is_command: bool,
    is_alt: bool,
    shift: Shift,
    /// Whether it is told; the others are the same key on other keyboards.
    is_shown: bool,
}

impl Chord {
    const fn new(key: Key) -> Self {
        Self {
            key,
            is_command: false,
            is_alt: false,
            shift: Shift::No,
            is_shown: true,
        }
    }

    const fn command(self) -> Self {
        Self {
            is_command: true,
            ..self
        }
    }

    const fn alt(self) -> Self {
        Self {
            is_alt: true,
            ..self
        }
    }

    const fn shift(self) -> Self {
        Self {
            shift: Shift::Yes,
            ..self
        }
    }

    const fn any_shift(self) -> Self {
        Self {
            shift: Shift::Any,
            ..self
        }
    }

    const fn untold(self) -> Self {
        Self {
            is_shown: false,
            ..self
        }
    }

    fn matches(self, key: Key, modifiers: Modifiers) -> bool {
        self.key == key
            && self.is_command == (modifiers.command || modifiers.ctrl)
            && self.is_alt == modifiers.alt
            && match self.shift {
                Shift::No => !modifiers.shift,
                Shift::Yes => modifiers.shift,
                Shift::Any => true,
            }
    }

    /// Whether one press could mean both.
    #[cfg(test)]
    fn clashes_with(self, other: Self) -> bool {
        let is_shift_alike =
            self.shift == other.shift || [self.shift, other.shift].contains(&Shift::Any);
        self.key == other.key
            && self.is_command == other.is_command
            && self.is_alt == other.is_alt
            && is_shift_alike
    }

    /// Whether a focused button or list needs it for itself.
    fn is_of_focused_widget(self) -> bool {
        let is_plain = !self.is_command && !self.is_alt;
        let keys = [
            Key::Space,
            Key::Enter,
            Key::Tab,
            Key::ArrowUp,
            Key::ArrowDown,
            Key::ArrowLeft,
            Key::ArrowRight,
        ];
        is_plain && keys.contains(&self.key)
    }

    /// As people write it: "Ctrl + O".
    fn text(self) -> String {
        let mut text = String::new();
        for (is_held, name) in [
            (self.is_command, "Ctrl + "),
            (self.is_alt, "Alt + "),
            (self.shift == Shift::Yes, "Shift + "),
        ] {
            if is_held {
                text += name;
            }
        }
        text + match self.key {
            Key::Space => "Space",
            Key::Escape => "Esc",
            Key::PageUp => "Page up",
            Key::PageDown => "Page down",
            Key::ArrowUp => "↑",
            Key::ArrowDown => "↓",
            Key::ArrowLeft => "←",
            Key::ArrowRight => "→",
            key => key.symbol_or_name(),
        }
    }
}

/// A group of the help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Going through trees and their nodes.
    Walk,
    /// Camera, colours, what is shown.
    View,
    /// The replay of a search.
    Time,
    /// A game that is played.
    Game,
    /// Files and the clipboard.
    Files,
    /// The window itself.
    Window,
}

impl Group {
    /// All groups with their titles, in the order of the help page.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Walk, "Walk"),
        (Self::Time, "Replay"),
        (Self::View, "See"),
        (Self::Files, "Files"),
        (Self::Game, "Play"),
        (Self::Window, "Window"),
    ];
}

/// A row of the table.
pub struct Binding {
    /// What happens.
    pub command: Command,
    chords: &'static [Chord],
    scope: Scope,
    /// Its group of the help page; none for keys that every page has.
    pub group: Option<Group>,
    /// What happens, in words.
    pub what: &'static str,
}

impl Binding {
    /// Its keys as people write them.
    pub fn keys_text(&self) -> String {
        let shown = self.chords.iter().filter(|chord| chord.is_shown);
        let texts: Vec<String> = shown.map(|chord| chord.text()).collect();
        texts.join(", ")
    }
}

/// One row of the table.
const fn row(
    command: Command,
    chords: &'static [Chord],
    scope: Scope,
    group: Group,
    what: &'static str,
) -> Binding {
    Binding {
        command,
        chords,
        scope,
        group: Some(group),
        what,
    }
}

/// A row of pages to read, which goes without saying.
const fn page_row(command: Command, chords: &'static [Chord], what: &'static str) -> Binding {
    Binding {
        command,
        chords,
        scope: Scope::Page,
        group: None,
        what,
    }
}

/// A row of the view Compare whose key does the same in the tree.
const fn compare_row(command: CompareCommand, chords: &'static [Chord]) -> Binding {
    Binding {
        command: Command::Compare(command),
        chords,
        scope: Scope::View(View::Compare),
        group: None,
        what: "as in the tree",
    }
}

const fn key(key: Key) -> Chord {
    Chord::new(key)
}

/// The table. In every state a key means one thing; tests look for clashes.
#[rustfmt::skip]
pub const BINDINGS: &[Binding] = &[
    row(Command::Show(View::Tree), &[key(Key::Num1)], Scope::Tree, Group::View, "the tree"),
    row(Command::Show(View::Why), &[key(Key::Num2)], Scope::Tree, Group::View, "why one move and not another"),
    row(Command::Show(View::Steps), &[key(Key::Num3)], Scope::Tree, Group::View, "one iteration, step by step"),
    row(Command::Show(View::Compare), &[key(Key::Num4)], Scope::Tree, Group::View, "two searches side by side"),
    row(Command::Steps(StepsCommand::Back), &[key(Key::ArrowLeft)], Scope::View(View::Steps), Group::Time, "in Steps: one stage back"),
    row(Command::Steps(StepsCommand::On), &[key(Key::ArrowRight)], Scope::View(View::Steps), Group::Time, "in Steps: one stage on"),
    row(Command::Steps(StepsCommand::NextIteration), &[key(Key::N)], Scope::View(View::Steps), Group::Time, "in Steps: the next iteration"),
    row(Command::Steps(StepsCommand::PreviousIteration), &[key(Key::N).shift()], Scope::View(View::Steps), Group::Time, "in Steps: the iteration before"),
    row(Command::Steps(StepsCommand::Play), &[key(Key::Space)], Scope::View(View::Steps), Group::Time, "in Steps: play, or pause"),
    row(Command::Compare(CompareCommand::Exchange), &[key(Key::X)], Scope::View(View::Compare), Group::View, "exchange A and B in Compare"),
    row(Command::Compare(CompareCommand::Link), &[key(Key::U)], Scope::View(View::Compare), Group::View, "link both trees in Compare"),
    compare_row(CompareCommand::Fit, &[key(Key::Num0), key(Key::Home)]),
    compare_row(CompareCommand::Zoom(true), &[key(Key::Plus).any_shift(), key(Key::Equals).any_shift().untold()]),
    compare_row(CompareCommand::Zoom(false), &[key(Key::Minus)]),
    compare_row(CompareCommand::Play, &[key(Key::Space)]),
    compare_row(CompareCommand::Step(-1), &[key(Key::Comma)]),
    compare_row(CompareCommand::Step(1), &[key(Key::Period)]),
    compare_row(CompareCommand::Step(-100), &[key(Key::Comma).shift()]),
    compare_row(CompareCommand::Step(100), &[key(Key::Period).shift()]),
    row(Command::PreviousTree, &[key(Key::ArrowLeft)], Scope::Tree, Group::Walk, "previous tree"),
    row(Command::NextTree, &[key(Key::ArrowRight)], Scope::Tree, Group::Walk, "next tree"),
    row(Command::GoToTree, &[key(Key::G)], Scope::Tree, Group::Walk, "go to the tree of a number"),
    row(Command::FollowNewest, &[key(Key::W)], Scope::Follow, Group::Walk, "follow new trees, or not"),
    row(Command::Parent, &[key(Key::ArrowUp), key(Key::K), key(Key::ArrowUp).shift().untold()], Scope::Nodes, Group::Walk, "select the parent"),
    row(Command::Child, &[key(Key::ArrowDown), key(Key::J), key(Key::ArrowDown).shift().untold()], Scope::Nodes, Group::Walk, "select the most visited child"),
    row(Command::PreviousSibling, &[key(Key::Tab).shift(), key(Key::ArrowLeft).shift(), key(Key::H)], Scope::Nodes, Group::Walk, "select the sibling on the left"),
    row(Command::NextSibling, &[key(Key::Tab), key(Key::ArrowRight).shift()], Scope::Nodes, Group::Walk, "select the sibling on the right"),
    row(Command::Back, &[key(Key::ArrowLeft).alt()], Scope::Tree, Group::Walk, "back to the node before"),
    row(Command::Forward, &[key(Key::ArrowRight).alt()], Scope::Tree, Group::Walk, "forward again"),
    row(Command::Find, &[key(Key::F), key(Key::F).command()], Scope::Tree, Group::Walk, "find a move or a state"),
    row(Command::TurnLesson(1), &[key(Key::Enter)], Scope::Lesson, Group::Walk, "in a lesson: the next step"),
    row(Command::TurnLesson(-1), &[key(Key::Backspace)], Scope::Lesson, Group::Walk, "in a lesson: the step before"),
    row(Command::FitNode, &[key(Key::Enter)], Scope::Tree, Group::View, "zoom to the selected node"),
    row(Command::FitParent, &[key(Key::Backspace)], Scope::Tree, Group::View, "zoom out to its parent"),
    row(Command::WholeTree, &[key(Key::Num0), key(Key::Home)], Scope::Tree, Group::View, "see the whole tree"),
    row(Command::ZoomIn, &[key(Key::Plus).any_shift(), key(Key::Equals).any_shift().untold()], Scope::Tree, Group::View, "zoom in"),
    row(Command::ZoomOut, &[key(Key::Minus)], Scope::Tree, Group::View, "zoom out"),
    row(Command::Readable, &[key(Key::A)], Scope::Tree, Group::View, "all nodes, or the main lines"),
    row(Command::BestChildren, &[key(Key::B)], Scope::Tree, Group::View, "show more or fewer children"),
    row(Command::Fold, &[key(Key::Z)], Scope::Tree, Group::View, "fold or unfold a node"),
    row(Command::NextColouring, &[key(Key::C)], Scope::Tree, Group::View, "colour by something else"),
    row(Command::Truth, &[key(Key::V)], Scope::Nodes, Group::View, "the solver's marks: off, marks, regret"),
    row(Command::NextMistake, &[key(Key::E)], Scope::Nodes, Group::Walk, "next move the solver calls wrong"),
    row(Command::Why(WhyCommand::Step(-1)), &[key(Key::ArrowUp)], Scope::View(View::Why), Group::View, "in Why: the lines a move back"),
    row(Command::Why(WhyCommand::Step(1)), &[key(Key::ArrowDown)], Scope::View(View::Why), Group::View, "in Why: the lines a move on"),
    row(Command::Legend, &[key(Key::L)], Scope::Tree, Group::View, "show or hide the legend"),
    row(Command::FoldLeftPanel, &[key(Key::OpenBracket)], Scope::Tree, Group::View, "show or hide the left panel"),
    row(Command::FoldRightPanel, &[key(Key::CloseBracket)], Scope::Tree, Group::View, "show or hide the right panel"),
    row(Command::PlayReplay, &[key(Key::Space)], Scope::Replay, Group::Time, "let the tree grow, or pause"),
    row(Command::PreviousIteration, &[key(Key::Comma)], Scope::Replay, Group::Time, "one iteration back"),
    row(Command::NextIteration, &[key(Key::Period)], Scope::Replay, Group::Time, "one iteration on"),
    row(Command::HundredBack, &[key(Key::Comma).shift()], Scope::Replay, Group::Time, "100 iterations back"),
    row(Command::HundredOn, &[key(Key::Period).shift()], Scope::Replay, Group::Time, "100 iterations on"),
    row(Command::ShowEnd, &[key(Key::End)], Scope::Replay, Group::Time, "the end of the search"),
    row(Command::Undo, &[key(Key::U)], Scope::Game, Group::Game, "take a move back"),
    row(Command::SingleMove, &[key(Key::N)], Scope::Game, Group::Game, "one move of the engine"),
    row(Command::TypeMove, &[key(Key::M)], Scope::Game, Group::Game, "type a move"),
    row(Command::PauseGame, &[key(Key::Space)], Scope::Game, Group::Game, "let engines wait, and go on"),
    row(Command::PreviousPly, &[key(Key::PageUp)], Scope::Game, Group::Game, "previous move of the game"),
    row(Command::NextPly, &[key(Key::PageDown)], Scope::Game, Group::Game, "next move of the game"),
    row(Command::Open, &[key(Key::O), key(Key::O).command()], Scope::Window, Group::Files, "open files or a folder"),
    row(Command::Save, &[key(Key::S).command()], Scope::Tree, Group::Files, "save the tree or a picture"),
    row(Command::Controls, &[key(Key::F6)], Scope::Tree, Group::Window, "to the buttons; Esc back"),
    row(Command::CopyLine, &[key(Key::C).command()], Scope::Tree, Group::Files, "copy the line to the node"),
    row(Command::CopyPosition, &[key(Key::C).shift()], Scope::Tree, Group::Files, "copy its position"),
    row(Command::CopyFigures, &[key(Key::X)], Scope::Tree, Group::Files, "copy its figures"),
    row(Command::Watch, &[key(Key::W)], Scope::Start, Group::Window, "start screen: watch a match"),
    row(Command::Play, &[key(Key::P)], Scope::Start, Group::Window, "start screen: play a game"),
    row(Command::Rules, &[key(Key::R)], Scope::Window, Group::Window, "the rules of the game"),
    row(Command::SwitchTheme, &[key(Key::T)], Scope::Window, Group::Window, "light or dark"),
    row(Command::LargerText, &[key(Key::Plus).command().any_shift(), key(Key::Equals).command().any_shift().untold()], Scope::Always, Group::Window, "larger text"),
    row(Command::SmallerText, &[key(Key::Minus).command()], Scope::Always, Group::Window, "smaller text"),
    row(Command::UsualText, &[key(Key::Num0).command()], Scope::Always, Group::Window, "text of the usual size"),
    row(Command::Settings, &[key(Key::Comma).command()], Scope::Window, Group::Window, "text size, memory, cache"),
    row(Command::Present, &[key(Key::F5)], Scope::Tree, Group::Window, "present: large, A shows the answer"),
    row(Command::Help, &[key(Key::Questionmark).any_shift(), key(Key::Slash).shift().untold(), key(Key::F1).untold()], Scope::Window, Group::Window, "keys and ideas"),
    row(Command::Close, &[key(Key::Escape)], Scope::Always, Group::Window, "close what lies on top"),
    row(Command::Quit, &[key(Key::Q).command()], Scope::Always, Group::Window, "close the window"),
    page_row(Command::LineUp, &[key(Key::ArrowUp)], "a line up"),
    page_row(Command::LineDown, &[key(Key::ArrowDown)], "a line down"),
    page_row(Command::PageUp, &[key(Key::PageUp)], "a page up"),
    page_row(Command::PageDown, &[key(Key::PageDown), key(Key::Space)], "a page down"),
    page_row(Command::TextStart, &[key(Key::Home)], "to the beginning"),
    page_row(Command::TextEnd, &[key(Key::End)], "to the end"),
    page_row(Command::Rules, &[key(Key::R)], "close the rules"),
    page_row(Command::Help, &[key(Key::Questionmark).any_shift(), key(Key::Slash).shift().untold(), key(Key::F1).untold()], "close the help page"),
];

/// What is done with the mouse and with the keys that egui itself handles, for the help page.
pub const GESTURES: &[(&str, &str)] = &[
    ("Click", "select a node"),
    ("Double click", "zoom to a node"),
    ("Wheel, pinch", "zoom"),
    ("Drag, right drag", "move the tree"),
    ("Click ▲", "open folded moves"),
    ("Shift + click ▲", "open everything below"),
    ("Drag an edge", "make a panel wider"),
    ("Tab, Shift + Tab", "from button to button (after F6)"),
    ("Enter, Space", "press the button"),
];

/// The binding that a key has in a state.
fn binding_in(
    state: KeyState,
    key: Key,
    modifiers: Modifiers,
    has_focus: bool,
) -> Option<&'static Binding> {
    state.scopes().into_iter().find_map(|scope| {
        BINDINGS.iter().find(|binding| {
            let is_pressed = |chord: &Chord| {
                chord.matches(key, modifiers) && !(has_focus && chord.is_of_focused_widget())
            };
            binding.scope == scope && binding.chords.iter().any(is_pressed)
        })
    })
}

/// Takes the keys of this frame that mean something in a state, in their order. A control other than a text field that has
/// the focus keeps the keys it needs.
pub fn take_commands(context: &Context, state: KeyState) -> Vec<Command> {
    let has_focus = context.memory(|memory| memory.focused().is_some());
    let mut commands = Vec::new();
    let mut takes_tab = false;
    context.input_mut(|input| {
        input.events.retain(|event| {
            let binding = match event {
                Event::Key {
                    key,
                    pressed: true,
                    modifiers,
                    ..
                } => binding_in(state, *key, *modifiers, has_focus),
                // The system's way of telling the usual chord.
                Event::Copy => binding_in(state, Key::C, Modifiers::COMMAND, has_focus),
                _ => None,
            };
            commands.extend(binding.map(|binding| binding.command));
            let is_tab = matches!(event, Event::Key { key: Key::Tab, .. });
            takes_tab |= is_tab && binding.is_some();
            // Lists and fields that are open heed Escape, too.
            binding.is_none_or(|binding| binding.command == Command::Close)
        });
    });
    if takes_tab {
        // Else it would also move the focus.
        context.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
    commands
}

/// The keys of a command as people write them; empty if it has none.
pub fn keys_text(command: Command) -> String {
    let mut bindings = BINDINGS.iter();
    let binding = bindings.find(|binding| binding.command == command);
    binding.map(Binding::keys_text).unwrap_or_default()
}

/// A tooltip that ends with a command's keys: "Previous tree (←)".
pub fn hint(text: &str, command: Command) -> String {
    format!("{text} ({})", keys_text(command))
}
