//! Databases that are missing, broken or out of reach.
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use linepress_platform::database::Database;

use super::{Operator, error_of};

/// Returns the error message of a command that cannot use its database. Fails unless the command ends within five
/// seconds and prints a single line without the password.
#[track_caller]
fn told(operator: &Operator, line: &str, url: &str) -> String {
    let begin = Instant::now();
    let mut command = operator.command(line);
    let output = command
        .env("LINEPRESS_DATABASE_URL", url)
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        // A server would otherwise wait for its database at its start.
        .env("LINEPRESS_DATABASE_WAIT_SECONDS", "0")
        .output();
    let output = output.unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{line} {url} took {:?}",
        begin.elapsed()
    );
    assert!(!output.status.success(), "{line} {url}");
    let told = error_of(&output);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(!told.contains("topsecret"), "{told}");
    told
}

#[tokio::test]
async fn only_the_server_makes_a_database() {
    let operator = Operator::before_the_first_start().await;
    let empty = tempfile::tempdir().unwrap();
    for line in [
        "account create --email ada@example.com",
        "account list",
        "key list --email ada@example.com",
        "doctor",
    ] {
        let mut command = operator.command(line);
        let output = command
            .current_dir(empty.path())
            .env("LINEPRESS_DATA_DIR", "data")
            .output()
            .unwrap();
        assert!(!output.status.success(), "{line}");
        let told = error_of(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("`linepress serve` creates it"), "{line}: {told}");
        if line != "doctor" {
            assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0, "{line}");
        }
    }
    let files = std::fs::read_dir(operator.path()).unwrap();
    let is_database = |name: &str| name.ends_with(".db");
    assert!(
        !files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .any(|name| is_database(&name))
    );
}

#[tokio::test]
async fn a_database_of_another_version_is_left_as_it_is() {
    let operator = Operator::new().await;
    let change = async |statement: &'static str| {
        let database = Database::connect(&operator.database, 1).await.unwrap();
        let mut tx = database.begin().await.unwrap();
        sqlx::query(statement).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        database.close().await;
    };
    change("UPDATE _sqlx_migrations SET version = 90000000000000 WHERE version = 20261122000001").await;
    for line in ["account list", "serve"] {
        let mut command = operator.command(line);
        let output = command.env("LINEPRESS_LISTEN", "127.0.0.1:0").output().unwrap();
        let told = error_of(&output);
        assert!(
            told.contains("has a later version than this program; update the program"),
            "{told}"
        );
        assert!(!told.contains("previously applied"), "{told}");
    }
    change("DELETE FROM _sqlx_migrations WHERE version = 90000000000000").await;
    assert!(
        operator
            .is_refused("account list")
            .contains("`linepress serve` migrates it")
    );
}

#[tokio::test]
async fn a_database_that_cannot_be_used_says_what_is_wrong_and_where() {
    let operator = Operator::before_the_first_start().await;
    let file = |name: &str| operator.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(file("junk.db"), [7; 20_000]).unwrap();
    std::fs::create_dir(file("folder.db")).unwrap();
    for (url, words) in [
        (
            format!("sqlite://{}?mode=rwc", file("junk.db")),
            "junk.db cannot be opened",
        ),
        (
            format!("sqlite://{}?mode=rwc", file("junk.db")),
            "file is not a database",
        ),
        (
            format!("sqlite://{}?mode=rwc", file("folder.db")),
            "folder.db cannot be opened",
        ),
        (
            "postgres://ada:topsecret@127.0.0.1:1/books".into(),
            "postgres://ada@127.0.0.1:1/books cannot be opened",
        ),
        (
            "postgres://ada:topsecret@127.0.0.1:1/books".into(),
            "Connection refused",
        ),
        (
            "postgres://ada:topsecret@[oo/books".into(),
            "setting `database_url`: is not a URL",
        ),
    ] {
        for line in ["account list", "serve"] {
            let told = told(&operator, line, &url);
            assert!(told.contains(words), "{told}");
        }
    }
    let nowhere = format!("sqlite://{}?mode=rwc", file("nowhere/x.db"));
    assert!(told(&operator, "serve", &nowhere).contains("nowhere/x.db cannot be created: No such file"));
}

#[tokio::test]
async fn a_database_server_that_accepts_and_never_responds_is_given_up_soon() {
    let operator = Operator::before_the_first_start().await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let told = told(
        &operator,
        "account list",
        &format!("postgres://ada:topsecret@{address}/books"),
    );
    assert!(told.contains("did not respond within 4 seconds"), "{told}");
}

#[tokio::test]
async fn a_server_binds_its_address_at_once_and_accepts_connections_when_it_is_ready() {
    let operator = Operator::before_the_first_start().await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = port.local_addr().unwrap();
    drop(port);
    let mut serve = operator.command("serve");
    let mut server = serve
        .env(
            "LINEPRESS_DATABASE_URL",
            format!("postgres://ada@{}/books", silent.local_addr().unwrap()),
        )
        .env("LINEPRESS_LISTEN", listen.to_string())
        .spawn()
        .unwrap();
    // The server connects to its database, which does not respond.
    let _asked = silent.accept().unwrap();
    let refused = std::net::TcpStream::connect(listen).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    server.kill().unwrap();
    server.wait().unwrap();

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut serve = operator.command("serve");
    let output = serve
        .env("LINEPRESS_LISTEN", taken.local_addr().unwrap().to_string())
        .output();
    let told = error_of(&output.unwrap());
    assert!(told.contains("cannot listen on") && told.contains("in use"), "{told}");
}

#[tokio::test]
async fn a_failing_command_prints_the_cause() {
    let operator = Operator::new().await;
    let database = Database::connect(&operator.database, 1).await.unwrap();
    let mut tx = database.begin().await.unwrap();
    sqlx::query("ALTER TABLE accounts RENAME TO lost")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    database.close().await;
    let told = operator.is_refused("account list");
    assert!(
        told.contains("accounts") && !told.contains("Something went wrong"),
        "{told}"
    );
}

#[tokio::test]
async fn a_postgresql_server_without_tls_is_reported_if_tls_is_required() {
    use std::io::{Read as _, Write as _};
    let operator = Operator::before_the_first_start().await;
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut asked, _) = server.accept().unwrap();
        // The request for TLS has eight bytes, and N refuses it.
        asked.read_exact(&mut [0; 8]).unwrap();
        asked.write_all(b"N").unwrap();
    });
    let url = format!("postgres://ada:topsecret@{address}/books?sslmode=require");
    let told = told(&operator, "account list", &url);
    assert!(told.contains("server does not support TLS"), "{told}");
}

#[tokio::test]
async fn a_read_only_database_is_reported() {
    let operator = Operator::new().await;
    let url = if operator.database.starts_with("sqlite") {
        operator.database.replace("mode=rwc", "mode=ro")
    } else {
        format!("{}?options=-c%20default_transaction_read_only%3Don", operator.database)
    };
    for line in ["account list", "serve"] {
        let told = told(&operator, line, &url);
        assert!(told.contains("cannot be written"), "{told}");
    }
}

#[tokio::test]
async fn a_sqlite_file_is_private_to_its_owner() {
    let operator = Operator::new().await;
    if !operator.database.starts_with("sqlite") {
        return;
    }
    // An open transaction keeps the additional files in place.
    let database = Database::connect(&operator.database, 1).await.unwrap();
    let held = database.begin().await.unwrap();
    let file = operator.path().join("test.db");
    for suffix in ["", "-wal", "-shm"] {
        let path = format!("{}{suffix}", file.display());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
    drop(held);
    database.close().await;
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let output = operator.types("doctor");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("every user of this machine may read it"), "{report}");
    assert!(report.contains("chmod 600"), "{report}");
}

#[tokio::test]
async fn a_database_restored_with_public_permissions_is_made_private() {
    let operator = Operator::new().await;
    let Some(file) = operator.database.strip_prefix("sqlite://") else {
        return;
    };
    let file = file.split('?').next().unwrap();
    let mode = || std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
    for (restored, corrected) in [(0o644, 0o640), (0o666, 0o660), (0o640, 0o640)] {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(restored)).unwrap();
        let database = Database::connect(&operator.database, 1).await.unwrap();
        database.close().await;
        assert_eq!(mode(), corrected, "{restored:o}");
    }
}
