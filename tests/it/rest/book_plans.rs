//! `POST /book_plans`.
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, Log, TestApp};

#[tokio::test]
async fn a_plan_is_a_request_that_creates_the_book_at_the_stated_price() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let wish =
        json!({"book_plan": {"theme": "A woodland day", "page_count": 6, "audience": "toddler", "aspect": "square"}});
    let reply = ada.post("/book_plans", &wish).await;
    let plan = &reply.expect(200)["book_plan"];
    assert_eq!(reply.header("x-service-credits-consumed"), "0");
    assert_eq!(plan["page_concepts"].as_array().unwrap().len(), 6);
    assert_eq!(plan["credit_estimate"], json!({"credits": 6, "pages": 6}));

    let accepted = ada.generate("/books", "k1", &plan["generation_request"]).await;
    assert_eq!(accepted.header("x-service-credits-consumed"), "6");
    let book = &accepted.expect(202)["book"];
    assert_eq!(
        (&book["aspect"], &book["audience"]),
        (&json!("square"), &json!("toddler"))
    );
    let titles = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .map(|page| page["title"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(&book["pages"]), titles(&plan["page_concepts"]));
}

#[tokio::test]
async fn a_plan_with_characters_keeps_them_for_the_book() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let made = ada
        .generate(
            "/characters",
            "k1",
            &json!({"character": {"name": "Pip", "description": "A hedgehog"}}),
        )
        .await
        .expect(202);
    app.draw_everything().await;
    let id = &made["character"]["id"];
    let wish = json!({"book_plan": {"theme": "Camping", "page_count": 2, "character_ids": [id]}});
    let plan = &ada.post("/book_plans", &wish).await.expect(200)["book_plan"];
    assert_eq!(plan["generation_request"]["book"]["character_ids"], json!([id]));
    let book = &ada
        .generate("/books", "k2", &plan["generation_request"])
        .await
        .expect(202)["book"];
    assert_eq!(book["characters"], json!([{"id": id, "name": "Pip"}]));
    let page = book["pages"][0]["id"].as_str().unwrap();
    assert_eq!(
        ada.get(&format!("/pages/{page}")).await.expect(200)["page"]["characters"][0]["id"],
        *id
    );
}

#[tokio::test]
async fn a_plan_request_outside_the_bounds_is_refused_by_field() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    for (field, value) in [
        ("theme", json!("")),
        ("theme", json!(" ")),
        ("page_count", json!(0)),
        ("page_count", json!(101)),
        ("page_count", json!("many")),
        ("aspect", json!("round")),
        ("audience", json!("cats")),
        ("language", json!("tlh")),
        ("pages", json!(3)),
    ] {
        let mut wish = json!({"book_plan": {"theme": "Woods", "page_count": 2}});
        wish["book_plan"][field] = value;
        let error = ada
            .post("/book_plans", &wish)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("book_plan.{field}"));
    }
}

#[tokio::test]
async fn planning_costs_nothing_and_stores_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let wish = json!({"book_plan": {"theme": "Woods", "page_count": 100}});
    let reply = ada.post("/book_plans", &wish).await;
    reply.expect_free();
    assert_eq!(
        reply.expect(200)["book_plan"]["credit_estimate"],
        json!({"credits": 100, "pages": 100})
    );
    for list in ["pages", "characters", "books", "operations"] {
        assert_eq!(ada.count(list).await, 0);
    }
    assert_eq!(app.draw_everything().await, 0);
}

#[tokio::test]
async fn a_plan_may_be_edited_before_it_is_submitted() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let wish = json!({"book_plan": {"theme": "Woods", "page_count": 3, "title": "My woods", "notes": null}});
    let plan = ada.post("/book_plans", &wish).await.expect(200)["book_plan"].clone();
    let mut request = plan["generation_request"].clone();
    assert_eq!(request["book"]["title"], "My woods");
    request["book"]["title"] = "Your woods".into();
    request["book"]["pages"].as_array_mut().unwrap().remove(1);
    let reply = ada.generate("/books", "k1", &request).await;
    assert_eq!(reply.expect(202)["book"]["title"], "Your woods");
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
}

#[tokio::test]
async fn more_pages_than_a_book_may_have_are_not_planned() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages_per_book = 5)
        .start()
        .await;
    let ada = app.account(0).await;
    let wish = |pages| json!({"book_plan": {"theme": "Woods", "page_count": pages}});
    ada.post("/book_plans", &wish(5)).await.expect(200);
    ada.post("/book_plans", &wish(6))
        .await
        .expect_error(422, "account_limit_reached");
}

#[tokio::test]
async fn a_planner_that_takes_longer_than_a_request_may_is_unavailable() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config.plugins.insert("testbed.moody".into(), json!({"fail": "slow"}));
            config.request_timeout_seconds = 1;
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let body = json!({"book_plan": {"theme": "Woods", "page_count": 2}});
    let reply = ada.post("/book_plans", &body).await;
    reply.expect_error(503, "planning_unavailable");
    assert_eq!(reply.header("retry-after"), "30");
}

#[tokio::test]
async fn a_planner_that_returns_the_wrong_number_of_pages_is_asked_again() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config
                .plugins
                .insert("testbed.moody".into(), json!({"fail": "miscounts"}));
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let body = json!({"book_plan": {"theme": "Woods", "page_count": 3}});
    let plan = ada.post("/book_plans", &body).await.expect(200)["book_plan"].clone();
    assert_eq!(plan["page_concepts"].as_array().unwrap().len(), 3);
    assert_eq!(
        plan["generation_request"]["book"]["description"],
        "3 pages were requested, but the plan has 4"
    );
}

#[tokio::test]
async fn the_log_names_a_planner_that_takes_longer_than_a_request_may() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config.plugins.insert("testbed.moody".into(), json!({"fail": "slow"}));
            config.request_timeout_seconds = 1;
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let log = Log::default();
    let captured = log.capture();
    let body = json!({"book_plan": {"theme": "Woods", "page_count": 2}});
    ada.post("/book_plans", &body)
        .await
        .expect_error(503, "planning_unavailable");
    drop(captured);
    let named = |line: &String| line.contains("plugin=\"testbed.moody\"") && line.contains("the plugin's deadline");
    assert!(log.lines().iter().any(named), "{:?}", log.lines());
}

#[tokio::test]
async fn a_plan_without_a_title_uses_the_clients() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config
                .plugins
                .insert("testbed.moody".into(), json!({"fail": "untitled"}));
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let titled = json!({"book_plan": {"theme": "Woods", "page_count": 2, "title": "My woods"}});
    let plan = ada.post("/book_plans", &titled).await.expect(200);
    assert_eq!(plan["book_plan"]["generation_request"]["book"]["title"], "My woods");
    let untitled = json!({"book_plan": {"theme": "Woods", "page_count": 2}});
    let reply = ada.post("/book_plans", &untitled).await;
    reply.expect_error(503, "planning_unavailable");
}

#[tokio::test]
async fn an_account_with_many_plans_leaves_places_for_others() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config.plugins.insert("testbed.moody".into(), json!({"fail": "late"}));
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 0).await;
    let body = json!({"book_plan": {"theme": "Woods", "page_count": 1}});
    let plan = async |name: &'static str, actor: &Actor| {
        actor.post("/book_plans", &body).await.expect(200);
        name
    };
    let mut plans: FuturesUnordered<_> = (0..8).map(|_| plan("ada", &ada).boxed_local()).collect();
    // All of her plans are queued or being made by now.
    for _ in 0..20 {
        ben.get("/me").await.expect(200);
    }
    plans.push(plan("ben", &ben).boxed_local());
    let mut before = 0;
    while plans.next().await == Some("ada") {
        before += 1;
    }
    assert!(before <= 4, "{before} plans of another account were made first");
}

#[tokio::test]
async fn a_plan_refused_for_lack_of_a_place_does_not_count() {
    let app = TestApp::builder()
        .config(|config| {
            config.planner = "testbed.moody".into();
            config.plugins.insert("testbed.moody".into(), json!({"fail": "late"}));
            config.request_timeout_seconds = 1;
        })
        .start()
        .await;
    let ada = app.account(0).await;
    let id = ada.look("/me", "account").await["id"].as_str().unwrap().to_owned();
    let id = linepress_platform::ids::AccountId::from_text(id);
    let _places = [
        app.server.planning.acquire(&id).await,
        app.server.planning.acquire(&id).await,
    ];
    let body = json!({"book_plan": {"theme": "Woods", "page_count": 1}});
    let reply = ada.post("/book_plans", &body).await;
    reply.expect_error(503, "planning_unavailable");
    let limits = ada.look("/me", "account").await["limits"].clone();
    assert_eq!(limits["plans_per_minute"]["used"], 0);
}

/// Returns the warnings of a plan for a theme.
async fn warnings(ada: &Actor, theme: &str) -> Vec<Value> {
    let body = json!({"book_plan": {"theme": theme, "page_count": 3}});
    let plan = ada.post("/book_plans", &body).await.expect(200);
    plan["book_plan"]["warnings"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_plan_warns_of_words_that_the_provider_cannot_draw() {
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["linepress.sketchbook".into()])
        .start()
        .await;
    let ada = app.account(0).await;
    let warned = warnings(&ada, "Axolotl tea party").await;
    let of_the_book: Vec<_> = warned
        .iter()
        .filter(|warning| warning["page_number"].is_null())
        .collect();
    assert_eq!(of_the_book.len(), 1, "{warned:?}");
    assert_eq!(of_the_book[0]["code"], "not_drawn");
    assert_eq!(of_the_book[0]["words"], json!(["axolotl"]));
    assert_eq!(
        of_the_book[0]["message"],
        "The image provider knows no drawing of \"axolotl\". Use other words, or expect a book that does not show it."
    );
    assert!(
        warned.iter().all(|warning| warning["code"] == "not_drawn"),
        "{warned:?}"
    );

    assert_eq!(warnings(&ada, "Farm animals").await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_plan_warns_of_words_that_no_page_shows() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let warned = warnings(&ada, "Foxes who parade before breakfast").await;
    let codes: Vec<_> = warned.iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, ["not_planned"]);
    assert_eq!(warned[0]["words"], json!(["parade"]));
    assert!(warned[0].get("page_number").is_none(), "{warned:?}");
}

#[tokio::test]
async fn each_page_is_warned_of_what_it_does_not_show() {
    let app = with_words(json!({"words": "first"})).await;
    let ada = app.account(0).await;
    let warned = warnings(&ada, "Zebras of the savanna").await;
    let pages: Vec<_> = warned.iter().map(|warning| warning["page_number"].clone()).collect();
    assert_eq!(pages, [json!(null), json!(1), json!(2), json!(3)]);
    assert_eq!(warned[0]["words"][0], "Zebras");
}

/// Starts a server whose image provider has a vocabulary with this behavior.
async fn with_words(settings: Value) -> TestApp {
    TestApp::builder()
        .config(move |config| {
            config.image_providers = vec!["testbed.wordless".into()];
            config.plugins.insert("testbed.wordless".into(), settings);
            config.request_timeout_seconds = 5;
        })
        .start()
        .await
}

#[tokio::test]
async fn a_vocabulary_that_misbehaves_costs_the_warnings_and_not_the_plan() {
    for words in ["trap", "spin", "flood", "short"] {
        let app = with_words(json!({"words": words})).await;
        let ada = app.account(0).await;
        assert_eq!(warnings(&ada, "Farm animals").await, [] as [Value; 0], "{words}");
    }
    let app = with_words(json!({"words": "many"})).await;
    let ada = app.account(0).await;
    for warning in warnings(&ada, "Farm animals").await {
        assert!(warning["words"].as_array().unwrap().len() <= 40, "{warning}");
    }
}

#[tokio::test]
async fn a_provider_without_a_vocabulary_has_no_warnings() {
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["testbed.plain".into()])
        .start()
        .await;
    let ada = app.account(0).await;
    assert_eq!(warnings(&ada, "Farm animals").await, [] as [Value; 0]);
}

/// The titles and prompts of a plan's pages.
fn pages_of(plan: &Value) -> Vec<[String; 2]> {
    let text = |page: &Value, name: &str| page[name].as_str().unwrap().to_lowercase();
    let pages = plan["page_concepts"].as_array().unwrap().iter();
    pages.map(|page| [text(page, "title"), text(page, "prompt")]).collect()
}

#[tokio::test]
async fn the_next_volumes_of_a_series_have_its_characters_and_look_and_repeat_no_page() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    let character = app.ready_character(&ada, "Pip").await;
    let wish = json!({"book_plan": {
        "theme": "A woodland day", "page_count": 8, "audience": "toddler", "aspect": "square", "title": "Woodland Friends",
        "character_ids": [character],
    }});
    let first = ada.post("/book_plans", &wish).await.expect(200)["book_plan"].clone();
    let mut request = first["generation_request"].clone();
    for (field, value) in [
        ("author", "Ada"),
        ("line_weight", "bold"),
        ("detail", "simple"),
        ("style", "Woodcut"),
        ("frame", "stitched"),
    ] {
        request["book"][field] = json!(value);
    }
    request["book"]["cover"]["style"] = json!("color");
    let mut book = app.accepted(&ada, "/books", &request).await.book_id();
    let mut known = pages_of(&first);
    for number in 2..=4 {
        let wish = json!({"book_plan": {"theme": "A woodland day", "page_count": 8, "follows": book}});
        let plan = ada.post("/book_plans", &wish).await.expect(200)["book_plan"].clone();
        let next = &plan["generation_request"]["book"];
        assert_eq!(next["title"], json!(format!("Woodland Friends, Volume {number}")));
        for field in [
            "author",
            "audience",
            "aspect",
            "language",
            "line_weight",
            "detail",
            "style",
            "frame",
            "character_ids",
        ] {
            assert_eq!(next[field], request["book"][field], "{field}");
        }
        assert_eq!(next["cover"]["style"], "color");
        for [title, prompt] in pages_of(&plan) {
            for [earlier_title, earlier_prompt] in &known {
                assert!(
                    title != *earlier_title && prompt != *earlier_prompt,
                    "volume {number}: {title}"
                );
            }
        }
        known.extend(pages_of(&plan));
        // The third volume follows the first one, as a client may ask for it.
        let accepted = app.accepted(&ada, "/books", &plan["generation_request"]).await;
        if number == 3 {
            book = accepted.book_id();
        }
    }
    let unknown =
        json!({"book_plan": {"theme": "Woods", "page_count": 1, "follows": "book_01KAFMYG00000000000000000A"}});
    ada.post("/book_plans", &unknown)
        .await
        .expect_fields(&["book_plan.follows"]);
    let own = json!({"book_plan": {"theme": "Woods", "page_count": 1, "follows": book, "title": "Night", "aspect": "landscape"}});
    let plan = ada.post("/book_plans", &own).await.expect(200)["book_plan"].clone();
    let next = &plan["generation_request"]["book"];
    assert_eq!(
        (&next["title"], &next["aspect"]),
        (&json!("Night"), &json!("landscape"))
    );
    // The look of a volume is in the request, where a client changes it.
    let mut request = plan["generation_request"].clone();
    for (field, value) in [("title", "Woodland Friends, Volume 9"), ("frame", "beaded")] {
        request["book"][field] = json!(value);
    }
    let changed = app.accepted(&ada, "/books", &request).await.book_id();
    let changed = ada.look(&format!("/books/{changed}"), "book").await;
    assert_eq!(
        ["line_weight", "detail", "style", "frame"].map(|field| &changed[field]),
        ["bold", "simple", "Woodcut", "beaded"]
    );
}

#[tokio::test]
async fn a_series_of_another_account_is_not_continued() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let bob = app.account_named("bob@example.com", Plan::Business, 5).await;
    let wish = json!({"book_plan": {"theme": "Woods", "page_count": 1, "follows": book}});
    bob.post("/book_plans", &wish)
        .await
        .expect_fields(&["book_plan.follows"]);
}
