//! Settings that prevent the start, and their error messages.
use super::{Operator, error_of};

#[tokio::test]
async fn a_wrong_setting_stops_the_start_and_names_itself() {
    let operator = Operator::new().await;
    for (name, value, words) in [
        (
            "LINEPRESS_LISTEN",
            "here",
            "LINEPRESS_LISTEN: \"here\" is not an IP address",
        ),
        (
            "LINEPRESS_LISTN",
            "127.0.0.1:1",
            "the environment variable LINEPRESS_LISTN is not a setting",
        ),
        (
            "LINEPRESS_LIMITS__PAGE",
            "1",
            "the environment variable LINEPRESS_LIMITS__PAGE is not a setting",
        ),
        ("LINEPRESS_DATABASE_URL", "postgres://ada:pa#ss@host/x", "%23 for #"),
        ("LINEPRESS_BRAND", "two words", "brand"),
        ("LINEPRESS_DATABASE_URL", "mysql://localhost", "database_url"),
    ] {
        let output = operator.command("account list").env(name, value).output().unwrap();
        assert!(!output.status.success(), "{name}");
        assert!(error_of(&output).contains(words), "{name}: {}", error_of(&output));
    }
    std::fs::write(operator.path().join("linepress.toml"), "colour = \"blue\"\n").unwrap();
    assert!(operator.is_refused("account list").contains("colour"));
}

#[tokio::test]
async fn an_error_in_the_settings_file_names_file_and_line() {
    let operator = Operator::new().await;
    for (text, words) in [
        (
            "brand = \"A\"\n\ncolour = \"blue\"\n",
            "linepress.toml, line 3: unknown field `colour`",
        ),
        (
            "brand = \"A\"\nworkers = -1\n",
            "linepress.toml, line 2: `workers`: must be a whole number, 0 or more",
        ),
        ("[limits]\npage = 1\n", "linepress.toml, line 2: unknown field `page`"),
        ("listen = \"localhost\"\n", "such as 127.0.0.1:8080"),
        (
            "[credentials.\"acme.flux\"]\napi_key = \"topsecret\"\n",
            "linepress.toml, line 2: `credentials.acme.flux.api_key`: must name the source of the secret and not contain \
             the secret itself: write `{ env = \"NAME\" }` or `{ file = \"PATH\" }`",
        ),
        (
            "[credentials]\n\"acme.flux\" = \"topsecret\"\n",
            "linepress.toml, line 2: `credentials.acme.flux`: must name the source of the secret",
        ),
        (
            "database_url = \"postgres://ada:topsecret@host/x\n",
            "linepress.toml, line 1: invalid basic string",
        ),
    ] {
        std::fs::write(operator.path().join("linepress.toml"), text).unwrap();
        let told = operator.is_refused("account list");
        assert!(told.contains(words), "{told}");
        assert!(!told.contains("topsecret"), "{told}");
    }
    let other = operator.is_refused("--config nowhere.toml account list");
    assert!(
        other.contains("the settings file nowhere.toml cannot be read"),
        "{other}"
    );
}

#[tokio::test]
async fn an_invalid_log_filter_is_refused_with_the_valid_levels() {
    let operator = Operator::new().await;
    for filter in ["loud", "info,loud", "linepress=loud"] {
        let output = operator
            .command("account list")
            .env("LINEPRESS_LOG", filter)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{filter}");
        let told = error_of(&output);
        assert!(told.contains("off, error, warn, info, debug or trace"), "{told}");
    }
    let fine = operator
        .command("account list")
        .env("LINEPRESS_LOG", "warn,sqlx=info")
        .output();
    assert!(fine.unwrap().status.success());
}

#[tokio::test]
async fn a_file_that_is_no_logo_stops_the_start_and_is_reported_by_the_doctor() {
    let operator = Operator::new().await;
    let logo = operator.path().join("logo.svg");
    let table = format!("[appearance]\nlogo = {:?}\n", logo.display().to_string());
    std::fs::write(operator.path().join("linepress.toml"), table).unwrap();
    let start = || {
        operator
            .command("serve")
            .env("LINEPRESS_LISTEN", "127.0.0.1:0")
            .output()
    };
    let unreadable = format!("`appearance.logo`: {} cannot be read: No such file", logo.display());
    assert!(error_of(&start().unwrap()).contains(&unreadable));
    std::fs::write(
        &logo,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"><script/></svg>",
    )
    .unwrap();
    let refused = error_of(&start().unwrap());
    assert!(refused.contains("logo.svg contains <script>: remove it"), "{refused}");
    let report = operator.types("doctor");
    assert!(!report.status.success());
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains("contains <script>") && report.contains("Name an SVG or PNG file"),
        "{report}"
    );
    // Commands that show no page do not need the logo.
    operator.reads("account list");
}

#[tokio::test]
async fn an_error_is_printed_once() {
    let operator = Operator::new().await;
    for (name, value, words) in [
        ("LINEPRESS_LISTEN", "here", "is not an IP address"),
        ("LINEPRESS_LISTN", "here", "is not a setting"),
        (
            "LINEPRESS_WORKERS",
            "many",
            "the environment variable LINEPRESS_WORKERS: must be a whole number",
        ),
        ("LINEPRESS_DATABASE_URL", "postgres://ada@[oo/x", "invalid IPv6 address"),
    ] {
        let told = error_of(&operator.command("account list").env(name, value).output().unwrap());
        assert_eq!(told.matches(words).count(), 1, "{told}");
    }
}
