//! `/admin/accounts/{id}`: what an operator sees of an account, and changes.
use linepress_accounts::accounts::{self, Plan, Role};

use super::{operator, page_of};
use crate::test_app::{OPERATOR, PASSWORD, TestApp, all_accounts};

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn an_operator_sees_the_credits_the_limits_and_the_ledger_of_an_account() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let ada = app.account(1_234).await;
    app.ready_resources(&ada).await;
    let page = browser.get(&page_of(&app, ADA).await).await;
    for text in [
        ADA,
        "1\u{202f}231</strong> to spend",
        "<dt>Plan</dt><dd>Business</dd>",
        "<dt>Role</dt><dd>Customer</dd>",
        "<dt>Spent so far</dt><dd>3</dd>",
        "<dt>API keys</dt><dd>1</dd>",
        "1 of 1\u{202f}000",
        "+1\u{202f}234",
        "\u{2212}1",
        "<strong>Added</strong>",
        "<strong>Spent</strong>",
    ] {
        page.expect(200, text);
    }
}

#[tokio::test]
async fn an_operator_changes_the_plan_and_the_role() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    for (form, field, word, message) in [
        ("plan", "plan", "free", "The plan is changed."),
        ("role", "role", "operator", "The role is changed."),
    ] {
        let changed = browser.submit(&path, &format!("{path}/{form}"), &[(field, word)]).await;
        changed.expect_redirect(&format!("{path}?done={form}"));
        browser.get(changed.header("location")).await.expect(200, message);
    }
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.role), (Plan::Free, Role::Operator));
    ada.get("/admin/accounts").await.expect(200, OPERATOR);
    for (form, field) in [("plan", "plan"), ("role", "role")] {
        let refused = browser
            .submit(&path, &format!("{path}/{form}"), &[(field, "gold")])
            .await;
        refused.expect(422, "must be one of the choices");
    }
}

#[tokio::test]
async fn credits_are_added_and_taken_back_once_for_each_form() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let page = browser.get(&path).await;
    let gift = [("amount", "50"), ("reason", "For the <fair>")];
    for _ in 0..2 {
        let added = browser.send_form(&page, &format!("{path}/credits"), &gift).await;
        added.expect_redirect(&format!("{path}?done=added"));
    }
    ada.get("/account")
        .await
        .expect(200, "59</strong> to spend")
        .expect(200, "For the &#60;fair&#62;");
    let page = browser.get(&path).await;
    let mistake = [("amount", "60"), ("reason", "A mistake")];
    let refused = browser.send_form(&page, &format!("{path}/withdrawal"), &mistake).await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    let again = refused.form(&format!("{path}/withdrawal"));
    for (name, value) in mistake {
        assert!(again.contains(&(name.into(), value.into())), "{again:?}");
    }
    let other = refused.form(&format!("{path}/credits"));
    assert!(other.contains(&("amount".into(), String::new())), "{other:?}");
    let fewer = [("amount", "9")];
    let taken = browser.send_form(&refused, &format!("{path}/withdrawal"), &fewer).await;
    taken.expect_redirect(&format!("{path}?done=withdrawn"));
    ada.get("/account").await.expect(200, "50</strong> to spend");
    app.check_ledger().await;
}

#[tokio::test]
async fn a_rejected_change_of_credits_is_shown_again_with_what_was_typed() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let form = format!("{path}/credits");
    let long = "x".repeat(201);
    for (amount, reason, complaint) in [
        ("", "A gift", "Must be a whole number from 1 to 1000000000."),
        ("-5", "A gift", "Must be a whole number from 1 to 1000000000."),
        ("5.5", "A gift", "Must be a whole number from 1 to 1000000000."),
        ("1000000001", "A gift", "Must be a whole number from 1 to 1000000000."),
        ("5", "", "Must"),
        ("5", &long, "Must"),
        ("5", "two\nlines", "Must"),
    ] {
        let page = browser.get(&path).await;
        let refused = browser
            .send_form(&page, &form, &[("amount", amount), ("reason", reason)])
            .await;
        refused
            .expect(422, complaint)
            .expect(422, "<details open><summary>Add credits");
        let again = refused.form(&form);
        assert!(again.contains(&("amount".into(), amount.into())), "{again:?}");
    }
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!(account.credits, 9);
}

#[tokio::test]
async fn a_suspended_account_is_refused_until_it_is_resumed() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let nothing = browser
        .submit(&path, &format!("{path}/suspend"), &[("reason", " ")])
        .await;
    nothing.expect(422, "<details open><summary>Suspend");
    assert!(ada.is_signed_in().await);
    let suspended = browser
        .submit(&path, &format!("{path}/suspend"), &[("reason", "Unpaid")])
        .await;
    suspended.expect_redirect(&format!("{path}?done=suspended"));
    assert!(!ada.is_signed_in().await);
    browser
        .get(&path)
        .await
        .expect(200, "<span class=\"badge incomplete\">Suspended</span>")
        .expect(200, "0 drawings canceled: Unpaid");
    let resumed = browser.submit(&path, &format!("{path}/resume"), &[]).await;
    resumed.expect_redirect(&format!("{path}?done=resumed"));
    let mut again = app.browser();
    again.sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn a_closed_account_is_opened_again_by_a_plan() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let close = format!("{path}/close");
    browser
        .submit(&path, &close, &[])
        .await
        .expect(422, "Tick the box to close the account.");
    assert!(ada.is_signed_in().await);
    let closed = browser.submit(&path, &close, &[("certain", "yes")]).await;
    closed.expect_redirect(&format!("{path}?done=closed"));
    assert!(!ada.is_signed_in().await);
    browser.get(&path).await.expect(200, "A plan opens it again");
    let plan = [("plan", "business")];
    browser
        .submit(&path, &format!("{path}/plan"), &plan)
        .await
        .expect_redirect(&format!("{path}?done=plan"));
    let accounts = all_accounts(&app.server).await;
    assert!(accounts.iter().all(|account| account.closed_at.is_none()));
}

#[tokio::test]
async fn a_password_link_is_shown_once() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let made = browser.submit(&path, &format!("{path}/password-link"), &[]).await;
    made.expect(200, "Here is the link for ada@example.com.");
    let (_, rest) = made.text.split_once("class=\"secret\">").unwrap();
    let link = rest.split('<').next().unwrap();
    assert!(!browser.get(&path).await.text.contains("/reset/"));
    let mut ada = app.browser();
    ada.post(link, &[("password", "another horse battery")])
        .await
        .expect_redirect("/");
}

#[tokio::test]
async fn a_second_factor_whose_app_is_lost_is_reset() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let action = format!("{path}/reset-second-factor");
    assert!(!browser.get(&path).await.text.contains(&action));
    ada.turn_on_second_factor(&app).await;
    browser.get("/admin/accounts").await.expect(200, "Second factor</span>");
    let page = browser.get(&path).await;
    let done = format!("{path}?done=reset-second-factor");
    browser.send_form(&page, &action, &[]).await.expect_redirect(&done);
    let page = browser.get(&done).await;
    page.expect(200, "The second factor is off")
        .expect(200, "Second factor reset");
    assert!(!page.text.contains(&action), "{}", page.text);
    ada.sign_in(ADA, PASSWORD).await.expect_redirect("/");
}

#[tokio::test]
async fn an_operator_cannot_end_the_own_access() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let path = page_of(&app, OPERATOR).await;
    let page = browser.get(&path).await;
    for form in ["role", "reset-second-factor", "suspend", "close"] {
        let action = format!("{path}/{form}");
        assert!(!page.text.contains(&action), "{}", page.text);
        let fields = [("role", "customer"), ("reason", "Holidays"), ("certain", "yes")];
        let refused = browser.submit(&path, &action, &fields).await;
        refused.expect(422, "ask another operator");
    }
    browser.get("/admin/accounts").await.expect(200, OPERATOR);
}

#[tokio::test]
async fn an_unverified_address_needs_the_consent_of_the_operator() {
    let app = TestApp::builder().config(|config| config.sign_up = true).start().await;
    let mut browser = operator(&app).await;
    let new = [("email", ADA), ("password", PASSWORD)];
    app.browser().post("/sign-up", &new).await.expect_redirect("/");
    let path = page_of(&app, ADA).await;
    for (form, mut fields) in [
        ("plan", vec![("plan", "business")]),
        ("credits", vec![("amount", "5"), ("reason", "A gift")]),
    ] {
        let action = format!("{path}/{form}");
        let page = browser.get(&path).await;
        let refused = browser.send_form(&page, &action, &fields).await;
        refused.expect(422, "an address that is not verified");
        fields.push(("accept_unverified", "yes"));
        let accepted = browser.send_form(&refused, &action, &fields).await;
        assert_eq!(accepted.status, 303, "{}", accepted.text);
    }
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    assert_eq!((account.plan, account.credits), (Plan::Business, 5));
}

#[tokio::test]
async fn an_operator_sets_the_limits_of_one_account() {
    let app = TestApp::start().await;
    let mut browser = operator(&app).await;
    let mut ada = app.person(ADA, Plan::Business, 9).await;
    let path = page_of(&app, ADA).await;
    let page = browser.get(&path).await;
    page.expect(200, "Books <span class=\"hint\">(1\u{202f}000)</span>");
    let form = format!("{path}/limits");
    // Another operator sets a limit that this form does not change.
    let page_before = page.form(&form);
    let page = browser.get(&path).await;
    let other = browser.send_form(&page, &form, &[("limits.uploads", "9")]).await;
    other.expect_redirect(&format!("{path}?done=limits"));
    let mut fields: Vec<(&str, &str)> = page_before.iter().map(|(name, value)| (&**name, &**value)).collect();
    fields.retain(|(name, _)| *name != "limits.books");
    fields.push(("limits.books", "7"));
    let changed = browser.post(&form, &fields).await;
    changed.expect_redirect(&format!("{path}?done=limits"));
    browser
        .get(changed.header("location"))
        .await
        .expect(200, "The limits are changed.");
    ada.get("/account").await.expect(200, "0 of 7").expect(200, "0 of 9");
    for (value, complaint) in [("0", "Must be 1 to 1000000."), ("some", "Must be a whole number.")] {
        let page = browser.get(&path).await;
        let refused = browser.send_form(&page, &form, &[("limits.pages", value)]).await;
        refused.expect(422, complaint);
        assert!(
            refused.form(&form).contains(&("limits.pages".into(), value.into())),
            "{}",
            refused.text
        );
    }
    let page = browser.get(&path).await;
    let back = browser
        .send_form(&page, &form, &[("limits.books", ""), ("limits.uploads", "")])
        .await;
    back.expect_redirect(&format!("{path}?done=limits"));
    ada.get("/account")
        .await
        .expect(200, "0 of 1\u{202f}000")
        .expect(200, "0 of 50");
}
