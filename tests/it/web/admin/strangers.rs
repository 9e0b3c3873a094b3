//! Access to the pages of operators: for all other accounts, they do not exist.
use linepress_accounts::accounts::{self, Plan};
use linepress_operator::administration::{self, accounts as administered};
use url::form_urlencoded::byte_serialize;

use super::{operator, page_of};
use crate::test_app::{OPERATOR, TestApp};

const ADA: &str = "ada@example.com";

/// Every page and every form, for the account at `page`.
fn addresses(page: &str) -> (Vec<String>, Vec<String>) {
    let lists = [
        "/admin",
        "/admin/accounts",
        "/admin/accounts/new",
        "/admin/plugins",
        "/admin/plugins/testbed.plain/calls",
        "/admin/health",
        "/admin/backups",
        "/admin/settings",
        "/admin/audit-log",
    ];
    let forms = [
        "plan",
        "role",
        "credits",
        "withdrawal",
        "password-link",
        "reset-second-factor",
        "suspend",
        "resume",
        "close",
    ];
    let forms: Vec<String> = forms.iter().map(|form| format!("{page}/{form}")).collect();
    let mut pages: Vec<String> = lists.map(String::from).into();
    pages.push(page.to_owned());
    pages.extend(forms.clone());
    let of_server = [
        "/admin/backups",
        "/admin/plugins/testbed.plain/allow",
        "/admin/plugins/testbed.plain/deny",
        "/admin/plugins/testbed.plain/use",
        "/admin/plugins/testbed.plain/stop-using",
        "/admin/plugins/testbed.plain/configure",
    ];
    let of_server = of_server.map(String::from);
    pages.extend(of_server.clone());
    (
        pages,
        [vec!["/admin/accounts".to_owned()], forms, of_server.into()].concat(),
    )
}

/// Fields that suffice for every form to be valid.
const FIELDS: [(&str, &str); 8] = [
    ("email", "eve@example.com"),
    ("plan", "free"),
    ("role", "operator"),
    ("credits", "5"),
    ("amount", "5"),
    ("reason", "A gift"),
    ("certain", "yes"),
    ("idempotency_key", "a-key-of-the-form"),
];

#[tokio::test]
async fn an_account_without_the_role_gets_the_page_for_an_unknown_address() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let (pages, forms) = addresses(&page_of(&app, ADA).await);
    let unknown = ada.get("/nowhere").await;
    for path in pages {
        let page = ada.get(&path).await;
        assert_eq!((page.status, &page.text), (unknown.status, &unknown.text), "{path}");
    }
    for path in forms {
        let page = ada.submit("/library", &path, &FIELDS).await;
        assert_eq!((page.status, &page.text), (unknown.status, &unknown.text), "{path}");
        let forged = ada.post(&path, &FIELDS).await;
        assert_eq!((forged.status, &forged.text), (unknown.status, &unknown.text), "{path}");
    }
    let library = ada.get("/library").await;
    library.expect(200, "9 <span");
    assert!(!library.text.contains("/admin"), "{}", library.text);
}

#[tokio::test]
async fn a_visitor_is_redirected_to_the_sign_in_page() {
    let app = TestApp::start().await;
    app.person(ADA, Plan::Business, 9).await;
    let (pages, forms) = addresses(&page_of(&app, ADA).await);
    for path in pages {
        let back: String = byte_serialize(path.as_bytes()).collect();
        let page = app.browser().get(&path).await;
        page.expect_redirect(&format!("/sign-in?return_to={back}"));
    }
    for path in forms {
        app.browser()
            .post(&path, &FIELDS)
            .await
            .expect_redirect("/sign-in?ended=yes");
    }
}

#[tokio::test]
async fn a_form_of_another_site_changes_nothing() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    app.person(ADA, Plan::Business, 9).await;
    let page = page_of(&app, ADA).await;
    let before = browser.get(&page).await;
    for path in addresses(&page).1 {
        browser.post(&path, &FIELDS).await.expect(403, "nothing was changed");
        let forged = [FIELDS.as_slice(), &[("csrf_token", "forged")]].concat();
        browser.post(&path, &forged).await.expect(403, "nothing was changed");
    }
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.credits), (Plan::Business, 9));
    before.expect(200, "There are none.");
    browser.get(&page).await.expect(200, "There are none.");
}

#[tokio::test]
async fn the_pages_end_with_the_role() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let library = browser.get("/library").await;
    library.expect(200, "<a href=\"/admin\">Server</a>");
    browser
        .get("/admin/accounts")
        .await
        .expect(200, "<a href=\"/admin\" aria-current=\"page\">Server</a>");
    let token = browser.csrf_token("/admin/accounts/new").await;
    let account = accounts::find(&app.server, OPERATOR).await.unwrap().unwrap();
    let change = administered::AccountChange {
        role: Some(accounts::Role::Customer),
        ..administered::AccountChange::default()
    };
    let command_line = administration::Actor::command_line();
    administered::change(&app.server, &command_line, &account.id, &change)
        .await
        .unwrap();
    browser
        .get("/admin/accounts")
        .await
        .expect(404, "There is nothing here");
    let fields = [FIELDS.as_slice(), &[("csrf_token", token.as_str())]].concat();
    let refused = browser.post("/admin/accounts", &fields).await;
    refused.expect(404, "There is nothing here");
    assert!(accounts::find(&app.server, "eve@example.com").await.unwrap().is_none());
}
