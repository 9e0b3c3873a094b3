//! `GET` and `POST /books`.
use serde_json::{Value, json};

use crate::house::House;

#[tokio::test]
async fn a_book_costs_a_credit_a_new_page_and_its_cover_none() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = json!({"book": {"title": "Woodland Friends", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let reply = ada.generate("/books", "k1", &body).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
    insta::assert_json_snapshot!(reply.expect(202));
    house.draw_everything().await;
    let path = format!("/books/{}", reply.json()["book"]["id"].as_str().unwrap());
    let book = &ada.get(&path).await.expect(200)["book"];
    assert_eq!(book["status"], "ready");
    assert_eq!(book["cover"]["status"], "ready");
    assert_eq!(book["print_formats"], json!(["us_letter", "a4"]));
    let positions: Vec<_> = book["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["position"].as_i64().unwrap())
        .collect();
    assert_eq!(positions, [1, 2]);
    assert_eq!(
        ada.get(book["cover"]["image"]["url"].as_str().unwrap())
            .await
            .header("content-type"),
        "image/png"
    );
    assert_eq!(ada.get("/books").await.expect(200)["books"], json!([book]));
}

#[tokio::test]
async fn a_ready_page_is_attached_to_a_new_book_for_nothing() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let page = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    let id = page["page"]["id"].as_str().unwrap();
    let with = |entry: Value| json!({"book": {"title": "B", "pages": [entry, {"title": "An owl"}]}});
    // Not while it is being drawn.
    ada.generate("/books", "k2", &with(json!({"page_id": id})))
        .await
        .expect_error(422, "validation_failed");
    house.draw_everything().await;
    let reply = ada.generate("/books", "k3", &with(json!({"page_id": id}))).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    assert_eq!(reply.expect(202)["book"]["pages"][0]["id"], id);
    assert_eq!(
        ada.get(&format!("/pages/{id}")).await.expect(200)["page"]["book_ids"],
        json!([reply.json()["book"]["id"]])
    );
}

#[tokio::test]
async fn a_page_entry_is_either_new_or_attached() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let page = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox", "aspect": "square"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let id = page["page"]["id"].as_str().unwrap();
    for (pages, field) in [
        (json!([]), "book.pages"),
        (json!([{}]), "book.pages[0].page_id"),
        (json!([{"title": "A", "page_id": id}]), "book.pages[0].page_id"),
        (
            json!([{"title": "A"}, {"page_id": "page_none"}]),
            "book.pages[1].page_id",
        ),
        (json!([{"page_id": id}]), "book.pages[0].page_id"),
        (json!([{"page_id": id}, {"page_id": id}]), "book.pages"),
        (json!([{"titel": "A"}]), "book.pages[0].titel"),
        (json!([{"title": "A"}, {"title": ""}]), "book.pages[1].title"),
    ] {
        let body = json!({"book": {"title": "B", "pages": pages}});
        let error = ada
            .generate("/books", "k2", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    assert_eq!(ada.credits().await, 4);
    assert_eq!(ada.get("/books").await.expect(200)["books"], json!([]));
    // A page of the book's aspect is fine.
    let body = json!({"book": {"title": "B", "aspect": "square", "pages": [{"page_id": id}]}});
    ada.generate("/books", "k2", &body).await.expect(202);
}

#[tokio::test]
async fn a_book_nobody_can_pay_for_leaves_nothing_behind() {
    let house = House::open().await;
    let ada = house.account(2).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "1"}, {"title": "2"}, {"title": "3"}]}});
    ada.generate("/books", "k1", &body)
        .await
        .expect_error(402, "insufficient_credits");
    for list in ["books", "pages", "operations"] {
        assert_eq!(ada.get(&format!("/{list}")).await.expect(200)[list], json!([]));
    }
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 2);
}
