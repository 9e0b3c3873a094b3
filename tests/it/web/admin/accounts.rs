//! `/admin/accounts` and the form for a new account.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_platform::ids::AccountId;

use super::operator;
use crate::test_app::{OPERATOR, PASSWORD, TestApp};

#[tokio::test]
async fn the_accounts_are_listed_and_found_by_address_and_id() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    browser.get("/admin").await.expect_redirect("/admin/accounts");
    let ada = testing::create_account(&app.server, "ada@example.com", Plan::Business, 1_234)
        .await
        .unwrap();
    testing::create_account(&app.server, "ben@example.org", Plan::Free, 0)
        .await
        .unwrap();
    let all = browser.get("/admin/accounts").await;
    all.expect(200, "1\u{202f}234").expect(200, "21 November 2026");
    for email in ["ada@example.com", "ben@example.org", OPERATOR] {
        all.expect(200, email);
    }
    let marked = all.text.split("</tr>").find(|row| row.contains(OPERATOR)).unwrap();
    assert!(
        marked.contains("<span class=\"badge ready\">Operator</span>"),
        "{marked}"
    );
    for (search, found) in [
        ("ADA@", vec!["ada@"]),
        ("example.org", vec!["ben@"]),
        (ada.id.as_str(), vec!["ada@"]),
        ("%", vec![]),
        ("<b>", vec![]),
    ] {
        let search: String = url::form_urlencoded::byte_serialize(search.as_bytes()).collect();
        let page = browser.get(&format!("/admin/accounts?search={search}")).await;
        for email in ["ada@", "ben@", "operator@"] {
            let is_listed = page.text.contains(&format!("\">{email}example"));
            assert_eq!(is_listed, found.contains(&email), "{search}: {}", page.text);
        }
    }
    browser
        .get("/admin/accounts?search=%3Cb%3E")
        .await
        .expect(200, "No account matches “&#60;b&#62;”")
        .expect(200, "value=\"&#60;b&#62;\"");
}

#[tokio::test]
async fn a_long_list_has_pages_which_keep_the_search() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    for number in 0..55 {
        testing::create_account(&app.server, &format!("a{number}@example.org"), Plan::Free, 0)
            .await
            .unwrap();
    }
    let first = browser.get("/admin/accounts?search=example.org").await;
    let (_, rest) = first.text.split_once("<a class=\"button\" href=\"").unwrap();
    let next = rest.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.starts_with("/admin/accounts?search=example.org&after="), "{next}");
    let second = browser.get(&next).await;
    let listed = |text: &str| text.matches("@example.org</a>").count();
    assert_eq!((listed(&first.text), listed(&second.text)), (50, 5));
    second.expect(200, "href=\"/admin/accounts?search=example.org\">To the newest");
    browser
        .get("/admin/accounts?after=nonsense")
        .await
        .expect_redirect("/admin/accounts");
}

#[tokio::test]
async fn a_new_account_gets_a_link_with_which_its_owner_sets_a_password() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let form = browser.get("/admin/accounts/new").await;
    let new = [("email", "Ada@Example.com"), ("credits", "20")];
    let made = browser.send_form(&form, "/admin/accounts", &new).await;
    made.expect(200, "Here is the link for ada@example.com.")
        .expect(200, "It works until <time datetime=\"2026-11-22T12:00:00");
    let (_, rest) = made.text.split_once("class=\"secret\">").unwrap();
    let link = rest.split('<').next().unwrap();
    let mut ada = app.browser();
    ada.get(link).await.expect(200, "ada@example.com");
    ada.post(link, &[("password", PASSWORD)]).await.expect_redirect("/");
    ada.get("/account").await.expect(200, "20</strong> to spend");
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    assert_eq!(account.plan, Plan::Business);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_rejected_new_account_is_shown_again_with_what_was_typed() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let form = browser.get("/admin/accounts/new").await;
    for (typed, complaint) in [
        (
            [("email", "nonsense"), ("credits", "5")],
            "Must be an address such as ada@example.com.",
        ),
        (
            [("email", OPERATOR), ("credits", "5")],
            "An account with this address exists already.",
        ),
        (
            [("email", "ada@example.com"), ("credits", "many")],
            "Must be a whole number from 0 to 1000000000.",
        ),
        (
            [("email", "ada@example.com"), ("credits", "-1")],
            "Must be a whole number from 0 to 1000000000.",
        ),
    ] {
        let fields = [typed.as_slice(), &[("plan", "free")]].concat();
        let again = browser.send_form(&form, "/admin/accounts", &fields).await;
        again.expect(422, complaint).expect(422, "aria-invalid=\"true\"");
        let shown = again.form("/admin/accounts");
        for (name, value) in fields {
            assert!(shown.contains(&(name.into(), value.into())), "{name}: {shown:?}");
        }
    }
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap();
    assert!(account.is_none());
}

#[tokio::test]
async fn an_account_that_does_not_exist_is_not_found() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let unknown = AccountId::from_text("acct_01KAFMYG00000000000000000A");
    for id in [unknown.as_str(), "x", "%00", "%FF"] {
        let path = format!("/admin/accounts/{id}");
        browser.get(&path).await.expect(404, "There is nothing here");
        let fields = [
            ("plan", "free"),
            ("reason", "A gift"),
            ("amount", "1"),
            ("certain", "yes"),
        ];
        for form in ["plan", "password-link", "suspend", "resume", "close"] {
            let reply = browser.submit("/library", &format!("{path}/{form}"), &fields).await;
            reply.expect(404, "There is nothing here");
        }
    }
}
