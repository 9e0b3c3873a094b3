//! `linepress doctor`.
use std::process::Stdio;

use linepress_core::objects::{self, Comparison, Thoroughness};
use sqlx::Connection as _;

use super::Operator;
use crate::test_app::{Log, TestApp, pictures};

#[tokio::test]
async fn the_doctor_finds_nothing_wrong_with_a_good_installation() {
    let operator = Operator::new().await;
    let report = operator.reads("doctor");
    for part in [
        "ledger",
        "storage",
        "image_providers",
        "planner",
        "layout",
        "template us_letter.typ",
        "All is well.",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[tokio::test]
async fn nothing_in_a_plugin_folder_reaches_the_terminal_as_a_command() {
    let operator = Operator::new().await;
    let folder = operator.path().join("plugins.d/\u{1b}[31mred");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("plugin.toml"), "\"\u{1b}[2J\" = 1").unwrap();
    let output = operator.types("doctor");
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("[31mred"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");

    // A starting server logs the same.
    let app = TestApp::start().await;
    let plugins_dir = operator.path().join("plugins.d");
    let node = app.another_node_with(|config| config.plugins_dir = plugins_dir).await;
    let log = Log::default();
    let captured = log.capture();
    node.warn_of_refused_plugins();
    node.warn_of_missing_plugins();
    drop(captured);
    let text = log.lines().join("\n");
    let errors: Vec<_> = text.lines().filter(|line| line.contains("ERROR")).collect();
    let is_told = |line: &str| line.contains("[31mred") && line.contains("reason=\"its plugin.toml");
    assert!(matches!(errors[..], [line] if is_told(line)), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[tokio::test]
async fn a_refused_plugin_is_reported_once() {
    let operator = Operator::new().await;
    let folder = operator.path().join("plugins.d/broken");
    std::fs::create_dir(&folder).unwrap();
    let manifest = "manifest = 1\nid = \"acme.broken\"\nversion = \"1.0.0\"\n\
        world = \"linepress:planner/book-planner@0.1\"\nwasm = { path = \"plugin.wasm\", sha256 = \"00\" }\n";
    std::fs::write(folder.join("plugin.toml"), manifest).unwrap();
    let output = operator
        .command("doctor")
        .env("LINEPRESS_PLANNER", "acme.broken")
        .output()
        .unwrap();
    let told = super::error_of(&output) + &String::from_utf8_lossy(&output.stdout);
    let refusals = told.replace("Connection refused", "").matches("refused").count();
    assert_eq!(refusals, 2, "{told}");
    assert!(!told.contains("acme.broken"), "{told}");
    assert!(told.contains("PROBLEM  planner: "), "{told}");
    assert!(told.contains("1 problem."), "{told}");
}

#[tokio::test]
async fn a_plugin_of_the_wrong_kind_for_its_setting_is_reported() {
    let operator = Operator::new().await;
    let mut doctor = operator.command("doctor");
    let output = doctor.env("LINEPRESS_LAYOUT", "linepress.storyboard").output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let words = "PROBLEM  layout: linepress.storyboard is a plugin of the kind planner, which `layout` does not accept";
    assert!(report.contains(words), "{report}");
}

#[tokio::test]
async fn a_damaged_page_of_the_database_is_found_by_a_full_check() {
    let operator = Operator::new().await;
    if !operator.database.starts_with("sqlite") {
        return;
    }
    let file = operator.path().join("test.db");
    // Damages an index that opening the database does not read. Pages are counted from one.
    let mut connection = sqlx::AnyConnection::connect(&operator.database).await.unwrap();
    let page: i64 = sqlx::query_scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'editions_by_account'")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let start = (usize::try_from(page).unwrap() - 1) * 4096;
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[start..start + 4096].fill(0x5A);
    std::fs::write(&file, bytes).unwrap();
    let output = operator.types("doctor --full");
    assert!(!output.status.success());
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("the file is damaged: "), "{report}");
    assert!(report.contains("restore a backup"), "{report}");

    // A database that cannot be opened any more is reported in the same way.
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0x5A);
    std::fs::write(&file, bytes).unwrap();
    let report = String::from_utf8(operator.types("doctor").stdout).unwrap();
    assert!(
        report.contains("malformed") && report.contains("restore a backup"),
        "{report}"
    );
}

#[tokio::test]
async fn the_doctor_says_how_to_fix_what_is_wrong() {
    let operator = Operator::new().await;
    std::fs::create_dir(operator.path().join("plugins.d/broken")).unwrap();
    let output = operator
        .command("doctor")
        .env("LINEPRESS_PLANNER", "acme.absent")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(
        report.contains("PROBLEM  planner: the plugin acme.absent is not loaded"),
        "{report}"
    );
    assert!(report.contains("broken was refused"), "{report}");
    assert!(report.contains("2 problems."), "{report}");
}

#[tokio::test]
async fn the_doctor_continues_without_a_database() {
    let operator = Operator::before_the_first_start().await;
    let report = String::from_utf8(operator.types("doctor").stdout).unwrap();
    assert!(report.contains("PROBLEM  database: "), "{report}");
    for part in [
        "ok       storage",
        "ok       planner",
        "ok       template us_letter.typ",
        "1 problem.",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[tokio::test]
async fn the_doctor_names_the_faulty_folder() {
    for (in_the_way, fault) in [("incoming", "incoming"), ("objects", "objects")] {
        let operator = Operator::new().await.with_objects_in_a_folder();
        std::fs::write(operator.path().join(in_the_way), "").unwrap();
        let output = operator.types("doctor");
        assert!(!output.status.success());
        let report = String::from_utf8(output.stdout).unwrap();
        let path = operator.path().join(fault);
        assert!(
            report.contains(&format!("`data_dir`: {} is not a folder", path.display())),
            "{report}"
        );
        assert!(
            report.contains(&format!("Move the file {} away", path.display())),
            "{report}"
        );
    }
    let operator = Operator::new().await;
    let compiled = operator.path().join("compiled-plugins");
    std::fs::remove_file(&compiled).unwrap();
    std::fs::write(&compiled, "").unwrap();
    let report = String::from_utf8(operator.types("doctor").stdout).unwrap();
    assert!(
        report.contains(&format!("Make {} writable", compiled.display())),
        "{report}"
    );
    assert!(report.contains("1 problem."), "{report}");
}

async fn compare(app: &TestApp, thoroughness: Thoroughness) -> Comparison {
    objects::compare(&app.server, thoroughness).await.unwrap()
}

#[tokio::test]
async fn objects_and_the_database_are_compared_in_both_directions() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let drawn = app.ready_page(&ada, "A fox").await;
    let replaced = app.imported_page(&ada, "An owl").await;
    let form = crate::test_app::Form::image(&pictures::png(576, 768));
    let reply = ada.send_form("PUT", &format!("/pages/{replaced}/image"), form).await;
    assert_eq!(reply.status, 200);
    for thoroughness in [Thoroughness::Sample, Thoroughness::Full] {
        let found = compare(&app, thoroughness).await;
        // The replaced picture and its print master belong to an earlier attempt.
        assert_eq!((found.looked_for, found.looked_at), (6, 6));
        assert!(
            found.is_complete && found.missing.is_empty() && found.orphans.is_empty(),
            "{found:?}"
        );
    }

    app.server
        .storage
        .put("imports/stray/image.png", "stray")
        .await
        .unwrap();
    let lost: String = sqlx::query_scalar(
        "SELECT image_key FROM artworks JOIN pages ON pages.artwork_id = artworks.id WHERE pages.id = $1",
    )
    .bind(drawn)
    .fetch_one(&app.server.database.read)
    .await
    .unwrap();
    app.server.storage.delete(&lost).await.unwrap();
    let master = lost.replace("image.png", "master.pdf");
    let whole = app.server.storage.get(&master).await.unwrap().unwrap();
    app.server
        .storage
        .put(&master, whole.slice(..whole.len() - 1))
        .await
        .unwrap();
    for thoroughness in [Thoroughness::Sample, Thoroughness::Full] {
        let found = compare(&app, thoroughness).await;
        assert_eq!(found.orphans, ["imports/stray/image.png"]);
        let missing: Vec<_> = found.missing.iter().map(|object| &object.key).collect();
        assert_eq!(missing, [&lost]);
        let damaged: Vec<_> = found.damaged.iter().map(|object| &object.key).collect();
        assert_eq!(damaged, [&master]);
    }
}

#[tokio::test]
async fn a_sample_is_part_of_the_objects() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    for number in 0..1200 {
        // The storage itself would wait for the disk each time.
        let folder = app.object_folder().join(format!("imports/{number}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("image.png"), "stray").unwrap();
    }
    let sample = compare(&app, Thoroughness::Sample).await;
    assert_eq!(
        (sample.is_complete, sample.looked_at, sample.orphans.len()),
        (false, 1000, 1000)
    );
    let full = compare(&app, Thoroughness::Full).await;
    assert_eq!(
        (full.is_complete, full.looked_at, full.orphans.len()),
        (true, 1200, 1200)
    );
}

#[tokio::test]
async fn the_doctor_reports_objects_without_a_reference() {
    let operator = Operator::new().await.with_objects_in_a_folder();
    for number in 0..102 {
        let folder = operator.path().join(format!("objects/imports/stray-{number:03}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("image.png"), "").unwrap();
    }
    for line in ["doctor", "doctor --full"] {
        let report = operator.reads(line);
        for words in [
            "note     objects: ",
            "are not referred to by the database. They take space and do no harm.",
            "`linepress doctor --delete-unreferenced` deletes those that are older than a day\n",
            "- imports/stray-000/image.png\n",
            "- imports/stray-099/image.png\n",
            "and 2 more\n",
        ] {
            assert!(report.contains(words), "{words}: {report}");
        }
    }
}

#[tokio::test]
async fn the_doctor_deletes_old_objects_that_nothing_names_when_it_is_asked_to() {
    let operator = Operator::new().await.with_objects_in_a_folder();
    let file = |name: &str| operator.path().join(format!("objects/imports/{name}/image.png"));
    for (name, hours) in [("old", 25), ("young", 23)] {
        std::fs::create_dir_all(file(name).parent().unwrap()).unwrap();
        let written = std::fs::File::create(file(name)).unwrap();
        let age = std::time::Duration::from_secs(hours * 3600);
        written.set_modified(std::time::SystemTime::now() - age).unwrap();
    }
    operator.reads("doctor --full");
    assert!(file("old").exists() && file("young").exists());
    let report = operator.reads("doctor --delete-unreferenced");
    for words in [
        "- imports/old/image.png\n",
        "- imports/young/image.png\n",
        "ok       objects: 1 objects without a reference were deleted\n",
        "note     objects: 1 objects without a reference remain, because they are younger than 24 hours\n",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(!file("old").exists() && file("young").exists());
}

#[tokio::test]
async fn a_command_whose_output_is_closed_ends_quietly() {
    let operator = Operator::new().await;
    for line in [
        "doctor",
        "account list",
        "plugin list --json",
        "account create --email ada@example.com",
    ] {
        let mut command = operator.command(line);
        let mut command = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(command.stdout.take());
        let output = command.wait_with_output().unwrap();
        let told = super::error_of(&output);
        assert!(output.status.success() && !told.contains("panicked"), "{line}: {told}");
    }
}

#[tokio::test]
async fn the_age_of_the_last_backup_is_reported_and_an_old_one_is_a_problem() {
    let operator = Operator::new().await;
    let report = operator.reads("doctor");
    assert!(report.contains("none was completed in the last 90 days"), "{report}");
    let place = operator.path().join("copies");
    let doctor = || {
        let mut command = operator.command("doctor");
        let output = command.env("LINEPRESS_BACKUP__DIR", &place).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (is_well, report) = doctor();
    assert!(
        !is_well && report.contains("copies was completed in the last 90 days"),
        "{report}"
    );

    operator.reads("backup elsewhere");
    assert!(!doctor().0);
    operator.reads("backup copies");
    let (is_well, report) = doctor();
    assert!(is_well && report.contains("copies was made a minute ago"), "{report}");
    sqlx::any::install_default_drivers();
    let mut database = sqlx::AnyConnection::connect(&operator.database).await.unwrap();
    sqlx::query("UPDATE backups SET began_at = began_at - $1 WHERE target LIKE '%copies'")
        .bind(49 * 3_600_000_000_i64)
        .execute(&mut database)
        .await
        .unwrap();
    database.close().await.unwrap();
    let (is_well, report) = doctor();
    assert!(!is_well && report.contains("copies was made 2 days ago"), "{report}");
    assert!(report.contains("`backup failed`"), "{report}");
    let report = operator.reads("doctor");
    assert!(report.contains("the last one was made a minute ago"), "{report}");
}
