//! The author's side: `publish` and `keygen`.
use serde_json::json;

use super::{API, INSTALL, MORE, Market, PUBLISH};
use crate::command_line::Typist as _;

#[test]
fn a_registry_is_published_step_by_step() {
    let market = Market::empty();
    market.writes("0.1.0", API);
    let refused = market.is_refused(&["publish", "source", "--index", "site", "--key", "key.pem"]);
    assert!(refused.contains("add --publisher and --description"), "{refused}");
    assert!(market.reads(&PUBLISH).contains("testbed.plain 0.1.0\tpublished"));
    let unchanged = market.reads(&PUBLISH);
    assert!(
        unchanged.contains("\tunchanged\t") && unchanged.contains("number 1,"),
        "{unchanged}"
    );
    market.writes("0.1.0", MORE);
    assert!(market.is_refused(&PUBLISH).contains("increase the version"));
    market.writes("0.2.0", MORE);
    let published = market.reads(&["publish", "source", "--index", "site", "--key", "key.pem"]);
    assert!(published.contains("number 2"), "{published}");
    market.key("other.pem");
    let refused = market.is_refused(&["publish", "source", "--index", "site", "--key", "other.pem"]);
    assert!(refused.contains("--index-key"), "{refused}");
    assert!(market.is_refused(&["keygen", "key.pem"]).contains("key.pem"));
    std::fs::write(market.path("linepress.toml"), "").unwrap();
    assert!(market.is_refused(&["search"]).contains("[plugin_index]"));
}

#[test]
fn a_component_that_reports_another_version_or_id_is_neither_packed_nor_published() {
    let market = Market::empty();
    let commands = [&["pack", "source"][..], &PUBLISH];
    let refuses = |words: &str| {
        for command in commands {
            let refused = market.is_refused(command);
            assert!(refused.contains(words), "{words}: {refused}");
        }
        assert!(!market.path("source/packed").exists());
        assert!(!market.path("site").exists());
    };
    market.writes("0.1.0", API);
    market.says("0.2.0");
    refuses("the component reports version 0.1.0. plugin.toml has version 0.2.0: use the same version in both.");
    market.writes_component("testbed.trap", "0.2.0", API);
    refuses("a server refuses it: its id is testbed.plain in plugin.toml, but \"testbed.trap\"");
    market.writes("0.2.0", API);
    commands.iter().for_each(|command| drop(market.reads(command)));
}

#[test]
fn an_index_expires_unless_it_is_published_again() {
    let market = Market::empty();
    market.writes("0.1.0", API);
    let short = [&PUBLISH[..], &["--valid-days", "20"]].concat();
    assert!(market.reads(&short).contains("index\tnumber 1, valid until 20"));
    assert!(
        market
            .reads(&["search"])
            .contains("the index of the registry expires at 20")
    );
    // Less than half of a year is left.
    assert!(market.reads(&PUBLISH).contains("index\tnumber 2, valid until 20"));
    assert!(!market.reads(&["search"]).contains("expires"));
    assert!(market.reads(&PUBLISH).contains("index\tnumber 2, "));

    market.forge(|index| {
        index["serial"] = json!(3);
        index["expires_at"] = json!("2026-01-01T00:00:00Z");
    });
    let refused = market.is_refused(&INSTALL);
    assert!(refused.contains("expired at 2026-01-01T00:00:00Z"), "{refused}");
    market.has_nothing();
    // An author can publish it again.
    assert!(market.reads(&PUBLISH).contains("\tunchanged\t"));
    market.reads(&INSTALL);
}
