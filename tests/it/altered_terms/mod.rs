//! A server with other prices and another maximum length of a title (`cargo xtask altered-terms`): a page costs 2
//! credits, a character 3, a redrawn cover 4, and a title has at most 50 characters. An interface that states a usual
//! number contains it as a literal instead of using the constant.
mod installation;

use serde_json::{Value, json};

use crate::document;
use crate::test_app::{Browser, Html};
use installation::Installation;

/// The usual prices in words. In this server no price is a single credit.
const USUAL_PRICES: [&str; 5] = ["1 credit", "one credit", "a credit", "its credit", "costs one"];

const MAX_TITLE_CHARS: u64 = 50;

/// The usual maximum length of a title.
const USUAL_TITLE_CHARS: &str = "200";

/// Fails if the text contains a usual price, a usual length of titles, or a placeholder that was not filled in.
#[track_caller]
fn expect_no_usual_number(place: &str, text: &str) {
    let lower = text.to_lowercase();
    for usual in USUAL_PRICES {
        let is_a_word = |(start, _): (usize, &str)| !lower[..start].ends_with(char::is_alphanumeric);
        let found = lower.match_indices(usual).any(is_a_word);
        assert!(!found, "{place} states the usual price, {usual:?}: {text}");
    }
    for placeholder in ["_price}", "_costs}"] {
        assert!(!lower.contains(placeholder), "{place} contains a placeholder: {text}");
    }
}

/// Checks every text and every schema of a title within a JSON document. Returns the number of schemas with a maximum
/// length.
#[track_caller]
fn check_json(document: &Value) -> usize {
    let mut titles = 0;
    document::visit(document, "", &mut |place, value| {
        if let Some(text) = value.as_str() {
            expect_no_usual_number(place, text);
            let names_length = text.to_lowercase().contains("title") && text.contains(USUAL_TITLE_CHARS);
            assert!(!names_length, "{place} states the usual length of a title: {text}");
        }
        for length in title_lengths(document, value) {
            assert_eq!(length, MAX_TITLE_CHARS, "{place}: {value}");
            titles += 1;
        }
    });
    titles
}

/// Returns the maximum lengths of the property `title` of a schema, directly or behind references.
fn title_lengths(document: &Value, schema: &Value) -> Vec<u64> {
    let title = &schema["properties"]["title"];
    let kinds = title["oneOf"].as_array().into_iter().flatten();
    std::iter::once(title)
        .chain(kinds)
        .filter_map(|kind| resolved(document, kind)["maxLength"].as_u64())
        .collect()
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let path = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    path.and_then(|path| document.pointer(path)).unwrap_or(schema)
}

/// Checks the text and every field for a title of a web page. Returns the number of these fields.
#[track_caller]
fn check_page(place: &str, page: &Html) -> usize {
    assert_eq!(page.status, 200, "{place}: {}", page.text);
    expect_no_usual_number(place, &page.text);
    let is_title = |tag: &&str| tag.contains(" name=\"title\"") || tag.contains(" name=\"page_title\"");
    let tags = page.text.split('<').filter(|tag| tag.starts_with("input"));
    let titles: Vec<&str> = tags
        .filter_map(|tag| tag.split('>').next())
        .filter(is_title)
        .filter(|tag| !tag.contains("type=\"hidden\""))
        .collect();
    for tag in &titles {
        let maximum = format!("maxlength=\"{MAX_TITLE_CHARS}\"");
        assert!(tag.contains(&maximum), "{place}: {tag}");
    }
    titles.len()
}

/// Checks the pages at these paths. Returns the number of fields for titles.
async fn check_pages(browser: &mut Browser, paths: &[&str]) -> usize {
    let mut titles = 0;
    for path in paths {
        titles += check_page(path, &browser.get(path).await);
    }
    titles
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn the_openapi_document_states_the_altered_terms() {
    let shop = Installation::start().await;
    let document = shop.anonymous().get("/openapi.json").await.expect(200);
    assert!(check_json(&document) > 4);
    assert_eq!(document["components"]["schemas"]["Title"]["maxLength"], MAX_TITLE_CHARS);
    let summary = |path: &str| document["paths"][path]["post"]["summary"].as_str().unwrap();
    for (path, price) in [
        ("/books", "for 2 credits per new page"),
        ("/books/{id}/pages", "for 2 credits,"),
        ("/books/{id}/cover/regenerate", "for 4 credits;"),
        ("/characters", "for 3 credits."),
        ("/characters/{id}/regenerate", "for 3 credits."),
        ("/pages", "for 2 credits."),
        ("/pages/{id}/regenerate", "for 2 credits."),
        ("/pages/{id}/refine", "for 2 credits."),
        ("/books/{id}/restyle", "for 2 credits per page."),
    ] {
        assert!(summary(path).contains(price), "{path}: {}", summary(path));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn the_tools_state_the_altered_terms() {
    let mut shop = Installation::start().await;
    let agent = shop.agent().await;
    check_json(&agent.request("server/discover", json!({})).await);
    check_json(&agent.request("prompts/list", json!({})).await);
    for (name, argument, price) in [
        ("make_book", "theme", "2 credits for each page that is drawn"),
        ("review_book", "book", "`regenerate_book_cover` costs 4 credits"),
        ("prepare_book_for_print", "book", "2 credits for a page"),
    ] {
        let prompt = json!({"name": name, "arguments": {argument: "A fox"}});
        let prompt = agent.request("prompts/get", prompt).await;
        check_json(&prompt);
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains(price), "{price}: {text}");
    }
    let list = agent.request("tools/list", json!({})).await;
    assert!(check_json(&list) > 4);
    for (name, price) in [
        ("create_book", "exactly 2 credits for each page"),
        (
            "regenerate_book_cover",
            "exactly 4 credits per variant, the first 0 credits",
        ),
        ("generate_book_page", "exactly 2 credits per variant"),
        ("create_character", "exactly 3 credits per variant"),
        ("regenerate_character", "exactly 3 credits per variant"),
        ("create_page", "exactly 2 credits per variant"),
        ("regenerate_page", "exactly 2 credits per variant"),
        ("refine_page", "exactly 2 credits."),
        ("restyle_book", "exactly 2 credits for each"),
    ] {
        let mut tools = list["tools"].as_array().unwrap().iter();
        let tool = tools.find(|tool| tool["name"] == name).unwrap();
        assert!(tool["description"].as_str().unwrap().contains(price), "{tool}");
    }
    let page = |confirmed: i64| json!({"title": "A fox", "idempotency_key": "k1", "confirm_credits": confirmed});
    let asked = agent.call("create_page", page(1)).await;
    asked.expect_error("confirmation_required");
    assert!(asked.text().contains("costs 2 credits"), "{}", asked.text());
    let ordered = agent.call("create_page", page(2)).await;
    ordered.expect();
    assert!(ordered.text().contains("Accepted for 2 credits"), "{}", ordered.text());
    assert_eq!(shop.ada.credits().await, 998);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn drawings_cost_the_altered_prices_and_titles_have_the_altered_length() {
    let shop = Installation::start().await;
    let page = |title: String| json!({"page": {"title": title}});
    let refused = shop.ada.generate("/pages", "k1", &page("x".repeat(51))).await;
    let error = refused.expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["message"], "must be 1 to 50 characters");
    let accepted = shop.ada.generate("/pages", "k1", &page("x".repeat(50))).await;
    assert_eq!(accepted.header("x-service-credits-consumed"), "2");
    let operation = shop.ended(&accepted.expect(202)).await;
    assert_eq!(operation["status"], "succeeded");
    assert_eq!(operation["credits"], json!({"charged": 2, "refunded": 0}));
    assert_eq!(shop.ada.credits().await, 998);
    let plan = json!({"book_plan": {"theme": "Woods", "page_count": 3}});
    let plan = shop.ada.post("/book_plans", &plan).await.expect(200);
    assert_eq!(plan["book_plan"]["credit_estimate"], json!({"credits": 6, "pages": 3}));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn web_pages_without_a_book_state_the_altered_terms() {
    let mut shop = Installation::start().await;
    check_page("first account", &shop.first_page);
    shop.first_page.expect(200, "Each page that is drawn costs 2 credits.");
    check_pages(&mut Browser::of(shop.router.clone()), &["/", "/sign-in"]).await;
    let consent = shop.client().await.address(&[]);
    let browser = &mut shop.browser;
    let general = ["/library", "/account", "/account/keys", "/account/apps", &consent];
    check_pages(browser, &general).await;
    let account = browser.get("/account").await;
    account.expect(200, "A page costs 2 credits and a character 3 credits each time");
    let forms = ["/library/books/new", "/library/pages/new"];
    assert!(check_pages(browser, &forms).await >= 2);
    check_pages(
        browser,
        &["/library/pages", "/library/characters", "/library/characters/new"],
    )
    .await;
    let new_book = browser.get("/library/books/new").await;
    new_book.expect(200, "Each costs 2 credits when you order; the cover is free.");
    let new_page = browser.get("/library/pages/new").await;
    new_page.expect(200, "Draw it for 2 credits");
    let new_character = browser.get("/library/characters/new").await;
    new_character.expect(200, "Draw it for 3 credits");
    new_character.expect(200, "Draw it for 12 credits");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn the_web_pages_of_a_plan_and_its_book_state_the_altered_terms() {
    let mut shop = Installation::start().await;
    let fields = [
        ("theme", "A woodland day"),
        ("page_count", "2"),
        ("audience", "child"),
        ("aspect", "square"),
    ];
    let planned = shop
        .browser
        .submit("/library/books/new", "/library/books/plan", &fields)
        .await;
    let plan = planned.header("location").to_owned();
    let shown = shop.browser.get(&plan).await;
    // The title of the book, and those of its pages.
    assert_eq!(check_page("the plan", &shown), 3);
    shown.expect(200, "Order for <span data-price-words>4 credits</span>");
    shown.expect(200, "The cover is free.");
    // From these the script computes the price while pages are added and removed.
    shown.expect(200, "data-page-price=\"2\" data-cover-price=\"0\"");

    let book = json!({"book": {"title": "Foxes", "pages": [{"title": "A fox"}]}});
    let accepted = shop.ada.generate("/books", "k1", &book).await.expect(202);
    assert_eq!(shop.ended(&accepted).await["status"], "succeeded");
    let book = format!("/library/books/{}", accepted["book"]["id"].as_str().unwrap());
    let page = accepted["book"]["pages"][0]["id"].as_str().unwrap();
    let page = format!("/library/pages/{page}");
    let add = format!("{book}/add");
    assert!(check_pages(&mut shop.browser, &[&book, &add, &page]).await >= 3);
    let shown = shop.browser.get(&book).await;
    shown.expect(200, "Draw the cover for 4 credits");
    shown.expect(200, "Draw the cover for 16 credits");
    shop.browser.get(&page).await.expect(200, "Draw again for 2 credits");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the server of `cargo xtask altered-terms`"]
async fn the_web_page_of_a_character_states_the_altered_price_and_refund() {
    let mut shop = Installation::start().await;
    let character = json!({"character": {"name": "Gust", "description": "A storm cloud"}});
    let accepted = shop.ada.generate("/characters", "k1", &character).await.expect(202);
    let operation = shop.ended(&accepted).await;
    assert_eq!(operation["credits"], json!({"charged": 3, "refunded": 3}));
    let character = format!("/library/characters/{}", accepted["character"]["id"].as_str().unwrap());
    let shown = shop.browser.get(&character).await;
    check_page("a character", &shown);
    shown.expect(200, "Its 3 credits were given back; change");
    shown.expect(200, "Draw again for 3 credits");
}
