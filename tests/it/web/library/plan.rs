//! `/library/books/new`: planning a book and ordering it.
use std::time::Duration;

use linepress_core::accounts::Plan;
use linepress_core::drafts;

use crate::test_app::{Browser, Html, PASSWORD, TestApp, borrowed};

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
async fn a_form_of_more_fields_than_any_book_has_is_not_saved() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let plan = planned(&mut ada).await;
    let mut fields = vec![("page_title", ""), ("page_prompt", ""), ("page_caption", "")];
    fields = fields.repeat(330);
    let own = value(&plan.fields, "own");
    fields.extend([("seen", value(&plan.fields, "seen")), ("own", own)]);
    let saved = ada.submit("/library/books/new", &plan.path, &fields).await;
    saved.expect_redirect(&format!("{}?done=saved", plan.path));
    fields.extend_from_within(..30);
    let refused = ada.submit("/library/books/new", &plan.path, &fields).await;
    refused.expect(400, "it has too many fields");
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

#[tokio::test]
async fn two_tabs_of_one_plan_do_not_overwrite_each_other() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut first = planned(&mut ada).await;
    let mut second = opened(&mut ada, first.path.clone()).await;
    first.set("title", "The first");
    second.set("title", "The second");
    let autosave = format!("{}/autosave", first.path);
    assert_eq!(ada.post(&autosave, &borrowed(&first.fields)).await.status, 204);
    let late = ada.post(&autosave, &borrowed(&second.fields)).await;
    late.expect(409, "This plan was changed in another tab");
    let copied = ada.post(&first.path, &borrowed(&second.fields)).await;
    let copy = copied.header("location").strip_suffix("?done=plan-copied").unwrap();
    assert_ne!(copy, first.path);
    assert_eq!(
        value(&opened(&mut ada, copy.into()).await.fields, "title"),
        "The second"
    );
    let kept = opened(&mut ada, first.path.clone()).await;
    assert_eq!(value(&kept.fields, "title"), "The first");
    // The second tab's plan was not ordered either.
    let ordered = ada.post(&first.order(), &borrowed(&second.fields)).await;
    assert!(ordered.header("location").ends_with("?done=plan-copied"));
    ada.get("/library").await.expect(200, "10 <span");
}

#[tokio::test]
async fn the_last_save_of_a_page_is_sent_again_after_a_reload_and_is_no_conflict() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut before = planned(&mut ada).await;
    before.set("title", "Typed last");
    let autosave = format!("{}/autosave", before.path);
    // The reload overtakes the save: its page shows the old title.
    let reloaded = opened(&mut ada, before.path.clone()).await;
    assert_ne!(value(&reloaded.fields, "title"), "Typed last");
    // The script of the reloaded page sends the stored save again, and reloads. The first request may arrive at any time.
    for _ in 0..2 {
        let saved = ada.post(&autosave, &borrowed(&before.fields)).await;
        assert_eq!(saved.status, 204, "{}", saved.text);
    }
    let mut shown = opened(&mut ada, before.path.clone()).await;
    assert_eq!(value(&shown.fields, "title"), "Typed last");
    shown.set("title", "Typed after it");
    let saved = ada.post(&autosave, &borrowed(&shown.fields)).await;
    assert_eq!(saved.status, 204, "{}", saved.text);
    // Once the new page has saved, a late request of the previous one changes nothing.
    ada.post(&autosave, &borrowed(&before.fields))
        .await
        .expect(409, "This plan was changed in another tab");
}

#[tokio::test]
async fn the_script_stores_an_unsaved_change_when_its_page_is_left() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    let front = anyone.get("/").await;
    let script = front.text.split('"').find(|text| text.ends_with("/script.js"));
    let script = anyone.get(script.unwrap()).await;
    for part in ["sessionStorage", "storeUnsaved();", "finishLastSave();"] {
        script.expect(200, part);
    }
}

#[tokio::test]
async fn a_plan_that_was_deleted_while_it_was_open_is_saved_again() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    ada.submit("/library", &format!("{}/delete", plan.path), &[]).await;
    plan.set("title", "Still here");
    let autosave = format!("{}/autosave", plan.path);
    ada.post(&autosave, &borrowed(&plan.fields))
        .await
        .expect(409, "was deleted");
    let saved = ada.post(&plan.path, &borrowed(&plan.fields)).await;
    let again = saved.header("location").strip_suffix("?done=plan-restored").unwrap();
    assert_eq!(
        value(&opened(&mut ada, again.into()).await.fields, "title"),
        "Still here"
    );
}

#[tokio::test]
async fn the_form_of_an_ended_session_leads_to_sign_in_and_back_to_the_plan() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    ada.cookies.clear();
    ada.headers = vec![("referer", format!("http://linepress.test{}", plan.path))];
    let ended = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let to = ended.header("location").to_owned();
    let back: String = url::form_urlencoded::byte_serialize(plan.path.as_bytes()).collect();
    assert_eq!(to, format!("/sign-in?return_to={back}&ended=yes"));
    let page = ada.get(&to).await;
    page.expect(200, "You were signed out.")
        .expect(200, &format!("name=\"return_to\" value=\"{}\"", plan.path));
    let fields = [
        ("email", "ada@example.com"),
        ("password", PASSWORD),
        ("return_to", &plan.path),
    ];
    ada.post("/sign-in", &fields).await.expect_redirect(&plan.path);
    // A form of another site does not learn the plan's address.
    let mut anyone = app.browser();
    anyone.headers = vec![("referer", "https://evil.test/library".into())];
    anyone
        .post(&plan.order(), &[])
        .await
        .expect_redirect("/sign-in?ended=yes");
}

#[tokio::test]
async fn without_a_script_the_form_of_an_ended_session_is_sent_again_after_sign_in() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Typed at last");
    ada.cookies.clear();
    ada.headers = vec![("sec-fetch-site", "same-origin".into())];
    for address in [plan.path.clone(), plan.order()] {
        ada.post(&address, &borrowed(&plan.fields))
            .await
            .expect(403, "You were signed out")
            .expect(403, "reload the page");
    }
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    // The reload of the page.
    let saved = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    saved.expect_redirect(&format!("{}?done=signed-in-again", plan.path));
    ada.get(saved.header("location"))
        .await
        .expect(200, "Nothing was ordered")
        .expect(200, "Typed at last")
        .expect(200, "10 <span");
}

#[tokio::test]
async fn the_form_of_an_earlier_sign_in_is_saved_and_orders_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Typed before");
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    // This client sends no header about the origin of the form.
    let refused = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    refused.expect(403, "nothing was changed");
    ada.headers = vec![("sec-fetch-site", "same-origin".into())];
    let saved = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    saved.expect_redirect(&format!("{}?done=signed-in-again", plan.path));
    ada.get(saved.header("location"))
        .await
        .expect(200, "Nothing was ordered")
        .expect(200, "Typed before")
        .expect(200, "10 <span");
    let other = [("csrf_token", value(&plan.fields, "csrf_token"))];
    ada.post(&format!("{}/delete", plan.path), &other)
        .await
        .expect(403, "nothing was changed");
}

#[tokio::test]
async fn the_plans_of_an_account_are_limited_and_old_ones_are_deleted() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    // Copies of a plan that was changed in another tab.
    let mut late = plan.fields.clone();
    late.iter_mut().find(|(name, _)| name == "seen").unwrap().1 = String::new();
    for number in 1..50 {
        let own = format!("{number:032}");
        late.iter_mut().find(|(name, _)| name == "own").unwrap().1 = own;
        late.iter_mut().find(|(name, _)| name == "title").unwrap().1 = format!("Number {number}");
        assert_eq!(ada.post(&plan.path, &borrowed(&late)).await.status, 303);
    }
    let full = "The limit of this account for plans that are not ordered is 50";
    let refused = ada
        .submit("/library/books/new", "/library/books/plan", &PLAN_FIELDS)
        .await;
    refused.expect(422, full).expect(422, "A woodland day");
    late.iter_mut().find(|(name, _)| name == "title").unwrap().1 = "One more".into();
    let refused = ada.post(&plan.path, &borrowed(&late)).await;
    refused.expect(422, full).expect(422, "One more");

    app.server.clock.advance(Duration::from_secs(80 * 24 * 3600));
    assert_eq!(drafts::forget_old(&app.server).await.unwrap(), 0);
    ada.sign_in("ada@example.com", PASSWORD).await;
    let current = opened(&mut ada, plan.path.clone()).await;
    let ordered = ada.post(&current.order(), &borrowed(&current.fields)).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    app.server.clock.advance(Duration::from_secs(8 * 24 * 3600));
    assert_eq!(drafts::forget_old(&app.server).await.unwrap(), 1);
    app.server.clock.advance(Duration::from_secs(3 * 24 * 3600));
    assert_eq!(drafts::forget_old(&app.server).await.unwrap(), 49);
}

/// The address of an unknown plan.
const NO_PLAN: &str = "/library/drafts/draft_01KAFMYG00000000000000000A";

#[tokio::test]
async fn a_whole_book_may_be_larger_than_other_forms() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let plan = planned(&mut ada).await;
    let prompt = "x".repeat(2_000);
    let page = [
        ("page_title", "A"),
        ("page_prompt", prompt.as_str()),
        ("page_caption", ""),
    ];
    let mut pages = page.repeat(100);
    pages.extend([("title", "A"), ("price", "100")]);
    pages.extend(["seen", "own"].map(|name| (name, value(&plan.fields, name))));
    let saved = ada.submit("/library", &plan.path, &pages).await;
    saved.expect_redirect(&format!("{}?done=saved", plan.path));
    let refused = ada.submit("/library", &plan.order(), &pages).await;
    refused.expect(402, "The plan of your book");
    let filler = "x".repeat(4 * 1024 * 1024);
    let refused = ada.post(&plan.path, &[("title", &filler)]).await;
    refused.expect(413, "too large");
    let long = "x".repeat(1024 * 1024);
    let mut fields = pages.clone();
    fields.push(("author", &long));
    let refused = ada.submit("/library", &plan.path, &fields).await;
    refused.expect(422, "is too long to be saved");
}

#[tokio::test]
async fn the_form_of_an_account_without_the_business_plan_is_not_read() {
    let app = TestApp::start().await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    for form in ["", "/autosave", "/order"] {
        // The rest of the form never arrives.
        let refused = bob
            .post_around(
                &format!("{NO_PLAN}{form}"),
                &[("title", "A book")],
                std::future::pending(),
            )
            .await;
        refused.expect(403, "Business plan");
    }
}

#[tokio::test]
async fn incoming_book_forms_count_as_transfers_of_their_account() {
    let app = TestApp::builder()
        .config(|config| config.limits.transfers = 1)
        .start()
        .await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let mut other = ada.clone();
    let (begin, has_begun) = tokio::sync::oneshot::channel();
    let never = async move {
        begin.send(()).unwrap();
        std::future::pending::<()>().await;
    };
    let slow = ada.post_around(NO_PLAN, &[("title", "A book")], never);
    let second = async {
        has_begun.await.unwrap();
        other.post(NO_PLAN, &[("title", "Another")]).await
    };
    tokio::select! {
        _ = slow => unreachable!("the form never ends"),
        refused = second => {
            refused.expect(429, "Please wait a moment");
        }
    };
}
