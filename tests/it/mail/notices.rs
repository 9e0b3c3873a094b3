//! Notices: books that are drawn, and credits that are running low.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use serde_json::json;

use super::{ADA, deliver, start};
use crate::test_app::{Actor, MailServer, TestApp, book_of};

/// Starts a server and returns a client with this balance.
async fn with_credits(credits: i64) -> (TestApp, MailServer, Actor) {
    let (app, mail) = start(|builder| builder).await;
    let ada = app.account_named(ADA, Plan::Business, credits).await;
    (app, mail, ada)
}

async fn grant(app: &TestApp, credits: i64) {
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::grant(&app.server, &account, credits).await.unwrap();
}

#[tokio::test]
async fn the_owner_of_a_book_is_told_when_it_is_drawn() {
    let (app, mail, ada) = with_credits(100).await;
    let body = json!({"book": {"title": "Fox & “Hare”", "pages": [{"title": "A fox"}, {"title": "A hare"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    assert_eq!(deliver(&app).await, 0, "nothing is drawn yet");
    app.draw_what_is_due().await;
    assert_eq!(deliver(&app).await, 1);
    let mail = mail.take_one();
    assert_eq!(
        (mail.to.as_str(), mail.header("Subject").as_str()),
        (ADA, "Your book “Fox & “Hare”” is ready")
    );
    let unsubscribe = mail.path("/unsubscribe/");
    assert_eq!(
        mail.text,
        format!(
            "Every picture of “Fox & “Hare”” is drawn. You can look at the book, change it, and print it.\n\n\
             Open the book:\nhttp://linepress.test/library/books/{book}\n\n\
             -- \nLinepress\nhttp://linepress.test\n\n\
             To receive no more notices of this kind:\nhttp://linepress.test{unsubscribe}\n"
        )
    );
    assert_eq!(
        mail.header("List-Unsubscribe"),
        format!("<http://linepress.test{unsubscribe}>")
    );
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert!(mail.html.contains("Fox &amp; “Hare”"), "{}", mail.html);
    // The page to which the mail leads exists.
    let mut browser = app.browser_of(ADA).await;
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "A hare");
    // A page that is drawn later is not a new book.
    app.ready_page(&ada, "An owl").await;
    assert_eq!(deliver(&app).await, 0);
}

#[tokio::test]
async fn the_notice_says_that_a_book_could_not_be_drawn() {
    let (app, mail) =
        start(|builder| builder.image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))).await;
    let ada = app.account_named(ADA, Plan::Business, 100).await;
    app.accepted(&ada, "/books", &book_of(2)).await;
    app.draw_what_is_due().await;
    deliver(&app).await;
    let mail = mail.take_one();
    assert_eq!(mail.header("Subject"), "Your book “B” could not be drawn");
    assert!(
        mail.text.contains("the credits are back in your account"),
        "{}",
        mail.text
    );
}

#[tokio::test]
async fn no_notice_is_sent_about_an_order_that_was_canceled() {
    let (app, mail, ada) = with_credits(100).await;
    let operator = app.operator().await;
    let order = app.accepted(&ada, "/books", &book_of(2)).await;
    let path = format!("/admin/operations/{}/cancel", order.operation_id());
    assert_eq!(operator.post_nothing(&path).await.expect(200)["canceled_drawings"], 3);
    assert_eq!(deliver(&app).await, 1);
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn the_notice_tells_deleted_pages_from_those_that_could_not_be_drawn() {
    let (app, mail, ada) = with_credits(100).await;
    let book = app.accepted(&ada, "/books", &book_of(3)).await.book_id();
    let page = ada.page_ids(&book).await.remove(0);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content_at_all();
    app.draw_what_is_due().await;
    assert_eq!(deliver(&app).await, 1);
    let text = mail.take_one().text;
    let words =
        "3 of the 4 pictures of “B” are drawn. The others were canceled, and their credits are back in your account.";
    assert!(text.starts_with(words), "{text}");
}

#[tokio::test]
async fn no_notice_is_sent_about_a_book_that_was_deleted() {
    let (app, mail, ada) = with_credits(100).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    ada.delete(&format!("/books/{book}")).await.expect_no_content_at_all();
    assert_eq!(deliver(&app).await, 1);
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn the_owner_is_told_once_when_credits_are_running_low() {
    let (app, mail, ada) = with_credits(7).await;
    for title in ["A", "B"] {
        app.ready_page(&ada, title).await;
    }
    assert_eq!(deliver(&app).await, 0, "5 credits are left");
    app.ready_page(&ada, "C").await;
    assert_eq!(deliver(&app).await, 1);
    let notice = mail.take_one();
    assert_eq!(notice.header("Subject"), "Your credits at Linepress are running low");
    assert!(
        notice.text.starts_with(
            "Your account has 4 credits left. A page costs 1 credit each time it is drawn. Ask the operator of Linepress for more credits."
        ),
        "{}",
        notice.text
    );
    app.ready_page(&ada, "D").await;
    assert_eq!(deliver(&app).await, 0, "one notice is enough");
    grant(&app, 3).await;
    app.ready_page(&ada, "E").await;
    app.ready_page(&ada, "F").await;
    assert_eq!(deliver(&app).await, 1, "credits were added in between");
    mail.take_one();
}

#[tokio::test]
async fn a_notice_that_a_refund_made_needless_does_not_replace_the_next_one() {
    let (app, mail, ada) = with_credits(5).await;
    let order = app.new_page(&ada, "A").await;
    // The credit is refunded before the notice is sent.
    ada.delete(&format!("/pages/{}", order.page_id()))
        .await
        .expect_no_content_at_all();
    assert_eq!((ada.credits().await, deliver(&app).await), (5, 1));
    assert!(mail.take().is_empty());
    app.ready_page(&ada, "B").await;
    assert_eq!(deliver(&app).await, 1);
    assert_eq!(
        mail.take_one().header("Subject"),
        "Your credits at Linepress are running low"
    );
}

#[tokio::test]
async fn no_notice_is_sent_after_credits_were_added() {
    let (app, mail, ada) = with_credits(5).await;
    app.ready_page(&ada, "A").await;
    grant(&app, 100).await;
    assert_eq!(deliver(&app).await, 1);
    assert!(mail.take().is_empty());
}

#[tokio::test]
async fn a_link_in_a_notice_switches_off_notices_of_its_kind_only() {
    let (app, mail, ada) = with_credits(6).await;
    app.ready_book(&ada, &["A fox"]).await;
    deliver(&app).await;
    let link = mail.take_one().path("/unsubscribe/");
    app.browser()
        .get(&link)
        .await
        .expect(200, "You receive mails when a book is drawn");
    let mut browser = app.browser_of(ADA).await;
    let checked = |page: &str| ["book_ready", "low_credits"].map(|name| is_checked(page, name));
    assert_eq!(
        checked(&browser.get("/account").await.text),
        [true, true],
        "opening the link changes nothing"
    );
    // As a mail program sends it.
    app.browser()
        .post(&link, &[("List-Unsubscribe", "One-Click")])
        .await
        .expect(200, "You will no longer get an e-mail when a book is drawn");
    assert_eq!(checked(&browser.get("/account").await.text), [false, true]);
    // Draws a book and leaves 4 credits.
    app.ready_book(&ada, &["A hare"]).await;
    deliver(&app).await;
    assert_eq!(
        mail.take_one().header("Subject"),
        "Your credits at Linepress are running low"
    );
}

#[tokio::test]
async fn both_notices_can_be_switched_off_at_the_same_moment() {
    let (app, mail, ada) = with_credits(5).await;
    // Leaves 4 credits.
    app.ready_book(&ada, &["A fox"]).await;
    assert_eq!(deliver(&app).await, 2);
    let links: Vec<String> = mail.take().iter().map(|mail| mail.path("/unsubscribe/")).collect();
    let (mut one, mut other) = (app.browser(), app.browser());
    let (one, other) = tokio::join!(one.post(&links[0], &[]), other.post(&links[1], &[]));
    for done in [one, other] {
        done.expect(200, "You can switch them on again");
    }
    let account = app.browser_of(ADA).await.get("/account").await.text;
    assert!(!is_checked(&account, "book_ready") && !is_checked(&account, "low_credits"));
}

fn is_checked(page: &str, name: &str) -> bool {
    let (_, rest) = page.split_once(&format!("name=\"{name}\"")).unwrap();
    rest.split('>').next().unwrap().contains("checked")
}

#[tokio::test]
async fn the_owner_switches_notices_on_and_off_on_the_account_page() {
    let (app, mail, ada) = with_credits(100).await;
    let mut browser = app.browser_of(ADA).await;
    for (fields, sent) in [(vec![("low_credits", "yes")], 0), (vec![("book_ready", "yes")], 1)] {
        browser
            .submit("/account", "/account/notices", &fields)
            .await
            .expect_redirect("/account?saved=yes#notices");
        app.ready_book(&ada, &["A fox"]).await;
        deliver(&app).await;
        assert_eq!(mail.take().len(), sent, "{fields:?}");
    }
    browser.get("/account?saved=yes").await.expect(200, "Saved.");
}

#[tokio::test]
async fn a_forged_link_switches_nothing_off() {
    let (app, mail, ada) = with_credits(100).await;
    app.ready_book(&ada, &["A fox"]).await;
    deliver(&app).await;
    let link = mail.take_one().path("/unsubscribe/");
    // Another notice with the same MAC: the token begins with the name of the notice.
    let forged = link.replace("/unsubscribe/Ym9va", "/unsubscribe/bG93X");
    assert_ne!(link, forged);
    for link in [forged.as_str(), "/unsubscribe/x", "/unsubscribe/%FF"] {
        app.browser().get(link).await.expect(404, "nothing here");
        app.browser().post(link, &[]).await.expect(404, "nothing here");
    }
}
