//! Volumes of a series, copies of plans, and the themes that begin a plan.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{PLAN_FIELDS, fields_of, opened, planned, titles, value};
use crate::test_app::{TestApp, borrowed};

#[tokio::test]
async fn the_next_volume_is_planned_from_a_book_and_from_plans_that_are_not_ordered() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 30).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Woodland Friends");
    let ordered = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let book = ordered.header("location").split('?').next().unwrap().to_owned();
    ada.get(&book).await.expect(200, "Plan the next volume");
    let id = book.rsplit('/').next().unwrap();
    let address = format!("/library/books/new?follows={id}");
    let mut known: Vec<String> = titles(&plan.fields).into_iter().map(str::to_owned).collect();
    for (number, not_repeated) in [
        (2, "any of the 3 pages that the series has."),
        (
            3,
            "any of the 3 pages that the series has, or any of the 3 pages of its plans that are not ordered.",
        ),
    ] {
        let form = ada.get(&address).await;
        let title = format!("Woodland Friends, Volume {number}");
        form.expect(200, &format!("value=\"{title}\""))
            .expect(200, "value=\"A woodland day\"")
            .expect(200, &format!("It will not repeat {not_repeated}"));
        let fields = form.form("/library/books/plan");
        assert_eq!(value(&fields, "follows"), id);
        assert_eq!(value(&fields, "page_count"), "3");
        let made = ada.post("/library/books/plan", &borrowed(&fields)).await;
        let path = made.header("location").to_owned();
        let next = opened(&mut ada, path).await;
        assert_eq!(value(&next.fields, "title"), title);
        let pages: Vec<String> = titles(&next.fields).into_iter().map(str::to_owned).collect();
        assert!(pages.iter().all(|page| !known.contains(page)), "{pages:?} {known:?}");
        known.extend(pages);
    }
    ada.get("/library/books/new?follows=book_01KAFMYG00000000000000000A")
        .await
        .expect(404, "There is nothing here");
}

#[tokio::test]
async fn an_abandoned_plan_of_a_volume_that_exists_is_no_further_volume() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 30).await;
    let mut abandoned = planned(&mut ada).await;
    abandoned.set("title", "Woodland Friends");
    ada.post(&abandoned.path, &borrowed(&abandoned.fields))
        .await
        .expect_redirect(&format!("{}?done=saved", abandoned.path));
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Woodland Friends");
    let ordered = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let book = ordered.header("location").split('?').next().unwrap().to_owned();
    let id = book.rsplit('/').next().unwrap();
    ada.get(&format!("/library/books/new?follows={id}"))
        .await
        .expect(200, "value=\"Woodland Friends, Volume 2\"")
        .expect(200, "It will not repeat any of the 3 pages that the series has.");
}

#[tokio::test]
async fn a_plan_is_duplicated_with_what_is_typed() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 30).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Woods");
    let copied = ada.post(&format!("{}/copy", plan.path), &borrowed(&plan.fields)).await;
    let path = copied.header("location").split('?').next().unwrap().to_owned();
    assert_ne!(path, plan.path);
    let copy = opened(&mut ada, path).await;
    assert_eq!(value(&copy.fields, "title"), "Woods (copy)");
    assert_eq!(titles(&copy.fields), titles(&plan.fields));
    let original = opened(&mut ada, plan.path.clone()).await;
    assert_eq!(value(&original.fields, "title"), "Woods");
    ada.get("/library").await.expect(200, "Woods (copy)");
}

#[tokio::test]
async fn a_new_book_begins_with_an_example_or_a_recent_theme() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 30).await;
    let form = ada.get("/library/books/new").await;
    form.expect(200, "theme=Pirate+cats");
    assert!(!form.text.contains("Your last themes"));
    ada.get("/library/books/new?theme=Pirate+cats")
        .await
        .expect(200, "name=\"theme\" value=\"Pirate cats\"");
    let mut fields = PLAN_FIELDS.to_vec();
    fields[0] = ("theme", "Snails & ladders");
    for theme in ["Snails & ladders", "A rainy day"] {
        fields[0] = ("theme", theme);
        let made = ada.submit("/library/books/new", "/library/books/plan", &fields).await;
        let path = made.header("location").to_owned();
        let shown = ada.get(&path).await;
        let sent = fields_of(&shown);
        ada.post(&format!("{path}/order"), &borrowed(&sent)).await;
    }
    ada.get("/library/books/new")
        .await
        .expect(200, "Your last themes")
        .expect(200, "Snails &#38; ladders")
        .expect(200, "A rainy day");
}

#[tokio::test]
async fn a_book_is_duplicated_under_another_title() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    browser
        .get(&path)
        .await
        .expect(200, "value=\"Woodland Friends (copy)\"");
    let copied = browser
        .submit(
            &path,
            &format!("{path}/copy"),
            &[("idempotency_key", "k1"), ("title", "Night")],
        )
        .await;
    let copy = copied.header("location").to_owned();
    browser
        .get(&copy)
        .await
        .expect(200, "This is the copy.")
        .expect(200, "Night")
        .expect(200, "A fox");
    browser
        .submit(
            &path,
            &format!("{path}/copy"),
            &[("idempotency_key", "k2"), ("title", &"x".repeat(300))],
        )
        .await
        .expect(422, "That did not work");
}

#[tokio::test]
async fn the_volumes_of_a_series_link_to_each_other_and_state_their_numbers_to_the_shop() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let book = async |title: &str| {
        let body = json!({"book": {"title": title, "pages": [{"title": "One"}]}});
        let path = format!("/library/books/{}", app.accepted(&ada, "/books", &body).await.book_id());
        app.draw_what_is_due().await;
        path
    };
    let first = book("Night Owls").await;
    let alone = browser.get(&first).await;
    assert!(!alone.text.contains("The series"), "{}", alone.text);
    let listing = browser.get(&format!("{first}/listing")).await;
    assert!(!listing.text.contains("Volume of the series"), "{}", listing.text);

    let second = book("Night Owls, Volume 2").await;
    let other = book("Day Owls, Volume 2").await;
    for (path, number) in [(&first, 1), (&second, 2)] {
        let shown = browser.get(path).await;
        shown
            .expect(200, "The series")
            .expect(200, &format!("<a href=\"{path}\" aria-current=\"page\""));
        for volume in [&first, &second] {
            assert!(shown.text.contains(&format!("<a href=\"{volume}\"")), "{}", shown.text);
        }
        assert!(!shown.text.contains(&format!("<a href=\"{other}\"")), "{}", shown.text);
        browser
            .get(&format!("{path}/listing"))
            .await
            .expect(200, "id=\"series\" value=\"Night Owls\"")
            .expect(200, &format!("Volume of the series: <b>{number}</b>"));
    }
    let [one, two] = [&first, &second].map(|path| path.rsplit('/').next().unwrap());
    let all = format!("/library/books/download?selected={one},{two}");
    browser.get(&second).await.expect(200, &format!("href=\"{all}\""));
    browser.get(&all).await.expect(200, "Download all 2");
    // The other volumes of this one are not among the account's books.
    let shown = browser.get(&other).await;
    assert!(!shown.text.contains("The series"), "{}", shown.text);
    browser
        .get(&format!("{other}/listing"))
        .await
        .expect(200, "Volume of the series: <b>2</b>");
}
