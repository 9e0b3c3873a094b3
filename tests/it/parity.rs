//! The same through REST and through MCP: results, charges and error codes. Two servers with the same clock and the same
//! seed do the same, one asked over each interface, so that even ids and times must be equal.
use axum::body::Body;
use serde_json::{Value, json};

use crate::test_app::{Actor, Agent, Answer, Reply, TestApp, pictures};

/// One server for each interface.
struct Both {
    rest: TestApp,
    mcp: TestApp,
    ada: Actor,
    agent: Agent,
    /// Ada over REST on the server that is asked over MCP.
    shadow: Actor,
}

impl Both {
    async fn start(credits: i64) -> Self {
        let (rest, mcp) = (TestApp::start().await, TestApp::start().await);
        let ada = rest.account(credits).await;
        let shadow = mcp.account(credits).await;
        // On both, so that as much randomness is used up.
        rest.agent("ada@example.com").await;
        let agent = mcp.agent("ada@example.com").await;
        Self {
            rest,
            mcp,
            ada,
            agent,
            shadow,
        }
    }

    /// Asks both; returns what REST answered, and what the tool did.
    async fn ask(&self, method: &str, path: &str, body: Value, tool: &str, arguments: Value) -> (Reply, Answer) {
        let mut headers = Vec::new();
        let key = arguments["idempotency_key"].as_str().unwrap_or_default().to_owned();
        if !key.is_empty() {
            headers.push(("idempotency-key", key.as_str()));
        }
        let body = if body.is_null() {
            Body::empty()
        } else {
            headers.push(("content-type", "application/json"));
            body.to_string().into()
        };
        let reply = self.ada.send(method, path, &headers, body).await;
        let answer = self.agent.call(tool, arguments).await;
        (reply, answer)
    }

    /// Fails unless both hand out the same file.
    async fn same_file(&self, path: &str, tool: &str, arguments: Value) {
        let (file, answer) = self.ask("GET", path, Value::Null, tool, arguments).await;
        assert_eq!(file.status.as_u16(), 200, "{tool}");
        let link = answer.expect()["url"].as_str().unwrap();
        assert_eq!(file.body, self.mcp.anonymous().get(link).await.body, "{tool}");
        // As many requests as the other has got: each uses up some randomness.
        self.ada.get("/me").await;
    }

    /// Fails unless both succeed with the same; returns it.
    async fn same(&self, method: &str, path: &str, body: Value, tool: &str, arguments: Value) -> Value {
        let (reply, answer) = self.ask(method, path, body, tool, arguments).await;
        assert!(reply.status.is_success(), "{tool}: {:?}", reply.body);
        let result = answer.expect();
        if reply.status.as_u16() != 204 {
            assert_eq!(&reply.json(), result, "{tool}");
        }
        self.same_balance(tool).await;
        result.clone()
    }

    /// Fails unless both refuse with the same code, for the same fields.
    async fn refused(&self, code: &str, method: &str, path: &str, body: Value, tool: &str, arguments: Value) {
        let envelope = body
            .as_object()
            .and_then(|body| body.keys().next().cloned())
            .unwrap_or_default();
        let (reply, answer) = self.ask(method, path, body, tool, arguments).await;
        let over_rest = &reply.json()["error"];
        assert_eq!(over_rest["code"], code, "{tool}: {over_rest}");
        let over_mcp = answer.expect_error(code);
        let fields = |error: &Value| -> Vec<String> {
            let details = error["details"].as_array().cloned().unwrap_or_default();
            let fields = details
                .iter()
                .map(|detail| detail["field"].as_str().unwrap().to_owned());
            fields
                .map(|field| field.trim_start_matches(&format!("{envelope}.")).to_owned())
                .collect()
        };
        assert_eq!(fields(over_rest), fields(over_mcp), "{tool}");
        self.same_balance(tool).await;
    }

    async fn same_balance(&self, tool: &str) {
        assert_eq!(self.ada.credits().await, self.shadow.credits().await, "{tool}");
    }

    async fn draw(&self) {
        self.rest.draw_what_is_due().await;
        self.mcp.draw_what_is_due().await;
    }
}

fn order(mut arguments: Value, key: &str, credits: i64) -> Value {
    arguments["idempotency_key"] = key.into();
    arguments["confirm_credits"] = credits.into();
    arguments
}

fn id(result: &Value, kind: &str) -> String {
    crate::test_app::id(result, kind)
}

#[tokio::test]
async fn a_book_from_its_plan_to_its_pdf_is_the_same() {
    let both = Both::start(50).await;
    both.same("GET", "/me", Value::Null, "get_account", json!({})).await;
    both.same("GET", "/print_formats", Value::Null, "list_print_formats", json!({}))
        .await;
    let wish = json!({"theme": "Woodland friends", "page_count": 3, "audience": "toddler"});
    let plan = both
        .same("POST", "/book_plans", json!({"book_plan": wish}), "plan_book", wish)
        .await;
    let book = &plan["book_plan"]["generation_request"]["book"];
    let request = json!({"book": book});
    let made = both
        .same(
            "POST",
            "/books",
            request.clone(),
            "create_book",
            order(book.clone(), "k1", 3),
        )
        .await;
    // Again, for nothing.
    let again = both
        .same("POST", "/books", request, "create_book", order(book.clone(), "k1", 3))
        .await;
    assert_eq!(made, again);
    let (book, operation) = (id(&made, "book"), id(&made, "operation"));
    let path = format!("/operations/{operation}");
    both.same(
        "GET",
        &path,
        Value::Null,
        "get_operation",
        json!({"operation_id": operation}),
    )
    .await;
    both.draw().await;
    both.same(
        "GET",
        &path,
        Value::Null,
        "wait_for_operation",
        json!({"operation_id": operation}),
    )
    .await;
    both.same(
        "GET",
        "/operations?status=succeeded",
        Value::Null,
        "list_operations",
        json!({"status": "succeeded"}),
    )
    .await;
    let path = format!("/books/{book}");
    let shown = both
        .same("GET", &path, Value::Null, "get_book", json!({"book_id": book}))
        .await;
    assert_eq!(shown["book"]["status"], "ready");
    both.same("GET", "/books?limit=1", Value::Null, "list_books", json!({"limit": 1}))
        .await;
    both.same_file(&format!("{path}/pdf"), "get_book_pdf", json!({"book_id": book}))
        .await;
    both.rest.check_ledger().await;
    both.mcp.check_ledger().await;
}

#[tokio::test]
async fn what_is_done_to_a_book_is_the_same() {
    let both = Both::start(50).await;
    let wish = json!({"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}]});
    let made = both
        .same(
            "POST",
            "/books",
            json!({"book": wish}),
            "create_book",
            order(wish.clone(), "k1", 2),
        )
        .await;
    both.draw().await;
    let book = id(&made, "book");
    let path = format!("/books/{book}");
    let with = |mut arguments: Value| {
        arguments["book_id"] = book.as_str().into();
        arguments
    };
    let change = json!({"subtitle": "At night", "cover": {"prompt": "The moon"}});
    both.same(
        "PATCH",
        &path,
        json!({"book": change}),
        "update_book",
        with(change.clone()),
    )
    .await;
    let page = json!({"title": "A hare", "caption": "Hop"});
    let body = json!({"page": page, "position": 1});
    let mut arguments = order(with(page.clone()), "k2", 1);
    arguments["position"] = 1.into();
    let added = both
        .same("POST", &format!("{path}/pages"), body, "generate_book_page", arguments)
        .await;
    both.draw().await;
    let page = id(&added, "page");
    let both_ids = json!({"book_id": book, "page_id": page});
    both.same(
        "DELETE",
        &format!("{path}/pages/{page}"),
        Value::Null,
        "detach_book_page",
        both_ids.clone(),
    )
    .await;
    let body = json!({"page_id": page});
    both.same("POST", &format!("{path}/pages"), body, "attach_book_page", both_ids)
        .await;
    // Both, because each request uses up some randomness.
    let mut ids = both.ada.page_ids(&book).await;
    assert_eq!(ids, both.shadow.page_ids(&book).await);
    ids.reverse();
    let order_of = json!({"page_ids": ids});
    both.same(
        "PATCH",
        &format!("{path}/pages/order"),
        order_of.clone(),
        "reorder_book_pages",
        with(order_of),
    )
    .await;
    let cover = json!({"prompt": "The sun"});
    let arguments = order(with(cover.clone()), "k3", 1);
    both.same(
        "POST",
        &format!("{path}/cover/regenerate"),
        json!({"cover": cover}),
        "regenerate_book_cover",
        arguments,
    )
    .await;
    both.draw().await;
    both.same_file(&format!("{path}/cover_image"), "get_book_cover_image", with(json!({})))
        .await;
    let upload = upload(&both).await;
    both.same(
        "PUT",
        &format!("{path}/cover_image"),
        upload.clone(),
        "replace_book_cover_image",
        with(upload),
    )
    .await;
    both.same("DELETE", &path, Value::Null, "delete_book", with(json!({})))
        .await;
    both.refused("not_found", "GET", &path, Value::Null, "get_book", with(json!({})))
        .await;
}

/// The body that names a picture which was uploaded to both servers.
async fn upload(both: &Both) -> Value {
    let made = both
        .same(
            "POST",
            "/artwork_uploads",
            Value::Null,
            "create_artwork_upload",
            json!({}),
        )
        .await;
    let upload = &made["artwork_upload"];
    for client in [&both.ada, &both.shadow] {
        let sent = client
            .send_to(upload["url"].as_str().unwrap(), pictures::png(576, 768))
            .await;
        assert_eq!(sent.status.as_u16(), 204);
    }
    json!({"upload_id": upload["id"]})
}

#[tokio::test]
async fn what_is_done_to_pages_and_characters_is_the_same() {
    let both = Both::start(50).await;
    let wish = json!({"name": "Pip", "description": "A small hedgehog", "public_preview": true});
    let made = both
        .same(
            "POST",
            "/characters",
            json!({"character": wish}),
            "create_character",
            order(wish.clone(), "k1", 1),
        )
        .await;
    both.draw().await;
    let character = id(&made, "character");
    let own = json!({"character_id": character});
    let path = format!("/characters/{character}");
    both.same_file(&format!("{path}/reference_image"), "get_character_image", own.clone())
        .await;
    both.same("GET", &path, Value::Null, "get_character", own.clone()).await;
    both.same("GET", "/characters", Value::Null, "list_characters", json!({}))
        .await;
    let change = json!({"name": "Pippin"});
    both.same(
        "PATCH",
        &path,
        json!({"character": change}),
        "update_character",
        json!({"character_id": character, "name": "Pippin"}),
    )
    .await;
    let again = order(own.clone(), "k2", 1);
    both.same(
        "POST",
        &format!("{path}/regenerate"),
        json!({"character": {}}),
        "regenerate_character",
        again,
    )
    .await;
    both.draw().await;
    both.same("DELETE", &path, Value::Null, "archive_character", own.clone())
        .await;
    both.same(
        "POST",
        &format!("{path}/restore"),
        Value::Null,
        "restore_character",
        own,
    )
    .await;

    let wish = json!({"title": "A fox", "aspect": "square", "character_ids": [character]});
    let made = both
        .same(
            "POST",
            "/pages",
            json!({"page": wish}),
            "create_page",
            order(wish.clone(), "k3", 1),
        )
        .await;
    both.draw().await;
    let page = id(&made, "page");
    let own = json!({"page_id": page});
    let path = format!("/pages/{page}");
    both.same_file(&format!("{path}/image"), "get_page_image", own.clone())
        .await;
    both.same("GET", &path, Value::Null, "get_page", own.clone()).await;
    let change = json!({"caption": "In the snow"});
    both.same(
        "PATCH",
        &path,
        json!({"page": change}),
        "update_page",
        json!({"page_id": page, "caption": "In the snow"}),
    )
    .await;
    let prompt = json!({"prompt": "A fox in the snow"});
    let again = order(json!({"page_id": page, "prompt": "A fox in the snow"}), "k4", 1);
    both.same(
        "POST",
        &format!("{path}/regenerate"),
        json!({"page": prompt}),
        "regenerate_page",
        again,
    )
    .await;
    both.draw().await;
    let import = upload(&both).await;
    let mut import = import;
    import["title"] = "My own".into();
    let imported = both
        .same("POST", "/pages/import", import.clone(), "import_page", import)
        .await;
    let replaced = id(&imported, "page");
    let mut picture = upload(&both).await;
    let body = picture.clone();
    picture["page_id"] = replaced.as_str().into();
    both.same(
        "PUT",
        &format!("/pages/{replaced}/image"),
        body,
        "replace_page_image",
        picture,
    )
    .await;
    both.same("GET", "/pages?limit=1", Value::Null, "list_pages", json!({"limit": 1}))
        .await;
    both.same("DELETE", &path, Value::Null, "delete_page", own).await;
}

#[tokio::test]
async fn what_is_refused_is_refused_with_the_same_code() {
    let both = Both::start(2).await;
    let wish = json!({"title": "Woods", "pages": [{"title": "A fox"}]});
    let made = both
        .same(
            "POST",
            "/books",
            json!({"book": wish}),
            "create_book",
            order(wish.clone(), "k1", 1),
        )
        .await;
    let book = id(&made, "book");
    let own = json!({"book_id": book});
    let pdf = format!("/books/{book}/pdf");
    both.refused("book_not_ready", "GET", &pdf, Value::Null, "get_book_pdf", own.clone())
        .await;
    let other = json!({"title": "Fields", "pages": [{"title": "A fox"}]});
    both.refused(
        "idempotency_conflict",
        "POST",
        "/books",
        json!({"book": other}),
        "create_book",
        order(other.clone(), "k1", 1),
    )
    .await;
    let page = json!({"title": "A hare"});
    let arguments = order(json!({"book_id": book, "title": "A hare"}), "k2", 1);
    let add = format!("/books/{book}/pages");
    both.refused(
        "generation_active",
        "POST",
        &add,
        json!({"page": page}),
        "generate_book_page",
        arguments,
    )
    .await;
    both.draw().await;
    let path = format!("{pdf}?format=square_8");
    let arguments = json!({"book_id": book, "format": "square_8"});
    let (reply, answer) = both.ask("GET", &path, Value::Null, "get_book_pdf", arguments).await;
    let code = reply.json()["error"]["code"].as_str().unwrap().to_owned();
    assert!(
        ["format_mismatch", "invalid_request"].contains(&code.as_str()),
        "{code}"
    );
    answer.expect_error(&code);
    let large = json!({"title": "Woods", "pages": [{"title": "A"}, {"title": "B"}]});
    both.refused(
        "insufficient_credits",
        "POST",
        "/books",
        json!({"book": large}),
        "create_book",
        order(large.clone(), "k3", 2),
    )
    .await;
    let wrong = json!({"title": "", "pages": [{"title": "A", "caption": "x".repeat(400)}]});
    both.refused(
        "validation_failed",
        "POST",
        "/books",
        json!({"book": wrong}),
        "create_book",
        order(wrong.clone(), "k4", 1),
    )
    .await;
    let unknown = json!({"title": "A", "colour": "red"});
    both.refused(
        "validation_failed",
        "POST",
        "/pages",
        json!({"page": unknown}),
        "create_page",
        order(unknown.clone(), "k5", 1),
    )
    .await;
    both.refused(
        "invalid_pagination",
        "GET",
        "/pages?limit=0",
        Value::Null,
        "list_pages",
        json!({"limit": 0}),
    )
    .await;
    both.refused(
        "invalid_pagination",
        "GET",
        "/books?after=x",
        Value::Null,
        "list_books",
        json!({"after": "x"}),
    )
    .await;
    let short = json!({"title": "A"});
    both.refused(
        "idempotency_key_required",
        "POST",
        "/pages",
        json!({"page": short}),
        "create_page",
        json!({"title": "A", "confirm_credits": 1}),
    )
    .await;
    let nothing = json!({"title": "Mine"});
    both.refused(
        "validation_failed",
        "POST",
        "/pages/import",
        nothing.clone(),
        "import_page",
        nothing,
    )
    .await;
}
