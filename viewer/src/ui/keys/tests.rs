use super::*;

/// Every state of the window.
fn all_states() -> Vec<KeyState> {
    let mut states = vec![
        KeyState::Typing,
        KeyState::Dialog,
        KeyState::Page,
        KeyState::Start,
        KeyState::Empty,
    ];
    for bits in 0..128 {
        states.push(KeyState::Tree {
            nodes: bits & 8 > 0,
            replay: bits & 1 > 0,
            follow: bits & 2 > 0,
            game: bits & 4 > 0,
            lesson: bits & 16 > 0,
            view: View::ALL[bits >> 5],
        });
    }
    states
}

/// The bindings that are heeded in a state.
fn heeded_in(state: KeyState) -> Vec<&'static Binding> {
    let scopes = state.scopes();
    let heeded = BINDINGS.iter();
    heeded
        .filter(|binding| scopes.contains(&binding.scope))
        .collect()
}

#[test]
fn no_key_means_two_things_in_any_state() {
    for state in all_states() {
        let heeded = heeded_in(state);
        for (index, one) in heeded.iter().enumerate() {
            for other in &heeded[index + 1..] {
                // Keys of a game come first, then those of a lesson, then those of a view.
                let rank = |scope: Scope| match scope {
                    Scope::Game => 0,
                    Scope::Lesson => 1,
                    Scope::View(_) => 2,
                    _ => 3,
                };
                let is_ranked = rank(one.scope) != rank(other.scope);
                let clash = (one.chords.iter())
                    .find(|chord| other.chords.iter().any(|also| chord.clashes_with(*also)));
                assert!(
                    clash.is_none() || is_ranked,
                    "{state:?}: {} is \"{}\" and \"{}\"",
                    clash.map(|chord| chord.text()).unwrap_or_default(),
                    one.what,
                    other.what
                );
            }
        }
    }
}

#[test]
fn a_binding_has_no_key_twice() {
    for binding in BINDINGS {
        for (index, one) in binding.chords.iter().enumerate() {
            let mut others = binding.chords[index + 1..].iter();
            assert!(
                !others.any(|other| one.clashes_with(*other)),
                "{}",
                binding.what
            );
        }
    }
}

#[test]
fn keys_of_a_game_come_before_those_of_the_tree() {
    let state = |game: bool| KeyState::Tree {
        nodes: true,
        replay: true,
        follow: true,
        game,
        lesson: false,
        view: View::Tree,
    };
    let command = |game: bool, key: Key| {
        let binding = binding_in(state(game), key, Modifiers::NONE, false);
        binding.map(|binding| binding.command)
    };
    for (key, in_game, elsewhere) in [
        (Key::U, Some(Command::Undo), None),
        (Key::N, Some(Command::SingleMove), None),
        (Key::M, Some(Command::TypeMove), None),
        (
            Key::Space,
            Some(Command::PauseGame),
            Some(Command::PlayReplay),
        ),
    ] {
        assert_eq!(command(true, key), in_game);
        assert_eq!(command(false, key), elsewhere);
    }
}

#[test]
fn a_text_field_keeps_the_keys_it_needs() {
    for binding in heeded_in(KeyState::Typing) {
        for chord in binding.chords {
            let edits = [Key::A, Key::C, Key::V, Key::X, Key::Z, Key::Y];
            let is_needed = match chord.is_command {
                true => edits.contains(&chord.key),
                false => chord.key != Key::Escape,
            };
            assert!(!is_needed, "{}", chord.text());
        }
    }
    let quit = binding_in(KeyState::Typing, Key::Q, Modifiers::COMMAND, true);
    assert_eq!(quit.map(|binding| binding.command), Some(Command::Quit));
}

#[test]
fn a_focused_button_keeps_space_and_arrows() {
    let state = KeyState::Tree {
        nodes: true,
        replay: true,
        follow: false,
        game: false,
        lesson: false,
        view: View::Tree,
    };
    for key in [Key::Space, Key::Enter, Key::Tab, Key::ArrowLeft] {
        assert!(binding_in(state, key, Modifiers::NONE, true).is_none());
        assert!(binding_in(state, key, Modifiers::NONE, false).is_some());
    }
    assert!(binding_in(state, Key::A, Modifiers::NONE, true).is_some());
    assert!(binding_in(state, Key::ArrowLeft, Modifiers::ALT, true).is_some());
}

#[test]
fn every_key_is_written_as_people_read_it() {
    assert_eq!(keys_text(Command::PreviousTree), "←");
    assert_eq!(keys_text(Command::Open), "O, Ctrl + O");
    assert_eq!(keys_text(Command::HundredOn), "Shift + .");
    assert_eq!(hint("Larger", Command::LargerText), "Larger (Ctrl + +)");
    for binding in BINDINGS {
        assert!(!binding.keys_text().is_empty(), "{}", binding.what);
    }
}
