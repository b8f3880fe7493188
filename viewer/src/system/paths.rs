//! Absolute paths from what people type.

use std::path::{Component, Path, PathBuf};

/// The absolute path without `.`, `..` and a trailing slash. Symbolic links are kept, so that a path follows its link when the target
/// changes. A path that cannot be resolved is returned as it is.
pub fn absolute(path: &Path) -> PathBuf {
    let Ok(whole) = std::path::absolute(path) else {
        return path.to_owned();
    };
    let components: Vec<Component<'_>> = whole.components().collect();
    let is_up = |component: &Component<'_>| *component == Component::ParentDir;
    let Some(last) = components.iter().rposition(is_up) else {
        return components.iter().collect();
    };
    // `..` after a link leaves the link's target, which only the system can resolve.
    let (up, rest) = components.split_at(last + 1);
    let up: PathBuf = up.iter().collect();
    let up = std::fs::canonicalize(&up).unwrap_or(up);
    rest.iter().fold(up, |path, component| path.join(component))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_begin_in_the_current_folder() {
        let here = std::env::current_dir().expect("there is one");
        for (given, expected) in [
            ("m", here.join("m")),
            ("./m//x/", here.join("m/x")),
            ("m/.", here.join("m")),
            ("/m/", "/m".into()),
            ("", "".into()),
        ] {
            let found = absolute(Path::new(given));
            assert_eq!(found.as_os_str(), expected.as_os_str(), "{given:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn two_dots_lead_out_of_what_a_link_leads_to() {
        let scratch = std::env::temp_dir().join(format!("canopy-paths-{}", std::process::id()));
        let (far, link) = (scratch.join("far/inside"), scratch.join("link"));
        std::fs::create_dir_all(&far).expect("a folder can be made");
        std::os::unix::fs::symlink(&far, &link).expect("a link can be made");
        let scratch = scratch.canonicalize().expect("it is there");
        assert_eq!(absolute(&link.join("../m")), scratch.join("far/m"));
        assert_eq!(absolute(&scratch.join("link/")), scratch.join("link"));
        let nowhere = scratch.join("nowhere/../m");
        assert_eq!(absolute(&nowhere), nowhere, "the system cannot tell");
        std::fs::remove_dir_all(&scratch).expect("it can be removed");
    }
}
