//! Query parameters: every operation rejects an unknown one by its name.
use crate::test_app::{TestApp, operations};

#[tokio::test]
async fn a_parameter_that_is_not_known_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    for (path, message) in [
        (
            "/pages?limt=3",
            r#"The parameter "limt" is unknown. This operation takes limit, after, q, sort, book_id, status, aspect."#,
        ),
        (
            &*format!("/books/{book}/pdf?fmt=a4"),
            r#"The parameter "fmt" is unknown. This operation takes format, edition, backs, part."#,
        ),
        (
            "/me?verbose",
            r#"The parameter "verbose" is unknown. This operation takes none."#,
        ),
        (
            &*format!("/books/{book}/pdf?format=a4&format=us_letter"),
            "The parameter format must not be repeated.",
        ),
    ] {
        let error = ada.get(path).await.expect_error(400, "invalid_request");
        assert_eq!(error["message"], message);
    }
    ada.get("/pages?limit=3&").await.expect(200);
    ada.get("/me?").await.expect(200);
}

#[tokio::test]
async fn no_operation_accepts_an_undocumented_parameter() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let document = app.openapi_document().await;
    for (method, path, _) in operations(&document) {
        let path = path.replace("{id}", "nobody").replace("{page_id}", "nobody");
        let reply = ada
            .send(
                &method.to_uppercase(),
                &format!("{path}?colour=red"),
                &[],
                axum::body::Body::empty(),
            )
            .await;
        let error = reply.expect_error(400, "invalid_request");
        assert!(
            error["message"].as_str().unwrap().contains(r#""colour""#),
            "{method} {path}: {error}"
        );
    }
}
