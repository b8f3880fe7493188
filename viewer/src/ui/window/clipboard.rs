//! The system's clipboard, for text. The window's toolkit could do it as well, but only together with pictures, whose
//! formats take longer to compile than the rest of the window.

use egui::{OutputCommand, PlatformOutput};
use winit::{
    event::{ElementState, KeyEvent, WindowEvent},
    keyboard::{Key, ModifiersState, NamedKey},
};

/// A connection to the clipboard, made when it is first used; without one, texts stay within the window.
#[derive(Default)]
pub(crate) struct Clipboard {
    system: Option<arboard::Clipboard>,
    modifiers: ModifiersState,
}

impl Clipboard {
    fn system(&mut self) -> Option<&mut arboard::Clipboard> {
        if self.system.is_none() {
            self.system = arboard::Clipboard::new().ok();
        }
        self.system.as_mut()
    }

    /// Before the toolkit handles an event: provides the clipboard's text if the event pastes.
    pub(crate) fn before_event(&mut self, event: &WindowEvent, toolkit: &mut egui_winit::State) {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::KeyboardInput { event: key, .. } if is_paste(key, self.modifiers) => {
                if let Some(text) = self.system().and_then(|system| system.get_text().ok()) {
                    toolkit.set_clipboard_text(text);
                }
            }
            _ => {}
        }
    }

    /// After a frame: passes copied text to the system's clipboard.
    pub(crate) fn after_frame(&mut self, output: &PlatformOutput) {
        for command in &output.commands {
            if let OutputCommand::CopyText(text) = command
                && let Some(system) = self.system()
            {
                // Within the window the text can be pasted all the same.
                let _ = system.set_text(text.clone());
            }
        }
    }
}

/// Whether the toolkit pastes on this key.
fn is_paste(key: &KeyEvent, modifiers: ModifiersState) -> bool {
    let is_command = if cfg!(target_os = "macos") {
        modifiers.super_key()
    } else {
        modifiers.control_key()
    };
    key.state == ElementState::Pressed
        && match &key.logical_key {
            Key::Named(NamedKey::Paste) => true,
            Key::Named(NamedKey::Insert) => modifiers.shift_key(),
            Key::Character(text) => is_command && text.eq_ignore_ascii_case("v"),
            _ => false,
        }
}
