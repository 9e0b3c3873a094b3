//! `/library/books/new`: planning a book and ordering it.
use linepress::accounts::Plan;

use crate::test_app::{Browser, Html, TestApp};

const WISHES: [(&str, &str); 4] = [
    ("theme", "A woodland day"),
    ("page_count", "3"),
    ("audience", "child"),
    ("aspect", "square"),
];

/// The fields of the plan's form as a browser would send them, but for its buttons.
fn fields_of(plan: &Html) -> Vec<(String, String)> {
    let decoded = |text: &str| text.replace("&#34;", "\"").replace("&#39;", "'").replace("&#38;", "&");
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        Some(decoded(rest.split('"').next()?))
    };
    let (_, form) = plan.text.split_once("data-draft").unwrap();
    let mut fields = Vec::new();
    for tag in form.split('<') {
        let is_unchecked = tag.contains("type=\"radio\"") && !tag.contains(" checked");
        if tag.starts_with("input") && !is_unchecked {
            fields.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap()));
        } else if tag.starts_with("textarea") {
            let (tag, text) = tag.split_once('>').unwrap();
            fields.push((attribute(tag, "name").unwrap(), decoded(text.trim_start_matches('\n'))));
        }
    }
    fields
}

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

async fn planned(browser: &mut Browser) -> Vec<(String, String)> {
    let plan = browser
        .submit("/library/books/new", "/library/books/plan", &WISHES)
        .await;
    plan.expect(200, "Order for <span data-price-words>3 credits</span>");
    fields_of(&plan)
}

fn titles(fields: &[(String, String)]) -> Vec<&str> {
    let titled = fields.iter().filter(|(name, _)| name == "page_title");
    titled.map(|(_, title)| title.as_str()).collect()
}

#[tokio::test]
async fn a_plan_is_ordered_for_its_exact_price_and_sent_twice_it_is_charged_once() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    assert_eq!(titles(&plan).len(), 3);
    ada.get("/library")
        .await
        .expect(200, "10 <span")
        .expect(200, "No books yet");

    let ordered = ada.post("/library/books", &borrowed(&plan)).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    let to = ordered.header("location").to_owned();
    let again = ada.post("/library/books", &borrowed(&plan)).await;
    again.expect_redirect(&to);
    let page = ada.get(&to).await;
    page.expect(200, "Ordered.")
        .expect(200, "0 of 4 drawn")
        .expect(200, "7 <span");
    assert!(page.text.contains("data-follow=\"/library/operations/op_"));
    app.draw_what_is_due().await;
    ada.get(&to).await.expect(200, "Ready to print");
    app.check_ledger().await;
}

#[tokio::test]
async fn a_plan_that_was_ordered_and_changed_is_another_book() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    assert_eq!(ada.post("/library/books", &borrowed(&plan)).await.status, 303);
    let title = plan.iter_mut().find(|(name, _)| name == "title").unwrap();
    title.1 = "Another title".into();
    let shown = ada.post("/library/books", &borrowed(&plan)).await;
    shown
        .expect(409, "You ordered this plan before")
        .expect(409, "Another title");
    ada.get("/library").await.expect(200, "7 <span");
    assert_eq!(
        ada.post("/library/books", &borrowed(&fields_of(&shown))).await.status,
        303
    );
    ada.get("/library").await.expect(200, "4 <span");
}

#[tokio::test]
async fn another_price_than_the_form_showed_orders_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.iter_mut().find(|(name, _)| name == "price").unwrap().1 = "2".into();
    let shown = ada.post("/library/books", &borrowed(&plan)).await;
    shown.expect(409, "The price is 3 credits now. Nothing was charged yet.");
    ada.get("/library")
        .await
        .expect(200, "10 <span")
        .expect(200, "No books yet");
}

#[tokio::test]
async fn without_a_script_the_buttons_move_add_and_remove() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    let before: Vec<String> = titles(&plan).into_iter().map(String::from).collect();
    let [first, second, third] = before.as_slice() else {
        panic!()
    };
    for (button, after) in [
        ("up:1", vec![second, first, third]),
        ("down:1", vec![first, third, second]),
        ("up:0", vec![first, second, third]),
        ("down:2", vec![first, second, third]),
        ("remove:0", vec![second, third]),
        ("remove:9", vec![first, second, third]),
        ("keep", vec![first, second, third]),
        ("add", vec![first, second, third, &String::new()]),
    ] {
        let mut fields = borrowed(&plan);
        fields.push(("do", button));
        let edited = ada.post("/library/books/draft", &fields).await;
        edited.expect(200, "The plan of your book");
        let price = format!("value=\"{}\" data-price", after.len());
        edited.expect(200, &price);
        assert_eq!(titles(&fields_of(&edited)), after, "{button}");
    }
}

#[tokio::test]
async fn nothing_that_was_typed_is_lost_when_something_is_wrong() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let hostile = "\"><script>alert(1)</script>";
    let wishes = [
        ("theme", ""),
        ("page_count", "0"),
        ("notes", hostile),
        ("aspect", "square"),
    ];
    let shown = ada.submit("/library/books/new", "/library/books/plan", &wishes).await;
    shown
        .expect(422, "id=\"theme-error\"")
        .expect(422, "id=\"page_count-error\"")
        .expect(422, "alert(1)");
    assert!(!shown.text.contains("<script>alert"), "{}", shown.text);

    let mut plan = planned(&mut ada).await;
    for (name, value) in &mut plan {
        match name.as_str() {
            "author" => *value = hostile.into(),
            "page_title" => *value = String::new(),
            _ => {}
        }
    }
    let shown = ada.post("/library/books", &borrowed(&plan)).await;
    shown
        .expect(422, "Page 2, title: must be 1 to 200 characters.")
        .expect(422, "id=\"page-2-title-error\"");
    assert!(!shown.text.contains("<script>alert"), "{}", shown.text);
    assert!(
        fields_of(&shown)
            .iter()
            .any(|(name, value)| name == "author" && value.contains("alert(1)"))
    );
    let plan = planned(&mut ada).await;
    let shown = ada.post("/library/books", &borrowed(&plan)).await;
    shown.expect(402, "This needs 3 credits and the account has 2.");
    ada.get("/library")
        .await
        .expect(200, "2 <span")
        .expect(200, "No books yet");
}

#[tokio::test]
async fn a_form_of_more_fields_than_any_book_has_is_not_shown_again() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let mut fields = vec![("page_title", ""), ("page_prompt", ""), ("page_caption", "")];
    fields = fields.repeat(330);
    let shown = ada.submit("/library/books/new", "/library/books/draft", &fields).await;
    shown.expect(200, "The plan of your book");
    fields.extend_from_within(..30);
    let refused = ada.submit("/library/books/new", "/library/books/draft", &fields).await;
    refused.expect(400, "it has too many fields");
}

#[tokio::test]
async fn a_whole_book_may_be_larger_than_other_forms() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let prompt = "x".repeat(2_000);
    let page = [
        ("page_title", "A"),
        ("page_prompt", prompt.as_str()),
        ("page_caption", ""),
    ];
    let mut pages = page.repeat(100);
    pages.push(("idempotency_key", "a-key-of-the-form"));
    for path in ["/library/books/draft", "/library/books"] {
        let shown = ada.submit("/library/books/new", path, &pages).await;
        assert!(shown.text.contains("The plan of your book"), "{path}: {}", shown.status);
    }
    let filler = "x".repeat(4 * 1024 * 1024);
    let refused = ada.post("/library/books/draft", &[("title", &filler)]).await;
    refused.expect(413, "too large");
}

#[tokio::test]
async fn a_book_is_not_read_from_an_account_whose_plan_has_no_books() {
    let app = TestApp::start().await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    for path in ["/library/books/draft", "/library/books"] {
        // The rest of the form never comes.
        let refused = bob
            .post_around(path, &[("title", "A book")], std::future::pending())
            .await;
        refused.expect(403, "Business plan");
    }
}

#[tokio::test]
async fn books_that_arrive_take_places_among_the_transfers_of_their_account() {
    let app = TestApp::builder()
        .config(|config| config.limits.transfers = 1)
        .start()
        .await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let mut other = ada.clone();
    let slow = ada.post_around("/library/books/draft", &[("title", "A book")], std::future::pending());
    let second = other.post("/library/books/draft", &[("title", "Another")]);
    tokio::select! {
        biased;
        _ = slow => unreachable!("its form never ends"),
        refused = second => refused.expect(429, "Please wait a moment"),
    };
}
