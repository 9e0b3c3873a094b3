//! Parity of books, from the plan to the PDF, and of changes to a book.
use serde_json::{Value, json};

use super::{Both, order, upload, with};
use crate::test_app::id;

#[tokio::test]
async fn planning_ordering_and_printing_a_book_have_the_same_results() {
    let both = Both::start(50).await;
    both.read("/me", "get_account", json!({})).await;
    both.read("/print_formats", "list_print_formats", json!({})).await;
    let wish = json!({"theme": "Woodland friends", "page_count": 3, "audience": "toddler"});
    let plan = both
        .same("POST /book_plans", json!({"book_plan": wish}), "plan_book", wish)
        .await;
    let wish = &plan["book_plan"]["generation_request"]["book"];
    let create = || {
        both.same(
            "POST /books",
            json!({"book": wish}),
            "create_book",
            order(wish, "k1", 3),
        )
    };
    let made = create().await;
    // A replay, for nothing.
    let again = create().await;
    assert_eq!(
        (&made["book"], &made["operation"]),
        (&again["book"], &again["operation"])
    );
    let (book, operation) = (id(&made, "book"), id(&made, "operation"));
    let path = format!("/operations/{operation}");
    let own = json!({"operation_id": operation});
    both.read(&path, "get_operation", own.clone()).await;
    both.draw().await;
    both.read(&path, "wait_for_operation", own).await;
    let succeeded = json!({"status": "succeeded"});
    both.read("/operations?status=succeeded", "list_operations", succeeded)
        .await;
    let path = format!("/books/{book}");
    let own = json!({"book_id": book});
    let shown = both.read(&path, "get_book", own.clone()).await;
    assert_eq!(shown["book"]["status"], "ready");
    both.read("/books?limit=1", "list_books", json!({"limit": 1})).await;
    let found = json!({"q": "wood", "status": "ready", "aspect": "portrait"});
    both.read("/books?q=wood&status=ready&aspect=portrait", "list_books", found)
        .await;
    let missing = json!({"q": "zeppelin"});
    both.read("/books?q=zeppelin", "list_books", missing).await;
    both.same_file(&format!("{path}/pdf"), "get_book_pdf", own.clone())
        .await;
    let checked = both.read(&format!("{path}/print_check"), "check_book_print", own).await;
    assert_eq!(checked["print_check"]["findings"], json!([]));
    let wish = json!({"theme": "Woodland friends", "page_count": 2, "follows": book});
    let next = both
        .same("POST /book_plans", json!({"book_plan": wish}), "plan_book", wish)
        .await;
    let title = format!("{}, Volume 2", shown["book"]["title"].as_str().unwrap());
    assert_eq!(next["book_plan"]["generation_request"]["book"]["title"], json!(title));
    let (wish, own) = (json!({"title": "An owl"}), json!({"page": {"title": "An owl"}}));
    let made = both
        .same("POST /pages", own, "create_page", order(&wish, "k2", 1))
        .await;
    let operation = id(&made, "operation");
    let path = format!("POST /operations/{operation}/cancel");
    let canceled = both
        .same(
            &path,
            Value::Null,
            "cancel_operation",
            json!({"operation_id": operation}),
        )
        .await;
    assert_eq!(canceled["operation"]["status"], "failed");
    both.rest.check_ledger().await;
    both.mcp.check_ledger().await;
}

#[tokio::test]
async fn changes_to_a_book_have_the_same_results() {
    let both = Both::start(50).await;
    let wish = json!({"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}]});
    let arguments = order(&wish, "k1", 2);
    let made = both
        .same("POST /books", json!({"book": wish}), "create_book", arguments)
        .await;
    both.draw().await;
    let book = id(&made, "book");
    let (path, own) = (format!("/books/{book}"), json!({"book_id": book}));
    let change = json!({
        "subtitle": "At night", "isbn": "9783161484100", "cover": {"prompt": "The moon"}, "detail": "simple", "frame": "none",
    });
    let (body, arguments) = (json!({"book": change}), with(&own, change));
    both.same(&format!("PATCH {path}"), body, "update_book", arguments)
        .await;
    add_and_take_out(&both, &book).await;
    // Both servers are asked, because each request uses up some randomness.
    let mut ids = both.ada.page_ids(&book).await;
    assert_eq!(ids, both.shadow.page_ids(&book).await);
    ids.reverse();
    let order_of = json!({"page_ids": ids});
    let (request, arguments) = (format!("PATCH {path}/pages/order"), with(&own, order_of.clone()));
    both.same(&request, order_of, "reorder_book_pages", arguments).await;
    let look = json!({"line_weight": "bold", "style": "Woodcut", "frame": "beaded"});
    let restyled = order(&with(&own, look.clone()), "k5", 3);
    let request = format!("POST {path}/restyle");
    both.same(&request, json!({"book": look}), "restyle_book", restyled)
        .await;
    both.draw().await;
    let one = json!({"page_ids": ids[..1]});
    let redrawn = order(&with(&own, one.clone()), "k6", 1);
    both.same(&request, json!({"book": one}), "restyle_book", redrawn).await;
    both.draw().await;
    let cover = json!({"prompt": "The sun", "variants": 2});
    let arguments = order(&with(&own, cover.clone()), "k3", 2);
    let (request, body) = (format!("POST {path}/cover/regenerate"), json!({"cover": cover}));
    both.same(&request, body, "regenerate_book_cover", arguments).await;
    both.draw().await;
    both.same_file(&format!("{path}/cover_image"), "get_book_cover_image", own.clone())
        .await;
    let artwork = with(&upload(&both).await, json!({"style": "color"}));
    let (request, arguments) = (format!("PUT {path}/cover_image"), with(&own, artwork.clone()));
    both.same(&request, artwork, "replace_book_cover_image", arguments)
        .await;
    both.same(&format!("DELETE {path}"), Value::Null, "delete_book", own.clone())
        .await;
    both.refused("not_found", &format!("GET {path}"), Value::Null, "get_book", own)
        .await;
}

/// Creates a new page in the book, detaches it and attaches it again.
async fn add_and_take_out(both: &Both, book: &str) {
    let pages = format!("/books/{book}/pages");
    let page = json!({"title": "A hare", "caption": "Hop"});
    let body = json!({"page": page, "position": 1});
    let arguments = order(&with(&page, json!({"book_id": book, "position": 1})), "k2", 1);
    let added = both
        .same(&format!("POST {pages}"), body, "generate_book_page", arguments)
        .await;
    both.draw().await;
    let page = id(&added, "page");
    let ids = json!({"book_id": book, "page_id": page});
    let request = format!("DELETE {pages}/{page}");
    both.same(&request, Value::Null, "detach_book_page", ids.clone()).await;
    let (request, body) = (format!("POST {pages}"), json!({"page_id": page}));
    both.same(&request, body, "attach_book_page", ids).await;
}
