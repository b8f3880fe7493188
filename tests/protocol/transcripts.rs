//! Recorded conversations are followed word by word, in this process and by the program.

use super::*;

fn transcripts() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(data("transcripts"))
        .expect("there are transcripts")
        .map(|entry| entry.expect("the folder can be read").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a transcript can be read");
            (path.display().to_string(), text)
        })
        .collect();
    // The examples of the contract are transcripts too.
    let page = fs::read_to_string(data("../../protocol.md")).expect("there is a contract");
    for (index, block) in page.split("```transcript\n").skip(1).enumerate() {
        let block = block.split("```").next().unwrap_or_default();
        found.push((
            format!("protocol.md, transcript {}", index + 1),
            block.to_owned(),
        ));
    }
    found.sort();
    assert!(found.len() > 10);
    found
}

/// The option table of protocol.md is the server's.
#[test]
fn the_contract_lists_every_option() {
    let mut table =
        String::from("| option | values | default | what it does |\n|---|---|---|---|\n");
    for row in options::option_definitions() {
        let default = match row.default_value() {
            default if default.is_empty() => String::new(),
            default => format!("`{default}`"),
        };
        let values = match &row.kind {
            options::OptionKind::Combo(_) if row.name == "Search" => {
                "a search of section 3".to_owned()
            }
            _ => row.allowed_values(),
        };
        table += &format!("| `{}` | {values} | {default} | {} |\n", row.name, row.help);
    }
    support::assert_doc_table("the options", &table);
}

/// The lines `NAME: TEXT` that the help of a dialect prints, until the line `end`.
fn printed_help(dialect: &str, lines: &[&str], end: &str) -> Vec<(String, String)> {
    let arguments = ["--protocol".to_owned(), dialect.to_owned()];
    let mut peer = InProcessServer::new(&transcript::setup(&arguments)).expect("a dialect");
    lines.iter().for_each(|line| peer.send(line));
    let mut rows = Vec::new();
    while let Some(line) = peer.read_line(REPLY_TIMEOUT)
        && line != end
    {
        let text = line.trim_start_matches("info string ");
        let row = text.trim_start_matches("= ").split_once(": ");
        rows.extend(row.map(|(name, help)| (name.to_owned(), help.to_owned())));
    }
    rows
}

/// The command tables of protocol.md are what `help` prints.
#[test]
fn the_contract_lists_every_command() {
    let table = |rows: Vec<(String, String)>| {
        let mut table = String::from("| command | what it does |\n|---|---|\n");
        for (name, help) in rows {
            table += &format!("| `{name}` | {help} |\n");
        }
        table
    };
    let uci = printed_help("uci", &["help", "isready"], "readyok");
    let ugi = printed_help("ugi", &["help", "isready"], "readyok");
    // Each flavour has its own word of greeting, and they share the rest.
    let names = |rows: &[(String, String)]| -> Vec<String> {
        (rows.iter().map(|(name, _)| name.clone()))
            .filter(|name| name != "uci" && name != "ugi")
            .collect()
    };
    assert_eq!(names(&uci), names(&ugi));
    assert_eq!((uci[0].0.as_str(), ugi[0].0.as_str()), ("uci", "ugi"));
    let both = ugi.into_iter().take(1).chain(uci).collect();
    support::assert_doc_table("the commands of UCI and UGI", &table(both));
    let gtp = printed_help("gtp", &["canopy-help", "9 name"], "=9 Canopy");
    let listed: Vec<&String> = gtp.iter().map(|(name, _)| name).collect();
    assert!(listed.is_sorted() && listed.len() > 30, "{listed:?}");
    support::assert_doc_table("the commands of GTP", &table(gtp));
}

#[test]
fn transcripts_are_followed_in_this_process() {
    for (name, text) in transcripts() {
        let setup = transcript::setup(&transcript::arguments(&text));
        let mut peer =
            InProcessServer::new(&setup).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        if let Err(problem) = transcript::play_transcript(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        assert!(peer.is_over(), "{name}: the server is still there");
    }
}

#[test]
fn transcripts_are_followed_by_the_program() {
    for (name, text) in transcripts() {
        let mut peer = EngineProcess::new(&transcript::arguments(&text));
        if let Err(problem) = transcript::play_transcript(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        let (_, well) = peer.wait();
        assert!(well, "{name}: it ended badly");
    }
}

#[test]
fn every_option_stands_in_a_transcript_or_sets_a_search() {
    let all: String = transcripts().into_iter().map(|(_, text)| text).collect();
    for row in options::option_definitions() {
        assert!(
            all.contains(&row.name) || row.parameter_name().is_some(),
            "{} is in no transcript",
            row.name
        );
    }
}
