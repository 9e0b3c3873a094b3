//! Forged files, old indexes, and names that look like others.
use serde_json::{Value, json};

use super::{API, INSTALL, Market, UPDATE};
use crate::command_line::Typist as _;
use crate::test_app::from_environment;

#[test]
fn a_forged_index_or_archive_installs_nothing() {
    let market = Market::new();
    let archive = market.path("site/archives/testbed.plain/testbed.plain-0.1.0.tar.gz");
    let whole = std::fs::read(&archive).unwrap();
    let index = std::fs::read(market.path("site/index.json")).unwrap();
    let refused = |words: &str| {
        let told = market.is_refused(&INSTALL);
        assert!(told.contains(words), "{words}: {told}");
        market.has_nothing();
    };

    let mut changed = whole.clone();
    changed[100] ^= 1;
    std::fs::write(&archive, &changed).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, [&whole[..], b"more"].concat()).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, &whole[..1000]).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, &whole).unwrap();

    std::fs::write(
        market.path("site/index.json"),
        String::from_utf8_lossy(&index).replace("\"sig\": \"", "\"sig\": \"A"),
    )
    .unwrap();
    refused("is not signed with a trusted key");
    std::fs::write(market.path("site/index.json"), "{}").unwrap();
    refused("is no signed file");

    let forged = [
        (
            "/plugins/0/digest",
            json!("b".repeat(64)),
            "not signed with the key of its publisher",
        ),
        ("/plugins/0/archive/bytes", json!(1_u64 << 40), "at most"),
        (
            "/plugins/0/archive/url",
            json!("../key.pem"),
            "not in the folder of the registry",
        ),
        (
            "/plugins/0/world",
            json!("linepress:image/image-provider@0.9"),
            "another version; this host supports",
        ),
        (
            "/plugins/0/id",
            json!("testbed.рlain"),
            "lowercase words of ASCII letters",
        ),
        ("/plugins/0/description", json!("a\u{1b}[2J"), "not one line"),
        ("/format", json!(2), "upgrade it"),
    ];
    for (serial, (field, value, words)) in (2..).zip(forged) {
        std::fs::write(market.path("site/index.json"), &index).unwrap();
        market.forge(|index| {
            index["serial"] = json!(serial);
            *index.pointer_mut(field).unwrap() = value;
        });
        refused(words);
    }

    // Even the publisher cannot have one folder signed and another one delivered.
    let digest = "b".repeat(64);
    let statement = format!("testbed.plain\n0.1.0\n{digest}\n");
    let signature = market.signature("application/vnd.linepress.plugin-release.v1", statement.as_bytes());
    std::fs::write(market.path("site/index.json"), &index).unwrap();
    market.forge(|index| {
        index["serial"] = json!(99);
        index["plugins"][0]["digest"] = json!(digest);
        index["plugins"][0]["signature"] = json!(signature);
    });
    refused("are not those that its publisher signed");
}

#[test]
fn an_older_index_is_refused_as_a_replay() {
    let market = Market::new();
    let old = std::fs::read(market.path("site/index.json")).unwrap();
    market.publishes("0.2.0", API);
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    std::fs::write(market.path("site/index.json"), old).unwrap();
    for arguments in [&UPDATE[..], &["search"]] {
        let refused = market.is_refused(arguments);
        assert!(refused.contains("number 2 was read before"), "{refused}");
    }
}

#[test]
fn a_search_and_an_update_remember_the_index() {
    let market = Market::new();
    market.reads(&INSTALL);
    let index = || std::fs::read(market.path("site/index.json")).unwrap();
    let replay = |old: &[u8]| {
        let new = index();
        std::fs::write(market.path("site/index.json"), old).unwrap();
        assert!(market.is_refused(&["search"]).contains("was read before"));
        std::fs::write(market.path("site/index.json"), new).unwrap();
    };
    let one = index();
    market.publishes("0.0.2", API);
    market.reads(&["search"]);
    replay(&one);
    let two = index();
    market.publishes("0.0.3", API);
    assert!(market.reads(&UPDATE).contains("the registry has no newer version"));
    replay(&two);
}

#[test]
fn a_folder_of_the_operator_and_a_similar_name_are_left_alone() {
    let market = Market::new();
    let own = market.path("plugins.d/own");
    std::fs::create_dir(&own).unwrap();
    for file in ["plugin.toml", "plugin.wasm"] {
        let from = from_environment("LINEPRESS_TEST_TESTBED")
            .join("testbed.plain")
            .join(file);
        std::fs::copy(from, own.join(file)).unwrap();
    }
    let refused = market.is_refused(&INSTALL);
    assert!(refused.contains("a folder of your own"), "{refused}");
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["source"], "a folder");
    let refused = market.is_refused(&["install", "testbed.p1ain", "--yes"]);
    assert!(refused.contains("looks like testbed.plain"), "{refused}");
    assert!(
        market
            .is_refused(&["remove", "testbed.plain"])
            .contains("not installed by name")
    );
    assert!(own.is_dir());
    for wrong in ["Testbed.plain", "../site", "testbed.plain@1"] {
        assert!(market.is_refused(&["install", wrong]).contains("must be a plugin's id"));
    }
}
