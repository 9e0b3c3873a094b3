//! `linepress plugin calls` and `linepress plugin replay`: logged calls are listed and repeated.
use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::{Operator, error_of};
use crate::test_app::{TestApp, from_environment};
use crate::testing;

/// An operator of a server that has logged calls of `testbed.flaky`.
struct Repeater {
    app: TestApp,
    operator: Operator,
}

impl Repeater {
    /// Draws a page for each title.
    async fn after(titles: &[&str]) -> Self {
        let settings = json!({"fail": "asked", "seeds": "all", "model": "lines-2"});
        let app = TestApp::builder()
            .image_provider("testbed.flaky", settings)
            .start()
            .await;
        let ada = app.account(5).await;
        for title in titles {
            app.new_page(&ada, title).await;
        }
        app.draw_everything().await;
        testing::write_plugin_calls(&app.server).await.unwrap();
        let operator = Operator::new().await;
        Self { app, operator }
    }

    fn write_settings(&self, settings: &str) {
        fs::write(self.operator.path().join("linepress.toml"), settings).unwrap();
    }

    fn types(&self, line: &str) -> Output {
        let mut command = self.operator.command(line);
        command
            .env("LINEPRESS_DATABASE_URL", &self.app.server.config.database_url)
            .output()
            .unwrap()
    }

    #[track_caller]
    fn reads(&self, line: &str) -> String {
        let output = self.types(line);
        assert!(output.status.success(), "{line}: {}", error_of(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The id of a call with this outcome.
    fn call(&self, outcome: &str) -> String {
        let listed: Value = serde_json::from_str(&self.reads("plugin calls testbed.flaky --json")).unwrap();
        let mut calls = listed.as_array().unwrap().iter();
        let call = calls.find(|call| call["outcome"] == outcome).unwrap();
        call["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_logged_call_is_repeated_and_compared() {
    let repeater = Repeater::after(&["A fox"]).await;
    let id = repeater.call("completed");
    let listed = repeater.reads("plugin calls testbed.flaky");
    assert!(
        listed.lines().any(|line| line.starts_with(&format!("{id}\t"))),
        "{listed}"
    );

    let settings = "[plugins.\"testbed.flaky\"]\nmodel = \"lines-2\"\nfail = \"asked\"\nseeds = \"all\"\n";
    repeater.write_settings(settings);
    let told = repeater.reads(&format!("plugin replay {id}"));
    for line in [
        "version\t0.1.0\t0.1.0\tsame\n",
        "outcome\tcompleted\tcompleted\tsame\n",
        "model\tlines-2\tlines-2\tsame\n",
        "HTTP requests\t0\t0\tsame\n",
    ] {
        assert!(told.contains(line), "{line} is missing: {told}");
    }
    let sha256 = told.lines().find(|line| line.starts_with("picture sha256\t")).unwrap();
    assert!(sha256.ends_with("\tsame"), "{told}");
    assert!(told.contains("time\t") && !told.contains("left out"), "{told}");

    repeater.write_settings(&settings.replace("lines-2", "lines-3"));
    let told = repeater.reads(&format!("plugin replay {id}"));
    assert!(told.contains("model\tlines-2\tlines-3\tdifferent\n"), "{told}");
}

#[tokio::test]
async fn another_outcome_is_an_error() {
    let repeater = Repeater::after(&["A fox", "refused"]).await;
    let trap = from_environment("LINEPRESS_TEST_TESTBED").join("testbed.trap");
    let output = repeater.types(&format!(
        "plugin replay {} --against {}",
        repeater.call("completed"),
        trap.display()
    ));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("outcome\tcompleted\ttrapped\tdifferent\n"), "{told}");
    assert!(told.contains("error\t-\ttrapped"), "{told}");
    let refused = repeater.call("refused");
    repeater.write_settings("[plugins.\"testbed.flaky\"]\nfail = \"asked\"\nseeds = \"all\"\n");
    let told = repeater.reads(&format!("plugin replay {refused}"));
    assert!(told.contains("outcome\trefused\trefused\tsame\n"), "{told}");
}

#[tokio::test]
async fn what_cannot_be_repeated_is_refused() {
    let repeater = Repeater::after(&["A fox"]).await;
    let id = repeater.call("completed");
    let echo = from_environment("LINEPRESS_TEST_TESTBED").join("testbed.echo");
    for (line, words) in [
        ("plugin replay call_1".to_owned(), "no call call_1 is stored"),
        (
            format!("plugin replay {id} --version 9.9.9"),
            "version 9.9.9 of testbed.flaky is not installed by name; installed versions: none",
        ),
        (
            format!("plugin replay {id} --against {}", echo.display()),
            "the logged call is of the function draw",
        ),
    ] {
        let output = repeater.types(&line);
        assert!(!output.status.success(), "{line}");
        assert!(error_of(&output).contains(words), "{line}: {}", error_of(&output));
    }
}
