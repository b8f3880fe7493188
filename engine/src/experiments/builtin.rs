//! The experiments that come with the program: files like any user's.

/// An experiment's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Embeds files of the folder `builtin`.
macro_rules! builtin {
    ($($name:literal),+ $(,)?) => {
        /// All of them, in the order in which they are listed.
        pub const BUILTIN: &[Builtin] = &[$(Builtin {
            name: $name,
            text: include_str!(concat!("builtin/", $name, ".toml")),
        }),+];
    };
}

builtin! {
    "000-speed",
    "001-e1",
    "001-e1-legacy",
    "001-style",
    "001-e2",
    "002-h1",
    "002-h2",
    "002-h3",
    "002-h4",
    "002-h5",
    "002-mirror",
    "003-nodes",
    "004-grid",
    "004-prune",
    "004-robust",
}

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}
