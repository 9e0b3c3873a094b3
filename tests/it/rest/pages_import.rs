//! `POST /pages/import`.
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, Web, id, pictures};

/// Fails if a refused import stored or charged anything.
async fn check_nothing_happened(app: &TestApp, ada: &Actor) {
    app.check_nothing_stored(ada, "a refused import").await;
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn artwork_becomes_a_ready_standalone_page_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let form = Form::image(&pictures::png(1152, 1536)).text("title", "A fox, by hand");
    let reply = ada.import(form).await;
    reply.expect_free();
    insta::assert_json_snapshot!(reply.expect(201));
    let page = &reply.json()["page"];
    assert_eq!(
        reply.header("location"),
        format!("http://linepress.test/api/v1/pages/{}", page["id"].as_str().unwrap())
    );
    assert_eq!(ada.get(reply.header("location")).await.expect(200)["page"], *page);
    assert_eq!(ada.count("operations").await, 0);
    app.check_books().await;
}

#[tokio::test]
async fn an_import_returns_all_fields_of_a_page() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let [pip, kit] = [
        app.ready_character(&ada, "Pip").await,
        app.ready_character(&ada, "Kit").await,
    ];
    let form = Form::new()
        .text("title", "A fox")
        .text("caption", "Hello, fox!")
        .text("aspect", "landscape")
        .text("character_ids", &kit)
        .text("character_ids", &pip);
    let page = ada
        .import(form.picture("picture", &pictures::jpeg(768, 576)))
        .await
        .expect(201)["page"]
        .clone();
    assert_eq!(
        (&page["caption"], &page["aspect"]),
        (&json!("Hello, fox!"), &json!("landscape"))
    );
    assert_eq!(
        page["characters"],
        json!([{"id": kit, "name": "Kit"}, {"id": pip, "name": "Pip"}])
    );
    assert_eq!(
        (&page["image"]["width"], &page["image"]["height"]),
        (&json!(1536), &json!(1152))
    );
}

#[tokio::test]
async fn artwork_comes_from_an_https_address() {
    let web = Web::open().await;
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(3).await;
    web.file("/fox.webp", &pictures::webp(512, 512));
    let body =
        json!({"title": "A fox", "image_url": "https://pictures.test/fox.webp", "caption": null, "aspect": null});
    let reply = ada.post("/pages/import", &body).await;
    reply.expect_free();
    let page = reply.expect(201)["page"].clone();
    assert_eq!(
        (&page["aspect"], &page["origin"]),
        (&json!("square"), &json!("imported"))
    );
    // The response does not contain the address of the picture.
    assert!(!reply.json().to_string().contains("pictures.test"));
    app.check_books().await;
}

#[tokio::test]
async fn an_address_that_does_not_return_a_picture_is_refused() {
    let web = Web::open().await;
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(3).await;
    web.file("/page.html", b"<html>A fox</html>");
    let post = async |url: &str| {
        ada.post("/pages/import", &json!({"title": "A fox", "image_url": url}))
            .await
    };
    post("https://pictures.test/page.html")
        .await
        .expect_error(422, "unsupported_image");
    for url in [
        "https://pictures.test/none.png",
        "http://pictures.test/page.html",
        "https://127.0.0.1/",
        "fox.png",
    ] {
        post(url).await.expect_fields(&["image_url"]);
    }
    check_nothing_happened(&app, &ada).await;
}

#[tokio::test]
async fn without_an_aspect_the_nearest_one_is_used() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    for (width, height, aspect, pixels) in [
        (500, 500, "square", (1024, 1024)),
        (500, 530, "square", (1024, 1024)),
        (600, 780, "portrait", (1152, 1536)),
        (780, 600, "landscape", (1536, 1152)),
    ] {
        let form = Form::image(&pictures::png(width, height)).text("title", "A fox");
        let page = ada.import(form).await.expect(201)["page"].clone();
        assert_eq!(page["aspect"], aspect, "{width} x {height}");
        assert_eq!(
            (&page["image"]["width"], &page["image"]["height"]),
            (&json!(pixels.0), &json!(pixels.1))
        );
    }
}

#[tokio::test]
async fn a_small_difference_of_shape_is_padded_with_white_and_nothing_is_cropped_or_stretched() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    // An all-black picture that is 4% too narrow: 1105 of 1152 pixels stay black, and white margins of 23 and 24 are
    // added.
    let black = image::GrayImage::from_pixel(1105, 1536, image::Luma([0]));
    let mut file = std::io::Cursor::new(Vec::new());
    black.write_to(&mut file, image::ImageFormat::Png).unwrap();
    let form = Form::image(file.get_ref())
        .text("title", "Night")
        .text("aspect", "portrait");
    let page = id(&ada.import(form).await.expect(201), "page");
    let image = ada.get(&format!("/pages/{page}/image")).await;
    let picture = image::load_from_memory(&image.body).unwrap().into_luma8();
    assert_eq!(picture.dimensions(), (1152, 1536));
    for y in [0, 768, 1535] {
        let row: Vec<bool> = (0..1152).map(|x| picture.get_pixel(x, y).0[0] < 128).collect();
        let (left, right) = (
            row.iter().position(|&ink| ink).unwrap(),
            row.iter().rposition(|&ink| ink).unwrap(),
        );
        assert_eq!((left, right), (23, 1127), "row {y}");
        assert!(row[left..=right].iter().all(|&ink| ink));
    }
}

#[tokio::test]
async fn a_file_that_is_not_a_picture_of_the_right_shape_is_refused_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    for (file, aspect) in [
        (b"not a picture".to_vec(), None),
        (Vec::new(), None),
        (pictures::SVG.to_vec(), None),
        (pictures::ANIMATED_WEBP.to_vec(), None),
        (pictures::truncated_jpeg(600, 800), None),
        (pictures::single_pixel(), None),
        (pictures::bomb(), None),
        (pictures::png(1200, 600), None),
        (pictures::png(1000, 1000), Some("portrait")),
    ] {
        let form = Form::image(&file).text("title", "A fox");
        let form = if let Some(aspect) = aspect {
            form.text("aspect", aspect)
        } else {
            form
        };
        let reply = ada.import(form).await;
        reply.expect_error(422, "unsupported_image");
        reply.expect_free();
    }
    check_nothing_happened(&app, &ada).await;
}

#[tokio::test]
async fn a_heic_photo_is_refused_with_what_to_do_however_it_comes() {
    let web = Web::open().await;
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(3).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_everything().await;
    let heic = [b"\0\0\0\x24ftypheic".as_slice(), &[0; 100]].concat();
    web.file("/fox.heic", &heic);
    let fetched = json!({"title": "A fox", "image_url": "https://pictures.test/fox.heic"});
    let image = async |path: String| ada.send_form("PUT", &path, Form::image(&heic)).await;
    for reply in [
        ada.import(Form::image(&heic).text("title", "A fox")).await,
        ada.post("/pages/import", &fetched).await,
        image(format!("/pages/{page}/image")).await,
        image(format!("/books/{book}/cover_image")).await,
    ] {
        let error = reply.expect_error(422, "unsupported_image");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("HEIC photo") && message.contains("export it as JPEG"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_refusal_of_a_wrong_shape_names_the_recommended_pixels() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let form = Form::image(&pictures::png(1000, 1000))
        .text("title", "A fox")
        .text("aspect", "portrait");
    let error = ada.import(form).await.expect_error(422, "unsupported_image");
    assert!(error["message"].as_str().unwrap().contains("1152 x 1536"), "{error}");
}

#[tokio::test]
async fn a_wrong_import_is_refused_by_the_fields_name_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let fox = pictures::png(576, 768);
    let form = || Form::image(&fox).text("title", "A fox");
    for (form, field) in [
        (Form::image(&fox), "title"),
        (Form::image(&fox).text("title", " "), "title"),
        (form().text("title", "Again"), "title"),
        (form().text("caption", "two\nlines"), "caption"),
        (form().text("aspect", "round"), "aspect"),
        (form().text("character_ids", "char_none"), "character_ids[0]"),
        (form().text("prompt", "A fox"), "prompt"),
        (form().picture("picture", &fox), "image"),
        (form().text("image_url", "https://pictures.test/fox.png"), "image_url"),
        (form().text("upload_id", "upl_none"), "upload_id"),
        (Form::new().text("title", "A fox"), "image"),
    ] {
        let error = ada.import(form).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{error}");
    }
    for (body, field) in [
        (json!({"title": "A fox"}), "image"),
        (
            json!({"title": "A fox", "upload_id": "upl_1", "image_url": "https://pictures.test/"}),
            "image",
        ),
        (json!({"title": null, "image_url": "https://pictures.test/"}), "title"),
        (json!({"page": {"title": "A fox"}}), "page"),
        (Value::Null, "body"),
    ] {
        let error = ada
            .post("/pages/import", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    check_nothing_happened(&app, &ada).await;
}

#[tokio::test]
async fn a_truncated_form_is_malformed() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let kind = Form::media_type();
    let mut body = Form::image(&pictures::png(576, 768)).text("title", "A fox").finish();
    body.truncate(body.len() / 2);
    ada.send("POST", "/pages/import", &[("content-type", &kind)], body.into())
        .await
        .expect_error(400, "invalid_request");
    let kind = [("content-type", "multipart/form-data")];
    ada.send("POST", "/pages/import", &kind, "x".into())
        .await
        .expect_error(400, "invalid_request");
    ada.send("POST", "/pages/import", &[("content-type", "image/png")], "x".into())
        .await
        .expect_error(415, "unsupported_media_type");
    check_nothing_happened(&app, &ada).await;
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_and_nothing_is_stored() {
    let web = Web::open().await;
    let app = TestApp::builder()
        .fetcher(web.fetcher())
        .config(|config| config.import_max_mb = 1)
        .start()
        .await;
    let ada = app.account(3).await;
    let form = Form::image(&vec![0; 1_000_001]).text("title", "A fox");
    ada.import(form).await.expect_error(413, "payload_too_large");
    web.file("/large.png", &vec![0; 1_000_001]);
    let body = json!({"title": "A fox", "image_url": "https://pictures.test/large.png"});
    ada.post("/pages/import", &body)
        .await
        .expect_error(413, "payload_too_large");
    check_nothing_happened(&app, &ada).await;
}

#[tokio::test]
async fn a_character_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    let pip = app.ready_character(&ben, "Pip").await;
    let form = Form::image(&pictures::png(576, 768)).text("title", "A fox");
    ada.import(form.text("character_ids", &pip))
        .await
        .expect_fields(&["character_ids[0]"]);
}

#[tokio::test]
async fn every_kind_of_picture_becomes_a_page() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    for (file, aspect) in [
        (pictures::png(768, 576), "landscape"),
        (pictures::jpeg(768, 576), "landscape"),
        (pictures::webp(768, 576), "landscape"),
        (pictures::photograph(768, 576), "landscape"),
        (pictures::sixteen_bit_png(768, 576), "landscape"),
        (pictures::CMYK_JPEG.to_vec(), "landscape"),
        // The stored orientation turns it upright.
        (pictures::tilted_png(768, 576), "portrait"),
    ] {
        let form = Form::image(&file).text("title", "A fox");
        assert_eq!(ada.import(form).await.expect(201)["page"]["aspect"], aspect);
    }
    app.check_books().await;
}

/// The parser buffers all bytes before a field until the field begins.
#[tokio::test]
async fn an_endless_preamble_of_a_field_is_cut_off() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let headers = [("content-type", "multipart/form-data; boundary=x")];
    for beginning in [
        "--x\r\nA: ",
        "no boundary: ",
        "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA\r\n--x\r\nA: ",
    ] {
        let sent = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counter = sent.clone();
        let first = futures::stream::iter([bytes::Bytes::from_static(beginning.as_bytes())]);
        let endless = futures::stream::repeat_with(move || {
            counter.fetch_add(8192, std::sync::atomic::Ordering::Relaxed);
            bytes::Bytes::from_static(&[b'a'; 8192])
        });
        let body = futures::StreamExt::chain(first, endless);
        let body = futures::StreamExt::map(body, Ok::<_, std::io::Error>);
        let reply = ada
            .send("POST", "/pages/import", &headers, axum::body::Body::from_stream(body))
            .await;
        reply.expect_error(400, "invalid_request");
        let sent = sent.load(std::sync::atomic::Ordering::Relaxed);
        assert!(sent < 200_000, "{sent} bytes were taken of {beginning:?}");
    }
    check_nothing_happened(&app, &ada).await;
}
