//! What packages of the program rely on: systemd's notifications, manual pages and completions.
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use super::Operator;

#[tokio::test]
async fn a_server_notifies_systemd_when_it_is_ready_and_when_it_stops() {
    let operator = Operator::before_the_first_start().await;
    let path = operator.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    // The first start compiles the plugins.
    socket.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
    let next = || {
        let mut message = [0; 64];
        let size = socket.recv(&mut message).unwrap();
        String::from_utf8(message[..size].to_vec()).unwrap()
    };
    let mut server = operator
        .command("serve")
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .env("NOTIFY_SOCKET", &path)
        .spawn()
        .unwrap();
    assert_eq!(next(), "READY=1\n");
    let terminated = Command::new("kill").arg(server.id().to_string()).status().unwrap();
    assert!(terminated.success());
    assert_eq!(next(), "STOPPING=1\n");
    assert!(server.wait().unwrap().success());
}

#[tokio::test]
async fn every_command_has_a_manual_page() {
    let operator = Operator::before_the_first_start().await;
    operator.reads("manual documents");
    let read = |name: &str| std::fs::read_to_string(operator.path().join("documents").join(name)).unwrap();
    assert!(read("man/linepress.1").contains("linepress\\-doctor(1)"));
    assert!(read("man/linepress-account-create.1").contains("\\-\\-credits"));
    assert!(
        !operator.path().join("documents/man/linepress-render.1").exists(),
        "a hidden command"
    );
    for completions in ["linepress.bash", "linepress.fish", "_linepress"] {
        assert!(
            read(&format!("completions/{completions}")).contains("account"),
            "{completions}"
        );
    }
}
