//! Databases that are missing, broken or out of reach.
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use linepress_platform::database::Database;

use super::{Operator, error_of};
use crate::test_app::block_until;

/// Returns the error message of a command that cannot use its database. Fails unless the command ends by itself and
/// prints a single line without the password.
#[track_caller]
fn told(operator: &Operator, line: &str, url: &str) -> String {
    let mut command = operator.command(line);
    let mut process = command
        .env("LINEPRESS_DATABASE_URL", url)
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        // A server would otherwise wait for its database at its start.
        .env("LINEPRESS_DATABASE_WAIT_SECONDS", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    block_until(&format!("{line} ends on {url}"), || {
        process.try_wait().unwrap().is_some()
    });
    let output = process.wait_with_output().unwrap();
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
        (
            "postgres://ada:pa@topsecret/w#d@host/books".into(),
            "setting `database_url`: has an @, /, ? or # in a place where it ends the password early",
        ),
        (
            "postgres://ada:topsecret@host:70000/books".into(),
            "setting `database_url`: has an invalid port: it must be a number from 1 to 65535",
        ),
        (
            "postgres://ada:topsecret@host/books?sslmode=bananas".into(),
            "setting `database_url`: has an unknown sslmode. It must be one of disable, allow, prefer, require, \
             verify-ca, verify-full",
        ),
    ] {
        for line in ["account list", "serve"] {
            let told = told(&operator, line, &url);
            assert!(told.contains(words), "{told}");
        }
    }
    let nowhere = format!("sqlite://{}?mode=rwc", file("nowhere/x.db"));
    let told = told(&operator, "serve", &nowhere);
    let words = format!("the folder {} of `database_url` does not exist", file("nowhere"));
    assert!(told.contains(&words), "{told}");
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

#[tokio::test]
async fn what_a_server_creates_is_its_owners_alone() {
    let operator = Operator::before_the_first_start().await;
    let data = operator.path().join("data");
    let objects = operator.path().join("store/objects");
    // It existed before, and keeps its permissions.
    let store = operator.path().join("store");
    std::fs::create_dir(&store).unwrap();
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut server = operator
        .command("serve")
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .env("LINEPRESS_DATA_DIR", &data)
        .env("LINEPRESS_PLUGINS_DIR", operator.path().join("plugins.d"))
        .env("LINEPRESS_STORAGE_URL", format!("file://{}", objects.display()))
        .spawn()
        .unwrap();
    let mark = objects.join("linepress-store");
    block_until("the server has created its folders", || {
        mark.exists() && data.join("incoming").exists()
    });
    // Compiling takes a while, and the folders are there already.
    server.kill().unwrap();
    server.wait().unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store), 0o755);
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("incoming")), 0o700);
    assert_eq!(mode(&objects), 0o700);
    assert_eq!(mode(&mark), 0o600);
}

#[tokio::test]
async fn a_server_without_its_object_store_says_so_at_its_start() {
    let operator = Operator::new().await;
    let database = Database::connect(&operator.database, 1).await.unwrap();
    let mut tx = database.begin().await.unwrap();
    // The database knows its store, and the folder, which is new, is another.
    sqlx::query("INSERT INTO secrets (name, value) VALUES ('object_store', 'a1b2c3')")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    database.close().await;
    let mut server = operator
        .command("serve")
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let find = move || {
        lines
            .map_while(Result::ok)
            .find(|line| line.contains("the object store is missing"))
    };
    // The first start compiles the plugins.
    let found = tokio::time::timeout(Duration::from_secs(300), tokio::task::spawn_blocking(find)).await;
    server.kill().unwrap();
    server.wait().unwrap();
    let line = found.unwrap().unwrap().unwrap();
    assert!(line.contains("ERROR") && line.contains("write a1b2c3 into"), "{line}");
}

#[tokio::test]
async fn a_server_opens_as_many_files_as_the_system_allows() {
    let operator = Operator::before_the_first_start().await;
    let plain = operator.command("serve");
    let mut shell = Command::new("sh");
    // The shell becomes the server, which inherits its limits.
    shell
        .args(["-c", "ulimit -S -n 256 && exec \"$0\" serve"])
        .arg(plain.get_program());
    let variables = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut server = shell
        .envs(variables)
        .env("LINEPRESS_LISTEN", "127.0.0.1:0")
        .current_dir(operator.path())
        .spawn()
        .unwrap();
    let about = |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", server.id())).unwrap();
    block_until("the server raises its soft limit of open files to the hard one", || {
        let text = about("limits");
        let line = text.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let mut limits = line.split_whitespace().skip(3);
        let (soft, hard) = (limits.next().unwrap(), limits.next().unwrap());
        // The shell has lowered the limit when it becomes the server.
        about("comm").trim() != "sh" && soft == hard
    });
    server.kill().unwrap();
    server.wait().unwrap();
}
