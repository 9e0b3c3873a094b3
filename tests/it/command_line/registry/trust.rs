//! The keys of publishers, and what an operator is shown before a version is granted something.
use super::{API, CREDENTIAL, INSTALL, Market, OTHER_KEY, UPDATE};
use crate::command_line::Typist as _;

#[test]
fn what_was_not_granted_before_is_shown_again() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.reads(&["deny", "testbed.plain"]);
    market.publishes("0.2.0", API);
    let told = market.is_refused(&["update", "testbed.plain"]);
    assert!(told.contains("asks\tto reach https://api.acme.com:443"), "{told}");
}

#[test]
fn another_key_of_the_publisher_is_refused_until_the_operator_names_it() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.key("other.pem");
    market.writes("0.2.0", API);
    assert!(market.is_refused(&OTHER_KEY).contains("--replace-key"));
    std::fs::remove_file(market.path("other.pem")).unwrap();
    let other = market.publishes_with_another_key("0.2.0");
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("signed with another key than before"), "{refused}");
    assert!(market.manifest().contains("version = \"0.1.0\""));
    let wrong = market.key("third.pem");
    let refused = market.is_refused(&[&UPDATE[..], &["--publisher-key", &wrong]].concat());
    assert!(refused.contains("not the one that you named"), "{refused}");
    market.reads(&[&UPDATE[..], &["--publisher-key", &other]].concat());
    assert!(market.settings().contains(&other), "{}", market.settings());
}

#[test]
fn a_lost_settings_file_does_not_make_another_key_acceptable() {
    let market = Market::new();
    let before = market.settings();
    market.reads(&INSTALL);
    // As after a command that was killed before it wrote the approval, or after a tool rewrote the file.
    std::fs::write(market.path("linepress.toml"), &before).unwrap();
    let other = market.publishes_with_another_key("0.2.0");
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("signed with another key than before"), "{refused}");

    let told = market.reads(&INSTALL);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
    let settings = market.settings();
    assert!(
        settings.contains("[publishers]\n") && settings.contains("[grants."),
        "{settings}"
    );
    assert!(market.is_refused(&INSTALL).contains("is installed already"));

    // `rollback` writes the key of the active version, not that of the version to which it leads.
    market.reads(&[&UPDATE[..], &["--publisher-key", &other]].concat());
    std::fs::write(market.path("linepress.toml"), &before).unwrap();
    market.reads(&["rollback", "testbed.plain", "--yes"]);
    assert!(market.settings().contains(&other), "{}", market.settings());
}

#[test]
fn an_update_that_asks_for_a_service_shows_it() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.publishes("0.2.0", &format!("{API}\n[permissions]\nstore = true\n"));
    let told = market.is_refused(&["update", "testbed.plain"]);
    let asked = "to store up to 256 values, 1 MiB together, in the server's database";
    assert!(told.contains(&format!("+ asks {asked}")), "{told}");
    assert!(!told.contains("api.acme.com"), "only what differs is shown: {told}");
    assert!(!market.settings().contains("permissions"), "{}", market.settings());

    let told = market.reads(&UPDATE);
    let granted = format!("granted: https://api.acme.com:443, {asked}");
    assert!(told.contains(&granted), "{told}");
    let settings = market.settings();
    assert!(settings.contains("permissions = [\"store\"]"), "{settings}");
    let shown = market.reads(&["show", "testbed.plain"]);
    assert!(
        shown.contains(&format!("asks\t{asked}")) && shown.contains(&format!("granted\t{asked}")),
        "{shown}"
    );

    market.reads(&["rollback", "testbed.plain"]);
    assert!(!market.settings().contains("permissions"), "{}", market.settings());
}

#[test]
fn what_another_plugin_left_in_the_settings_is_shown_and_not_granted() {
    let market = Market::empty();
    let local = "[[http]]\norigin = \"http://127.0.0.1:8188\"\nmethods = [\"POST\"]\n";
    market.publishes("0.1.0", &format!("{API}{CREDENTIAL}{local}"));
    let left = format!(
        "[grants.\"testbed.plain\"]\ndigest = \"{}\"\norigins = [\"http://127.0.0.1:8188\"]\nprivate = \
         [\"http://127.0.0.1:8188\"]\n[credentials.\"testbed.plain\"]\napi_key = {{ env = \"LEFT\" }}\n",
        "b".repeat(64)
    );
    std::fs::write(market.path("linepress.toml"), market.settings() + &left).unwrap();
    let refused = market.is_refused(&INSTALL);
    assert!(
        refused.contains("source\tapi_key: env:LEFT, which the settings file already contains"),
        "{refused}"
    );
    assert!(refused.contains("add --private http://127.0.0.1:8188"), "{refused}");
    assert!(!market.is_installed());
    let told = market.reads(&[&INSTALL[..], &["--private", "http://127.0.0.1:8188"]].concat());
    assert!(
        told.contains("also with private addresses or plain http: http://127.0.0.1:8188"),
        "{told}"
    );
    // The next version is approved like this one.
    market.publishes("0.2.0", &format!("{API}{CREDENTIAL}{local}"));
    let told = market.reads(&UPDATE);
    assert!(!told.contains("source\t"), "{told}");
    assert!(market.settings().contains("private = ["), "{}", market.settings());
}
