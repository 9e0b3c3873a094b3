//! `/library/books/new`: planning a book and ordering it.
mod limits;
mod photos;
mod saving;
mod series;

use std::time::Duration;

use linepress_accounts::accounts::Plan;

use crate::test_app::{Browser, Html, TestApp, borrowed};

const PLAN_FIELDS: [(&str, &str); 4] = [
    ("theme", "A woodland day"),
    ("page_count", "3"),
    ("audience", "child"),
    ("aspect", "square"),
];

/// Returns the fields of the plan's form as a browser would send them.
fn fields_of(plan: &Html) -> Vec<(String, String)> {
    let (_, path) = plan.text.split_once("data-autosave=\"").unwrap();
    plan.form(path.split("/autosave").next().unwrap())
}

/// A book plan: its address, and the fields of its form.
struct Planned {
    path: String,
    fields: Vec<(String, String)>,
}

impl Planned {
    fn order(&self) -> String {
        format!("{}/order", self.path)
    }

    fn set(&mut self, name: &str, value: &str) {
        let field = self.fields.iter_mut().find(|(field, _)| field == name).unwrap();
        field.1 = value.into();
    }
}

async fn planned(browser: &mut Browser) -> Planned {
    let plan = browser
        .submit("/library/books/new", "/library/books/plan", &PLAN_FIELDS)
        .await;
    assert_eq!(plan.status, 303, "{}", plan.text);
    let path = plan.header("location").to_owned();
    opened(browser, path).await
}

/// Opens the page of a plan; returns its form.
async fn opened(browser: &mut Browser, path: String) -> Planned {
    let shown = browser.get(&path).await;
    shown.expect(200, "Order for <span data-price-words>3 credits</span>");
    Planned {
        path,
        fields: fields_of(&shown),
    }
}

fn value<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    &fields.iter().find(|(field, _)| field == name).unwrap().1
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
    assert_eq!(titles(&plan.fields).len(), 3);
    ada.get("/library")
        .await
        .expect(200, "10 <span")
        .expect(200, "No books yet");

    let ordered = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    let to = ordered.header("location").to_owned();
    let again = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
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
async fn an_ordered_plan_leads_to_its_book_and_is_no_longer_listed() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    ada.get("/library").await.expect(200, &plan.path);
    let ordered = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let book = ordered
        .header("location")
        .strip_suffix("?done=ordered")
        .unwrap()
        .to_owned();
    assert!(!ada.get("/library").await.text.contains(&plan.path));
    let back = ada.get(&plan.path).await;
    back.expect_redirect(&format!("{book}?done=ordered-before"));
    // Another tab still shows the plan.
    let late = ada.post(&plan.path, &borrowed(&plan.fields)).await;
    late.expect_redirect(&format!("{book}?done=ordered-before"));
}

#[tokio::test]
async fn a_plan_that_was_ordered_and_changed_is_another_book() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    assert_eq!(ada.post(&plan.order(), &borrowed(&plan.fields)).await.status, 303);
    plan.set("title", "Another title");
    let saved = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let other = saved.header("location").to_owned();
    let shown = ada.get(&other).await;
    shown
        .expect(200, "You ordered an earlier version of this plan")
        .expect(200, "Another title");
    ada.get("/library").await.expect(200, "7 <span");
    let other = opened(&mut ada, other.split('?').next().unwrap().into()).await;
    assert_eq!(ada.post(&other.order(), &borrowed(&other.fields)).await.status, 303);
    ada.get("/library").await.expect(200, "4 <span");
}

#[tokio::test]
async fn another_price_than_the_form_showed_orders_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("price", "2");
    plan.set("author", "Ada");
    let shown = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    shown.expect(409, "The price is 3 credits now. Nothing was charged yet.");
    ada.get("/library")
        .await
        .expect(200, "10 <span")
        .expect(200, "No books yet");
    // The input is saved, and the page with this message may be sent again.
    assert_eq!(
        value(&opened(&mut ada, plan.path.clone()).await.fields, "author"),
        "Ada"
    );
    let again = ada.post(&plan.order(), &borrowed(&fields_of(&shown))).await;
    assert!(again.header("location").ends_with("?done=ordered"));
}

#[tokio::test]
async fn without_a_script_the_buttons_move_add_and_remove() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    for (button, after, place) in [
        ("up:1", vec![1, 0, 2], "#page-0"),
        ("down:1", vec![0, 2, 1], "#page-2"),
        ("up:0", vec![0, 1, 2], "#page-0"),
        ("down:2", vec![0, 1, 2], "#page-2"),
        ("remove:0", vec![1, 2], "#page-0"),
        ("remove:9", vec![0, 1, 2], "#page-2"),
        ("save", vec![0, 1, 2], "?done=saved"),
        ("add", vec![0, 1, 2, 3], "#page-3"),
    ] {
        let plan = planned(&mut ada).await;
        let mut before: Vec<String> = titles(&plan.fields).into_iter().map(String::from).collect();
        before.push(String::new());
        let mut fields = borrowed(&plan.fields);
        fields.push(("do", button));
        let edited = ada.post(&plan.path, &fields).await;
        edited.expect_redirect(&format!("{}{place}", plan.path));
        let shown = ada.get(&plan.path).await;
        shown.expect(200, &format!("value=\"{}\" data-price", after.len()));
        let expected: Vec<&str> = after.iter().map(|index| before[*index].as_str()).collect();
        assert_eq!(titles(&fields_of(&shown)), expected, "{button}");
        // The number of plans per minute is limited.
        app.server.clock.advance(Duration::from_secs(10));
    }
}

#[tokio::test]
async fn no_input_is_lost_when_a_form_is_refused() {
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
    plan.set("author", hostile);
    for (name, value) in &mut plan.fields {
        if name == "page_title" {
            *value = String::new();
        }
    }
    let shown = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    shown
        .expect(422, "Page 2, title: must be 1 to 200 characters.")
        .expect(422, "id=\"page-2-title-error\"");
    assert!(!shown.text.contains("<script>alert"), "{}", shown.text);
    assert!(value(&fields_of(&shown), "author").contains("alert(1)"));
    let plan = planned(&mut ada).await;
    let shown = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    shown.expect(402, "This needs 3 credits and the account has 2.");
    ada.get("/library")
        .await
        .expect(200, "2 <span")
        .expect(200, "No books yet");
}

#[tokio::test]
async fn a_plan_is_found_in_the_library_as_it_was_left() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Woods <b>by night</b>");
    let saved = ada
        .post(&format!("{}/autosave", plan.path), &borrowed(&plan.fields))
        .await;
    assert_eq!(saved.status, 204, "{}", saved.text);
    // The same page may save repeatedly.
    plan.set("subtitle", "For everybody");
    let saved = ada
        .post(&format!("{}/autosave", plan.path), &borrowed(&plan.fields))
        .await;
    assert_eq!(saved.status, 204, "{}", saved.text);
    ada.get("/library")
        .await
        .expect(200, &format!("href=\"{}\"", plan.path))
        .expect(200, "Woods &#60;b&#62;by night")
        .expect(200, "3 pages, changed 21 November 2026");
    let shown = opened(&mut ada, plan.path.clone()).await;
    assert_eq!(value(&shown.fields, "title"), "Woods &#60;b&#62;by night&#60;/b&#62;");
    assert_eq!(value(&shown.fields, "subtitle"), "For everybody");
    for form in ["order", "autosave", "delete"] {
        ada.get(&format!("{}/{form}", plan.path))
            .await
            .expect_redirect(&plan.path);
    }
    ada.submit("/library", &format!("{}/delete", plan.path), &[])
        .await
        .expect_redirect("/library?done=plan-deleted");
    ada.get(&plan.path).await.expect(404, "There is nothing here");
}

#[tokio::test]
async fn a_right_to_left_book_is_made_in_the_browser() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let hebrew = "value=\"he\" lang=\"he\" selected>עברית</option>";
    let form = ada.get("/library/books/new").await;
    form.expect(200, "value=\"en\" lang=\"en\" selected>English</option>");
    for language in ["Nederlands", "Polski", "עברית", "العربية", "日本語", "中文"] {
        form.expect(200, &format!(">{language}</option>"));
    }
    // The built-in planner writes English only; the book is Hebrew all the same.
    let wishes = [PLAN_FIELDS.as_slice(), &[("language", "he")]].concat();
    let plan = ada.submit("/library/books/new", "/library/books/plan", &wishes).await;
    let path = plan.header("location").to_owned();
    let shown = ada.get(&path).await;
    shown.expect(200, hebrew);
    // A form without the language, such as one that was opened before an update of the server, leaves it as it is.
    ada.send_form(&shown, &path, &[("do", "save")]).await;
    ada.get(&path).await.expect(200, hebrew);
    ada.send_form(&shown, &path, &[("language", "ar")]).await;
    let shown = ada.get(&path).await;
    shown.expect(200, "value=\"ar\" lang=\"ar\" selected>العربية</option>");
    let order = format!("{path}/order");
    let ordered = ada.post(&order, &borrowed(&fields_of(&shown))).await;
    let book = ada.get(ordered.header("location")).await;
    book.expect(200, "value=\"ar\" lang=\"ar\" selected>العربية</option>");
}

#[tokio::test]
async fn a_plan_always_shows_its_warnings() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let wishes = [("theme", "Foxes who parade before breakfast"), ("page_count", "3")];
    let planned = ada.submit("/library/books/new", "/library/books/plan", &wishes).await;
    let path = planned.header("location").to_owned();
    let warning = "No page is about &#34;parade&#34;.";
    let shown = ada.get(&path).await;
    shown.expect(200, "Before you order").expect(200, warning);
    ada.send_form(&shown, &path, &[("title", "Another")]).await;
    ada.get(&path).await.expect(200, "Another").expect(200, warning);
    let address = "/library/characters/new?name=Biscuit&description=dog";
    ada.get(address)
        .await
        .expect(200, "value=\"Biscuit\"")
        .expect(200, "dog</textarea>");
}

#[tokio::test]
async fn a_plan_names_the_texts_that_no_font_has_before_it_is_ordered() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let wishes = [PLAN_FIELDS.as_slice(), &[("title", "한국어")]].concat();
    let planned = ada.submit("/library/books/new", "/library/books/plan", &wishes).await;
    let path = planned.header("location").to_owned();
    let shown = ada.get(&path).await;
    shown
        .expect(200, "Before you order")
        .expect(200, "some characters of these texts: Title (국, 어, 한). Change them");
    ada.send_form(&shown, &path, &[("title", "שלום")]).await;
    let shown = ada.get(&path).await;
    assert!(!shown.expect(200, "שלום").text.contains("No font"), "{}", shown.text);
}
