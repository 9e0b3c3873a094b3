//! `GET /books/{id}/package`.
use std::io::{Cursor, Read as _};

use serde_json::{Value, json};
use zip::ZipArchive;

use crate::test_app::{Actor, Form, TestApp, pictures};

/// The files of an archive, in their order.
fn files(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    let files = 0..archive.len();
    files
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn content<'a>(files: &'a [(String, Vec<u8>)], name: &str) -> &'a [u8] {
    let file = files.iter().find(|(path, _)| path.ends_with(&format!("/{name}")));
    &file.unwrap_or_else(|| panic!("there is no {name}")).1
}

/// A book with enough drawings for a paperback.
async fn book(app: &TestApp, ada: &Actor) -> String {
    let titles: Vec<String> = (1..=13).map(|number| format!("A fox with lantern {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    format!("/books/{}", app.ready_book(ada, &titles).await)
}

#[tokio::test]
async fn a_package_contains_all_files_for_a_printer() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = book(&app, &ada).await;
    for edition in ["kdp", "lulu"] {
        let query = format!("edition={edition}&format=us_letter");
        let reply = ada.get(&format!("{book}/package?{query}")).await;
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        assert_eq!(reply.header("content-type"), "application/zip");
        assert_eq!(
            reply.header("content-disposition"),
            format!("attachment; filename=\"woodland-friends-us_letter-{edition}.zip\"")
        );
        let files = files(&reply.body);
        let folder = format!("woodland-friends-us_letter-{edition}/");
        let mut names: Vec<&str> = files
            .iter()
            .map(|(name, _)| name.strip_prefix(&folder).unwrap())
            .collect();
        let pages = names.split_off(6);
        assert_eq!(
            names,
            [
                "README.txt",
                "interior.pdf",
                "cover.pdf",
                "front.jpg",
                "kdp-kit.txt",
                "kdp-kit.json"
            ]
        );
        assert_eq!(
            (pages.len(), pages[0], pages[12]),
            (13, "pages/page-001.png", "pages/page-013.png")
        );
        for part in ["interior", "cover"] {
            let pdf = ada.get(&format!("{book}/pdf?{query}&part={part}")).await;
            assert!(content(&files, &format!("{part}.pdf")) == pdf.body, "{edition}: {part}");
        }
        let front = image::load_from_memory(content(&files, "front.jpg")).unwrap();
        assert_eq!((front.width(), front.height()), (1978, 2560));
        let readme = String::from_utf8(content(&files, "README.txt").to_vec()).unwrap();
        assert!(readme.contains("8.5 x 11 inches"), "{readme}");
        assert!(
            readme.contains("Pages                 32, blank ones included"),
            "{readme}"
        );
        // The same book, the same bytes.
        let again = ada.get(&format!("{book}/package?{query}")).await;
        assert!(again.body == reply.body);
    }
}

#[tokio::test]
async fn the_kit_has_seven_keyword_boxes_and_says_how_each_drawing_was_made() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = book(&app, &ada).await;
    let pages = ada.get(&book).await.expect(200)["book"]["pages"].clone();
    let form = Form::default().picture("own.png", &pictures::png(900, 1200));
    let path = format!("/pages/{}/image", pages[1]["id"].as_str().unwrap());
    ada.send_form("PUT", &path, form).await.expect(200);
    let reply = ada.get(&format!("{book}/package?format=us_letter")).await;
    let files = files(&reply.body);
    let kit: Value = serde_json::from_slice(content(&files, "kdp-kit.json")).unwrap();
    assert_eq!(kit["title"], "Woodland Friends");
    assert_eq!(kit["subtitle"], "");
    assert!(
        kit["description"]
            .as_str()
            .unwrap()
            .starts_with("Inside: 13 drawings to color.\n- A fox")
    );
    assert_eq!(kit["reading_age"], json!({"from": 4, "to": 8}));
    let keywords = kit["keywords"].as_array().unwrap();
    assert_eq!(keywords.len(), 7);
    assert_eq!(
        keywords[2..5],
        [
            "forest animals coloring book for kids",
            "fox coloring pages for kids",
            "coloring gift for fox lovers",
        ]
    );
    for keyword in keywords {
        assert!(keyword.as_str().unwrap().chars().count() <= 50, "{keyword}");
    }
    let made: Vec<&str> = kit["ai"]["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["made_by"].as_str().unwrap())
        .collect();
    assert_eq!((made.len(), made[0], made[1], made[2]), (13, "ai", "customer", "ai"));
    assert_eq!(kit["ai"]["pages"][1]["provider"], Value::Null);
    assert!(
        kit["ai"]["pages"][0]["provider"].is_string(),
        "{}",
        kit["ai"]["pages"][0]
    );
    assert_eq!(kit["ai"]["cover"]["made_by"], "ai");
    let text = String::from_utf8(content(&files, "kdp-kit.txt").to_vec()).unwrap();
    assert!(
        text.contains(
            "13 of the 14 drawings were made with AI. You uploaded 1, and the server does not know how it was made"
        ),
        "{text}"
    );
    assert!(
        text.contains("- Page 2, \"A fox with lantern 2\": uploaded by you, "),
        "{text}"
    );
}

#[tokio::test]
async fn a_copy_of_a_book_has_the_same_record_of_its_drawings() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = book(&app, &ada).await;
    let copy = ada.post_nothing(&format!("{book}/copy")).await.expect(201)["book"]["id"].clone();
    let copy = format!("/books/{}", copy.as_str().unwrap());
    let mut records = Vec::new();
    for book in [&book, &copy] {
        let reply = ada.get(&format!("{book}/package?format=us_letter")).await;
        let kit: Value = serde_json::from_slice(content(&files(&reply.body), "kdp-kit.json")).unwrap();
        assert!(kit["ai"]["cover"]["provider"].is_string(), "{kit}");
        records.push(kit["ai"].clone());
    }
    assert_eq!(records[0], records[1]);
}

#[tokio::test]
async fn the_files_of_a_package_belong_together_while_its_book_changes() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = book(&app, &ada).await;
    let pages = ada.get(&book).await.expect(200)["book"]["pages"].clone();
    let last = format!("/pages/{}", pages[12]["id"].as_str().unwrap());
    let package = format!("{book}/package?format=us_letter");
    let (reply, deleted) = tokio::join!(ada.get(&package), ada.delete(&last));
    assert_eq!(reply.status, 200);
    deleted.expect_no_content();
    let files = files(&reply.body);
    let kit: Value = serde_json::from_slice(content(&files, "kdp-kit.json")).unwrap();
    let listed = kit["ai"]["pages"].as_array().unwrap().len();
    let thumbnails = files.iter().filter(|(name, _)| name.contains("/pages/")).count();
    assert_eq!(thumbnails, listed);
    if listed == 12 {
        let interior = ada
            .get(&format!("{book}/pdf?format=us_letter&edition=kdp&part=interior"))
            .await;
        assert!(content(&files, "interior.pdf") == interior.body);
    }
}

#[tokio::test]
async fn a_book_that_cannot_be_printed_has_no_package() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = book(&app, &ada).await;
    let package = async |query: &str| ada.get(&format!("{book}/package{query}")).await;
    package("?edition=home").await.expect_error(422, "format_mismatch");
    package("?edition=ingram").await.expect_error(400, "invalid_request");
    package("?part=cover").await.expect_error(400, "invalid_request");
    package("?format=square").await.expect_error(422, "format_mismatch");
    ada.get("/books/book_none/package").await.expect_error(404, "not_found");
    let page = ada.get(&book).await.expect(200)["book"]["pages"][0]["id"].clone();
    let path = format!("/pages/{}/regenerate", page.as_str().unwrap());
    ada.generate(&path, "k1", &json!({})).await.expect(202);
    package("").await.expect_error(422, "book_not_ready");
    let small = app.ready_book(&ada, &["A fox"]).await;
    ada.get(&format!("/books/{small}/package?format=us_letter"))
        .await
        .expect_error(422, "format_mismatch");
}
