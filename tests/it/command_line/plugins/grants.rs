//! `linepress plugin show`, `allow` and `deny`: what a plugin requests, and what it is granted.
use super::{ASKS, Author, Running};
use crate::command_line::Typist as _;

#[test]
fn requests_of_a_plugin_are_granted_and_revoked_in_the_settings_file() {
    let author = Author::with(&["testbed.plain"]);
    author.ask("testbed.plain", ASKS);
    let file = author.folder.path().join("linepress.toml");
    std::fs::write(&file, "# ours\nbrand = \"A\" # short\n").unwrap();

    let told = author.reads(&["allow", "testbed.plain"]);
    assert!(told.contains("the audit log has no entry of this change"), "{told}");
    assert!(told.contains("to reach https://api.acme.com:443 (POST)"), "{told}");
    assert!(told.contains("--private http://127.0.0.1:8188"), "{told}");
    let told = author.reads(&[
        "allow",
        "testbed.plain",
        "--private",
        "http://127.0.0.1:8188",
        "--credential",
        "api_key=file:key.txt",
    ]);
    assert!(
        told.contains("not yet loaded: its credential api_key cannot be read"),
        "{told}"
    );
    std::fs::write(author.folder.path().join("key.txt"), "s3cret\n").unwrap();
    let shown = author.reads(&["show", "testbed.plain"]);
    for part in [
        "granted\thttp://127.0.0.1:8188, private",
        "granted\thttps://api.acme.com:443\n",
        "credential\tapi_key: the file key.txt",
    ] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    assert!(!shown.contains("missing") && !shown.contains("s3cret"), "{shown}");
    assert!(author.reads(&["list"]).contains("\tcan be loaded"));
    let settings = author.settings();
    assert!(settings.starts_with("# ours\nbrand = \"A\" # short\n"), "{settings}");
    assert!(
        settings.contains("[grants.\"testbed.plain\"]\ndigest = \""),
        "{settings}"
    );
    assert!(
        settings.contains("[credentials.\"testbed.plain\"]\napi_key = { file = \"key.txt\" }"),
        "{settings}"
    );

    // A changed folder is another plugin.
    std::fs::write(author.plugins().join("testbed.plain/NOTICE"), "new").unwrap();
    assert!(author.reads(&["list"]).contains("waiting for approval"));
    author.reads(&["deny", "testbed.plain"]);
    assert!(!author.settings().contains("grants"), "{}", author.settings());
    assert!(
        author
            .is_refused(&["deny", "testbed.plain"])
            .contains("nothing is granted")
    );
}

#[test]
fn nothing_is_granted_that_a_plugin_does_not_request() {
    let author = Author::with(&["testbed.plain", "testbed.slow"]);
    author.ask("testbed.plain", ASKS);
    for (arguments, words) in [
        (
            &["allow", "testbed.plain", "--origin", "https://evil.test"][..],
            "does not request https://evil.test:443",
        ),
        (
            &["allow", "testbed.plain", "--credential", "other=env:KEY"],
            "does not request a credential other",
        ),
        (
            &["allow", "testbed.plain", "--credential", "api_key=s3cret"],
            "not the secret itself",
        ),
        (
            &["allow", "testbed.plain", "--origin", "https://me@evil.test"],
            "must not hold a user name",
        ),
        (&["allow", "testbed.nobody"], "there is no plugin testbed.nobody"),
    ] {
        let told = author.is_refused(arguments);
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(author.settings(), "");
    assert!(author.reads(&["allow", "testbed.slow"]).contains("requests nothing"));
    assert_eq!(author.settings(), "");
    author.reads(&["allow", "testbed.plain", "--origin", "https://api.acme.com"]);
    assert!(!author.settings().contains("8188"));
}

#[test]
fn a_grant_in_the_environment_is_not_changed() {
    let author = Author::with(&[]);
    let settings = "[grants.flux]\ndigest = \"a\"\n";
    std::fs::write(author.folder.path().join("linepress.toml"), settings).unwrap();
    let mut deny = author.command(&["deny", "flux"]);
    let refused = deny.env("LINEPRESS_GRANTS__FLUX__DIGEST", "b").output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && told.contains("the grant of flux is set by environment variables"),
        "{told}"
    );
    assert_eq!(author.settings(), settings);
    author.reads(&["deny", "flux"]);
    assert!(!author.settings().contains("flux"), "{}", author.settings());
}

#[test]
fn nothing_is_granted_unrecorded_when_the_database_cannot_be_opened() {
    let author = Author::with(&["testbed.plain"]);
    author.ask("testbed.plain", ASKS);
    std::fs::write(author.folder.path().join("linepress.db"), "no database ".repeat(100)).unwrap();
    let told = author.is_refused(&["allow", "testbed.plain"]);
    assert!(told.contains("linepress.db"), "{told}");
    assert_eq!(author.settings(), "");
    let settings = "[grants.\"testbed.plain\"]\ndigest = \"a\"\n";
    std::fs::write(author.folder.path().join("linepress.toml"), settings).unwrap();
    author.is_refused(&["deny", "testbed.plain"]);
    assert_eq!(author.settings(), settings);
}

#[test]
fn a_running_server_applies_grants_and_revocations() {
    let author = Author::with(&["testbed.plain"]);
    author.ask(
        "testbed.plain",
        "[[http]]\norigin = \"https://api.acme.com\"\nmethods = [\"POST\"]\n",
    );
    let server = Running::start(author.folder.path());
    assert!(server.holds("linepress plugin allow testbed.plain"));
    author.reads(&["allow", "testbed.plain"]);
    server.until("plugin loaded plugin=\"testbed.plain\"");
    author.reads(&["deny", "testbed.plain"]);
    server.until("plugin removed");
    assert!(!server.holds("only after a restart"));

    let settings = author.folder.path().join("linepress.toml");
    std::fs::write(&settings, "workers = = 1\n").unwrap();
    server.until("the previous settings remain in use");
    std::fs::write(&settings, "workers = 1\n[plugins.\"testbed.plain\"]\nmodel = \"a\"\n").unwrap();
    server.until("only after a restart");
}
