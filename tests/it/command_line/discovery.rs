//! `linepress doctor`: its checks of the server from an agent's point of view.
use linepress::server;
use linepress_http::listener::{ConnectionLimits, serve};
use tokio::net::TcpListener;

use super::Operator;
use crate::test_app::TestApp;

/// Returns the doctor's findings about agents, on an installation whose server on `port` has this `public_url`.
async fn findings_about_agents(public_url: impl FnOnce(u16) -> String) -> String {
    findings("doctor", " agents: ", public_url).await
}

/// Returns the findings of a command that contain a text, on an installation whose server on `port` has this
/// `public_url`.
async fn findings(line: &str, text: &str, public_url: impl FnOnce(u16) -> String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let app = TestApp::builder()
        .config(|config| config.public_url = public_url(port))
        .start()
        .await;
    let router = server::router(app.server.clone());
    let served = tokio::spawn(serve(
        listener,
        router,
        ConnectionLimits::default(),
        std::future::pending(),
    ));
    let operator = Operator::new().await;
    let output = operator
        .command(line)
        .env("LINEPRESS_PUBLIC_URL", format!("http://127.0.0.1:{port}"))
        .output()
        .unwrap();
    served.abort();
    let report = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = report.lines().filter(|line| line.contains(text)).collect();
    lines.join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_finds_a_server_as_an_agent_does() {
    let told = findings_about_agents(|port| format!("http://127.0.0.1:{port}")).await;
    assert!(
        told.contains("ok       agents: http://127.0.0.1:") && told.contains("/mcp responds"),
        "{told}"
    );
    assert!(
        told.contains("note     agents: http://127.0.0.1:") && told.contains("is not https"),
        "{told}"
    );
    assert!(!told.contains("PROBLEM"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_reports_what_agents_would_reject() {
    let told = findings_about_agents(|_| "https://books.test".into()).await;
    for problem in [
        "names \"https://books.test/mcp\" as its resource, but the settings say \"http://127.0.0.1:",
        "names [\"https://books.test\"] as its authorization_servers",
        "names \"https://books.test\" as its issuer",
    ] {
        assert!(told.contains(problem), "{problem}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_checklist_for_directories_holds_except_for_a_local_address() {
    let told = findings("doctor --directory", " directory: ", |port| {
        format!("http://127.0.0.1:{port}")
    })
    .await;
    let problems: Vec<&str> = told.lines().filter(|line| line.starts_with("PROBLEM")).collect();
    assert!(
        matches!(problems[..], [line] if line.ends_with(" is not https")),
        "{told}"
    );
    for finding in [
        "ok       directory: the metadata of the authorization server names its endpoints",
        "ok       directory: the icons can be fetched",
        "ok       directory: all 50 tools have a title",
        "ok       directory: all 50 tools say whether they only read",
        "ok       directory: all 50 tools have a description without advertising",
        "ok       directory: the list of tools has ",
        "ok       directory: all 3 prompts have a name",
        "note     directory: a directory also asks for",
    ] {
        assert!(told.contains(finding), "{finding}: {told}");
    }
}

#[tokio::test]
async fn the_checklist_for_directories_requires_a_running_server() {
    let operator = Operator::new().await;
    let output = operator.types("doctor --directory");
    assert!(!output.status.success());
    let report = String::from_utf8(output.stdout).unwrap();
    for problem in [
        "PROBLEM  directory: http://127.0.0.1:9/.well-known/oauth-authorization-server cannot be fetched",
        "PROBLEM  directory: the icon http://127.0.0.1:9/assets/",
    ] {
        assert!(report.contains(problem), "{problem}: {report}");
    }
    assert!(!operator.reads("doctor").contains(" directory: "));
}

#[tokio::test]
async fn the_doctor_does_not_require_a_running_server() {
    let operator = Operator::new().await;
    let report = operator.reads("doctor");
    assert!(
        report.contains("note     agents: http://127.0.0.1:9 cannot be reached from here")
            && report.contains("Start the server"),
        "{report}"
    );
    assert!(report.contains("All is well."), "{report}");
    let output = operator
        .command("doctor")
        .env("LINEPRESS_PUBLIC_URL", "https://localhost:9")
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    for part in ["cannot be reached from here", "meant for a private network"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    operator
        .command("doctor")
        .env("LINEPRESS_PUBLIC_URL", "https://books.test/linepress")
        .output()
        .map(|output| assert!(super::error_of(&output).contains("must have no path")))
        .unwrap();
}
