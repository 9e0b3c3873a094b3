//! `q`, `status`, `aspect` and `sort` of the lists of books, pages and characters.
use std::time::Duration;

use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};
use crate::testing;

/// The titles or names in a list, in order.
async fn found(ada: &Actor, list: &str, query: &str) -> Vec<String> {
    let reply = ada.get(&format!("/{list}?{query}")).await.expect(200);
    let items = reply[list].as_array().unwrap().iter();
    let title = |item: &Value| item.get("title").unwrap_or(&item["name"]).as_str().unwrap().to_owned();
    items.map(title).collect()
}

/// The titles or names in a list that is read two items at a time, in order.
async fn found_in_parts(ada: &Actor, list: &str, query: &str) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let part = format!("{query}&limit=2{after}");
        seen.extend(found(ada, list, &part).await);
        let reply = ada.get(&format!("/{list}?{part}")).await.expect(200);
        match reply["meta"]["next_cursor"].as_str() {
            Some(cursor) => after = format!("&after={cursor}"),
            None => return seen,
        }
    }
}

/// Two books of two pages each, a page and two characters.
async fn library(app: &TestApp, ada: &Actor) {
    let pip = app.ready_character(ada, "Élodie").await;
    app.server.clock.advance(Duration::from_secs(1));
    app.ready_character(ada, "Zed").await;
    for (title, aspect, characters, pages) in [
        (
            "Füchse in der Straße",
            "portrait",
            json!([pip]),
            [("Moon", "A rocket"), ("Sun", "A kite")],
        ),
        (
            "Zebra crossing",
            "square",
            json!([]),
            [("Stripes", "A zebra at the door"), ("Dots", "A ladybird")],
        ),
    ] {
        app.server.clock.advance(Duration::from_secs(1));
        let pages: Vec<Value> = pages
            .iter()
            .map(|(title, prompt)| json!({"title": title, "prompt": prompt}))
            .collect();
        let body = json!({"book": {
            "title": title, "aspect": aspect, "character_ids": characters, "cover": {"prompt": "A lantern"}, "pages": pages,
        }});
        app.accepted(ada, "/books", &body).await;
        app.draw_everything().await;
    }
    app.server.clock.advance(Duration::from_secs(1));
    app.imported_page(ada, "森の動物").await;
}

#[tokio::test]
async fn words_are_found_in_titles_prompts_and_names_of_characters() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    library(&app, &ada).await;
    for (list, query, expected) in [
        ("books", "q=fuchse", &["Füchse in der Straße"][..]),
        ("books", "q=STRASSE%20f%C3%BC", &["Füchse in der Straße"]),
        ("books", "q=uchse", &[]),
        // By a page, by a character, by the cover.
        ("books", "q=rocket", &["Füchse in der Straße"]),
        ("books", "q=elodie", &["Füchse in der Straße"]),
        ("books", "q=lantern", &["Zebra crossing", "Füchse in der Straße"]),
        ("books", "q=lantern%20zebra", &["Zebra crossing"]),
        ("books", "q=100%25", &[]),
        ("pages", "q=zeb", &["Stripes"]),
        ("pages", "q=elo%20sun", &["Sun"]),
        ("pages", "q=%E5%8B%95%E7%89%A9", &["森の動物"]),
        ("characters", "q=%C3%89LO", &["Élodie"]),
        ("characters", "q=pip", &[]),
    ] {
        assert_eq!(found(&ada, list, query).await, expected, "{list} {query}");
    }
    let bob = app
        .account_named("bob@example.com", linepress_accounts::accounts::Plan::Business, 0)
        .await;
    assert_eq!(found(&bob, "books", "q=lantern").await, [] as [&str; 0]);
}

#[tokio::test]
async fn lists_are_filtered_and_sorted_and_continue_in_their_order() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    library(&app, &ada).await;
    for (list, query, expected) in [
        ("books", "aspect=square", &["Zebra crossing"][..]),
        (
            "books",
            "status=ready&sort=title",
            &["Füchse in der Straße", "Zebra crossing"],
        ),
        ("books", "status=incomplete", &[]),
        ("books", "status=generating", &[]),
        (
            "pages",
            "sort=title&status=ready",
            &["Dots", "Moon", "Stripes", "Sun", "森の動物"],
        ),
        ("pages", "aspect=square&sort=title", &["Dots", "Stripes"]),
        ("characters", "sort=title", &["Élodie", "Zed"]),
        ("characters", "status=failed", &[]),
    ] {
        assert_eq!(found(&ada, list, query).await, expected, "{list} {query}");
    }
    // In parts.
    for (sort, expected) in [
        ("title", ["Dots", "Moon", "Stripes", "Sun", "森の動物"]),
        ("newest", ["森の動物", "Dots", "Stripes", "Sun", "Moon"]),
    ] {
        let mut seen = found_in_parts(&ada, "pages", &format!("sort={sort}")).await;
        if sort == "title" {
            assert_eq!(seen, expected);
        } else {
            seen.sort();
            let mut expected = expected.map(str::to_owned).to_vec();
            expected.sort();
            assert_eq!(seen, expected);
        }
    }
    // The last change comes first.
    let book = ada.get("/books?sort=title").await.expect(200)["books"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    app.server.clock.advance(Duration::from_secs(1));
    ada.patch(&format!("/books/{book}"), &json!({"book": {"author": "Ada"}}))
        .await
        .expect(200);
    assert_eq!(
        found(&ada, "books", "sort=changed&limit=1").await,
        ["Füchse in der Straße"]
    );
    let cursor = ada.get("/pages?limit=1").await.expect(200)["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.get(&format!("/pages?sort=title&after={cursor}"))
        .await
        .expect_error(400, "invalid_pagination");
    for query in [
        "sort=size",
        "status=new",
        "aspect=round",
        &format!("q={}", "x".repeat(201)),
    ] {
        ada.get(&format!("/books?{query}"))
            .await
            .expect_error(400, "invalid_request");
    }
}

#[tokio::test]
async fn changed_items_are_found_only_by_their_new_words() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    library(&app, &ada).await;
    let id = async |list: &str, query: &str| {
        ada.get(&format!("/{list}?q={query}")).await.expect(200)[list][0]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let page = id("pages", "moon").await;
    ada.patch(&format!("/pages/{page}"), &json!({"page": {"title": "Comet"}}))
        .await
        .expect(200);
    assert_eq!(found(&ada, "pages", "q=moon").await, [] as [&str; 0]);
    assert_eq!(found(&ada, "pages", "q=comet").await, ["Comet"]);
    // Texts of a drawing, also of one that ends in the bin.
    for (word, in_bin) in [("glacier", false), ("volcano", true)] {
        let change = json!({"page": {"prompt": format!("A {word}")}});
        app.accepted(&ada, &format!("/pages/{page}/regenerate"), &change).await;
        if in_bin {
            let claimed = testing::claim(&app.server).await.unwrap().unwrap();
            ada.delete(&format!("/pages/{page}")).await.expect_no_content();
            testing::attempt(&app.server, &claimed).await;
            assert_eq!(found(&ada, "pages", "q=glacier").await, [] as [&str; 0]);
            ada.post_nothing(&format!("/bin/{page}/restore")).await.expect(200);
            assert_eq!(found(&ada, "pages", "q=glacier").await, ["Comet"]);
            continue;
        }
        app.draw_everything().await;
        assert_eq!(found(&ada, "pages", &format!("q={word}")).await, ["Comet"]);
    }
    let character = id("characters", "elodie").await;
    ada.patch(
        &format!("/characters/{character}"),
        &json!({"character": {"name": "Robin"}}),
    )
    .await
    .expect(200);
    assert_eq!(found(&ada, "books", "q=elodie").await, [] as [&str; 0]);
    assert_eq!(found(&ada, "books", "q=robin").await, ["Füchse in der Straße"]);
    ada.delete(&format!("/characters/{character}"))
        .await
        .expect_no_content();
    assert_eq!(found(&ada, "characters", "q=robin").await, [] as [&str; 0]);
    assert_eq!(found(&ada, "characters", "archived=true").await, ["Robin"]);
    assert_eq!(
        found(&ada, "characters", "archived=true&q=rob&sort=title").await,
        ["Robin"]
    );
}

#[tokio::test]
async fn a_list_by_title_is_complete_while_rows_of_an_earlier_version_are_indexed() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    library(&app, &ada).await;
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE pages SET search_text = '', sort_title = '' WHERE title IN ('Stripes', 'Sun')")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let mut seen = found_in_parts(&ada, "pages", "sort=title").await;
    seen[..2].sort();
    assert_eq!(seen, ["Stripes", "Sun", "Dots", "Moon", "森の動物"]);
}

#[tokio::test]
async fn rows_of_an_earlier_version_are_made_searchable() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    library(&app, &ada).await;
    for table in ["books", "pages", "characters"] {
        let mut tx = app.server.database.begin().await.unwrap();
        let statement = format!("UPDATE {table} SET search_text = '', sort_title = ''");
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
    assert_eq!(found(&ada, "pages", "q=moon").await, [] as [&str; 0]);
    assert_eq!(testing::index(&app.server).await.unwrap(), 9);
    assert_eq!(testing::index(&app.server).await.unwrap(), 0);
    assert_eq!(found(&ada, "pages", "q=moon").await, ["Moon"]);
    assert_eq!(found(&ada, "books", "q=zebra&sort=title").await, ["Zebra crossing"]);
}
