//! Invitations.
use linepress_accounts::accounts::Plan;

use super::{ADA, deliver, start};
use crate::test_app::OPERATOR;

#[tokio::test]
async fn a_person_whom_an_operator_invites_sets_a_password_with_a_link_from_a_mail() {
    let (app, mail) = start(|builder| builder).await;
    let mut operator = app.person(OPERATOR, Plan::Business, 0).await;
    app.make_operator(OPERATOR).await;
    operator
        .get("/admin/accounts/new")
        .await
        .expect(200, "The server mails one to them");
    let fields = [
        ("email", ADA),
        ("plan", "business"),
        ("role", "customer"),
        ("credits", "3"),
    ];
    let made = operator.submit("/admin/accounts/new", "/admin/accounts", &fields).await;
    made.expect(200, "is on its way to ada@example.com")
        .expect(200, "/reset/");
    deliver(&app).await;
    let mail = mail.take_one();
    assert_eq!(
        (mail.to.as_str(), mail.header("Subject").as_str()),
        (ADA, "Your account at Linepress")
    );
    let link = mail.path("/reset/");
    assert_eq!(
        mail.text,
        format!(
            "You are invited to Linepress, where coloring books are made. An account for ada@example.com is ready: choose its password \
             to begin.\n\n\
             Choose a password:\nhttp://linepress.test{link}\n\n\
             The link works once, and for a day. After that, ask for a new one at http://linepress.test/forgot-password.\n\n\
             -- \nLinepress\nhttp://linepress.test\n"
        )
    );
    // The operator's link still works: the mail may not arrive.
    let (_, shown) = made.text.split_once("http://linepress.test/reset/").unwrap();
    let shown = format!("/reset/{}", shown.split('<').next().unwrap());
    assert_ne!(shown, link);
    app.browser().get(&shown).await.expect(200, ADA);
    let mut ada = app.browser();
    ada.post(&link, &[("password", "another horse battery")])
        .await
        .expect_redirect("/");
    assert!(ada.is_signed_in().await);
    app.browser().get(&shown).await.expect(404, "does not work");
}

#[tokio::test]
async fn no_invitation_is_sent_after_the_password_was_chosen() {
    let (app, mail) = start(|builder| builder).await;
    let mut operator = app.person(OPERATOR, Plan::Business, 0).await;
    app.make_operator(OPERATOR).await;
    let fields = [
        ("email", ADA),
        ("plan", "business"),
        ("role", "customer"),
        ("credits", "3"),
    ];
    let made = operator.submit("/admin/accounts/new", "/admin/accounts", &fields).await;
    let (_, shown) = made.text.split_once("http://linepress.test/reset/").unwrap();
    let shown = format!("/reset/{}", shown.split('<').next().unwrap());
    // The operator passes the link on before the mail is sent.
    app.browser()
        .post(&shown, &[("password", "another horse battery")])
        .await
        .expect_redirect("/");
    assert_eq!(deliver(&app).await, 1);
    assert!(mail.take().is_empty());
}
