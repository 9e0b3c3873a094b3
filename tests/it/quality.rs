//! The quality report of a page's picture, and the print master.
use linepress_accounts::accounts::Plan;
use png::{BitDepth, ColorType};
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};

async fn imported(ada: &Actor, file: &[u8]) -> Value {
    let form = Form::image(file).text("title", "Füchse im Wald");
    ada.import(form).await.expect(201)["page"].clone()
}

/// Returns bit depth, color type and size of a PNG, and the share of its pixels that are black.
fn look_at(file: &[u8]) -> (BitDepth, ColorType, (u32, u32), f64) {
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let reader = decoder.read_info().unwrap();
    let (depth, color) = (reader.info().bit_depth, reader.info().color_type);
    let picture = image::load_from_memory(file).unwrap().into_luma8();
    let black = picture.as_raw().iter().filter(|&&tone| tone < 128).count();
    let (width, height) = picture.dimensions();
    let share = black as f64 / (f64::from(width) * f64::from(height));
    (depth, color, (width, height), share)
}

#[tokio::test]
async fn a_drawn_page_reports_the_quality_of_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let told = ada.look(&format!("/pages/{page}"), "page").await["image"]["quality"].clone();
    let share = |name: &str| told[name].as_f64().unwrap();
    assert!(share("ink") > 0.0 && share("ink") < 0.3, "{told}");
    assert!((0.0..=1.0).contains(&share("largest_region")), "{told}");
    assert_eq!(told["grays"], 0.0, "{told}");
    assert!(
        told["regions"].is_u64() && told["uncolorable_regions"].is_u64(),
        "{told}"
    );
    assert!(told["faults"].is_array(), "{told}");
    assert_eq!(
        ada.get("/pages").await.expect(200)["pages"][0]["image"]["quality"],
        told
    );
}

#[tokio::test]
async fn an_agent_gets_the_same_report() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = imported(&ada, &pictures::png(576, 768)).await;
    let agent = app.agent("ada@example.com").await;
    let told = agent.call("get_page", json!({"page_id": page["id"]})).await;
    // An agent cannot open the address.
    let mut image = page["image"].clone();
    image.as_object_mut().unwrap().remove("url");
    assert_eq!(told.expect()["page"]["image"], image);
    assert!(page["image"]["quality"].is_object(), "{page}");
}

#[tokio::test]
async fn faults_of_imported_artwork_are_reported_and_none_is_refused() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let cases = [
        (pictures::photograph(576, 768), "shaded", "gray"),
        (pictures::blank(576, 768), "blank", "Next to nothing"),
    ];
    for (file, code, words) in cases {
        let page = imported(&ada, &file).await;
        assert_eq!(page["status"], "ready");
        let faults = page["image"]["quality"]["faults"].as_array().unwrap().clone();
        let fault = faults.iter().find(|fault| fault["code"] == code);
        let message = fault.unwrap_or_else(|| panic!("no {code} in {faults:?}"))["message"]
            .as_str()
            .unwrap();
        assert!(message.contains(words) && message.ends_with('.'), "{message}");
    }
    let page = imported(&ada, &pictures::photograph(576, 768)).await;
    assert!(page["image"]["quality"]["grays"].as_f64().unwrap() > 0.5, "{page}");
    // The quality of a replaced picture is measured again.
    let path = format!("/pages/{}/image", page["id"].as_str().unwrap());
    let replaced = ada
        .send_form("PUT", &path, Form::image(&pictures::png(576, 768)))
        .await
        .expect(200);
    assert_eq!(replaced["page"]["image"]["quality"]["grays"], 0.0, "{replaced}");
}

#[tokio::test]
async fn a_picture_without_a_stored_report_has_none() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE artworks SET measures = '{}', faults = NULL")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let image = ada.look(&format!("/pages/{page}"), "page").await["image"].clone();
    assert!(image.is_object() && image.get("quality").is_none(), "{image}");
    assert_eq!(ada.get(&format!("/pages/{page}/image?size=print")).await.status, 200);
}

#[tokio::test]
async fn the_print_master_is_a_png_in_black_and_white() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = imported(&ada, &pictures::png(576, 768)).await;
    let path = format!("/pages/{}/image", page["id"].as_str().unwrap());
    let printed = ada.get(&format!("{path}?size=print")).await;
    printed.expect_free();
    assert_eq!(
        (printed.status.as_u16(), printed.header("content-type")),
        (200, "image/png")
    );
    let named = printed.header("content-disposition");
    assert!(
        named.starts_with("inline") && named.contains("f-chse-im-wald-print.png"),
        "{named}"
    );
    assert_eq!(printed.header("content-length"), printed.body.len().to_string());
    let (depth, color, size, black) = look_at(&printed.body);
    assert_eq!(
        (depth, color, size),
        (BitDepth::One, ColorType::Grayscale, (4800, 6400))
    );
    let ink = page["image"]["quality"]["ink"].as_f64().unwrap();
    assert!((black - ink).abs() < 0.01, "{black} of the print, {ink} of the picture");
    // The picture on screen is also available by the name of its size.
    let shown = ada.get(&path).await.body;
    assert_eq!(ada.get(&format!("{path}?size=screen")).await.body, shown);
    assert_eq!(look_at(&shown).2, (1152, 1536));
}

#[tokio::test]
async fn a_photograph_is_printed_in_its_tones() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = imported(&ada, &pictures::photograph(1200, 1600)).await;
    let path = format!("/pages/{}/image?size=print", page["id"].as_str().unwrap());
    let (depth, color, size, _) = look_at(&ada.get(&path).await.body);
    assert_eq!(
        (depth, color, size),
        (BitDepth::Eight, ColorType::Grayscale, (1200, 1600))
    );
}

#[tokio::test]
async fn an_unknown_size_is_refused_with_the_known_ones() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.ready_page(&ada, "A fox").await;
    for size in ["huge", "", "Print"] {
        let error = ada.get(&format!("/pages/{page}/image?size={size}")).await;
        let error = error.expect_error(400, "invalid_request");
        assert_eq!(error["message"], "size must be one of: screen, print.");
    }
    let waiting = app.new_page(&ada, "An owl").await;
    let path = format!("/pages/{}/image?size=print", waiting.page_id());
    ada.get(&path).await.expect_error(404, "not_found");
    let bob = app.account_named("bob@example.com", Plan::Business, 0).await;
    bob.get(&format!("/pages/{page}/image?size=print"))
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn an_agent_gets_a_link_to_the_print_master() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let agent = app.agent("ada@example.com").await;
    let answer = agent
        .call("get_page_image", json!({"page_id": page, "size": "print"}))
        .await;
    let link = answer.expect();
    let file = app.anonymous().get(link["url"].as_str().unwrap()).await;
    let over_rest = ada.get(&format!("/pages/{page}/image?size=print")).await;
    assert_eq!(file.body, over_rest.body);
    assert_eq!(link["byte_size"], file.body.len());
    assert_eq!(look_at(&file.body).0, BitDepth::One);
    let wrong = agent
        .call("get_page_image", json!({"page_id": page, "size": "huge"}))
        .await;
    wrong.expect_error("validation_failed");
}
