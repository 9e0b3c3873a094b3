//! Unusual, broken, enormous and fake pictures: each is imported with the right look, or leaves nothing behind.
use axum::body::Body;
use image::GrayImage;
use serde_json::{Value, json};

use crate::test_app::pictures::{self, ANIMATED_WEBP, CMYK_JPEG, SVG};
use crate::test_app::{Actor, Form, Reply, TestApp};

async fn import(actor: &Actor, name: &str, bytes: &[u8]) -> Reply {
    let form = Form::titled("Mine").picture(name, bytes);
    actor.import(form).await
}

/// Returns the page of an import that must be accepted, and its image.
async fn imported(actor: &Actor, name: &str, bytes: &[u8]) -> (Value, GrayImage) {
    let reply = import(actor, name, bytes).await;
    let page = reply.expect(201)["page"].clone();
    let path = format!("/pages/{}", page["id"].as_str().unwrap());
    assert!(reply.header("location").ends_with(&path));
    assert_eq!(
        (&page["status"], &page["origin"]),
        (&json!("ready"), &json!("imported")),
        "{name}"
    );
    let image = actor.get(page["image"]["url"].as_str().unwrap()).await;
    assert_eq!(
        (image.status.as_u16(), image.header("content-type")),
        (200, "image/png"),
        "{name}"
    );
    let shown = image::load_from_memory(&image.body).unwrap().into_luma8();
    let size = json!([shown.width(), shown.height()]);
    assert_eq!(json!([page["image"]["width"], page["image"]["height"]]), size, "{name}");
    (page, shown)
}

#[tokio::test]
async fn sixteen_bits_and_every_format_show_the_same() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let (page, plain) = imported(&ada, "plain.png", &pictures::png(1152, 1536)).await;
    assert_eq!(
        (&page["aspect"], plain.dimensions()),
        (&json!("portrait"), (1152, 1536))
    );
    for (name, bytes) in [
        ("sixteen.png", pictures::sixteen_bit_png(1152, 1536)),
        ("lossless.webp", pictures::webp(1152, 1536)),
    ] {
        assert!(imported(&ada, name, &bytes).await.1 == plain, "{name} looks different");
    }
    let (_, jpeg) = imported(&ada, "lossy.jpg", &pictures::jpeg(1152, 1536)).await;
    let different = jpeg
        .iter()
        .zip(plain.iter())
        .filter(|(one, other)| one.abs_diff(**other) > 60);
    assert!(different.count() < 1000, "a JPEG is not that lossy");
}

#[tokio::test]
async fn a_picture_that_is_to_be_turned_is_stored_upright() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let (page, shown) = imported(&ada, "tilted.png", &pictures::tilted_png(1536, 1152)).await;
    assert_eq!(
        (&page["aspect"], shown.dimensions()),
        (&json!("portrait"), (1152, 1536))
    );
    for (x, y, tone) in shown.enumerate_pixels() {
        // The page is turned clockwise, so that the pixels of a row came from a column of the file, read upwards.
        let outline = y % 100 < 4 || (1151 - x) % 100 < 4;
        assert_eq!(tone.0[0] < 128, outline, "{x}, {y}");
    }
}

#[tokio::test]
async fn a_picture_in_four_inks_has_the_tones_it_prints_with() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let (page, shown) = imported(&ada, "inks.jpg", CMYK_JPEG).await;
    assert_eq!(
        (&page["aspect"], shown.dimensions()),
        (&json!("landscape"), (1536, 1152))
    );
    // Red and green above blue and white.
    for ((x, y), tone) in [(384, 288), (1152, 288), (384, 864), (1152, 864)]
        .into_iter()
        .zip([76_u8, 150, 29, 255])
    {
        let found = shown.get_pixel(x, y).0[0];
        assert!(found.abs_diff(tone) <= 3, "{found} instead of {tone}");
    }
}

#[tokio::test]
async fn data_hidden_in_or_behind_a_picture_is_not_stored() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let hidden = b"<script>alert('grimpenmire')</script>PK\x03\x04grimpenmire.sh#!/bin/sh\n";
    let jpeg = pictures::jpeg(512, 512);
    let length = u16::try_from(hidden.len() + 2).unwrap().to_be_bytes();
    let comment = [&[0xFF, 0xFE][..], &length, hidden].concat();
    for (name, bytes) in [
        ("picture.png.html", [&pictures::png(512, 512)[..], hidden].concat()),
        ("picture.jpg.zip", [&jpeg[..], hidden].concat()),
        ("comment.jpg", [&jpeg[..2], &comment, &jpeg[2..]].concat()),
        ("picture.webp.sh", [&pictures::webp(512, 512)[..], hidden].concat()),
    ] {
        imported(&ada, name, &bytes).await;
    }
    assert_eq!(app.objects().len(), 8, "one picture and one print master per page");
    for key in app.objects() {
        let object = app.server.storage.get(&key).await.unwrap().unwrap();
        assert!(!object.windows(11).any(|bytes| bytes == b"grimpenmire"), "{key}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_a_usable_picture_is_refused_and_leaves_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let script = [&b"GIF89a=1;alert(1)//"[..], &pictures::png(512, 512)].concat();
    for (name, bytes, words) in [
        ("bomb.png", pictures::bomb(), "1024 x 1024"),
        ("wide.png", pictures::png(1600, 1000), "1536 x 1152"),
        ("dot.png", pictures::single_pixel(), "1024 x 1024"),
        ("small.png", pictures::png(192, 256), "1152 x 1536"),
        ("half.jpg", pictures::truncated_jpeg(1152, 1536), "PNG, JPEG or WebP"),
        ("moving.webp", ANIMATED_WEBP.to_vec(), "animated"),
        ("drawing.png", SVG.to_vec(), "PNG, JPEG or WebP"),
        ("empty.png", Vec::new(), "PNG, JPEG or WebP"),
        ("script.gif.png", script, "PNG, JPEG or WebP"),
    ] {
        let error = import(&ada, name, &bytes).await.expect_error(422, "unsupported_image");
        assert!(error["message"].as_str().unwrap().contains(words), "{name}: {error}");
        app.check_nothing_stored(&ada, name).await;
    }
}

#[tokio::test]
async fn an_aspect_that_is_asked_for_is_the_one_whose_pixels_are_recommended() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let form = Form::titled("Mine")
        .text("aspect", "portrait")
        .picture("square.png", &pictures::png(800, 800));
    let error = ada.import(form).await.expect_error(422, "unsupported_image");
    assert!(error["message"].as_str().unwrap().contains("1152 x 1536"), "{error}");
    app.check_nothing_stored(&ada, "square.png").await;
}

#[tokio::test]
async fn a_refused_replacement_leaves_the_page_as_it_was() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let (page, _) = imported(&ada, "plain.png", &pictures::png(1152, 1536)).await;
    let objects = app.objects();
    let path = format!("/pages/{}", page["id"].as_str().unwrap());
    for bytes in [
        pictures::bomb(),
        pictures::png(1024, 1024),
        pictures::truncated_jpeg(1152, 1536),
        SVG.to_vec(),
    ] {
        let form = Form::new().picture("other.png", &bytes);
        let reply = ada.send_form("PUT", &format!("{path}/image"), form).await;
        reply.expect_error(422, "unsupported_image");
        assert_eq!(ada.get(&path).await.expect(200)["page"], page);
        assert_eq!(app.objects(), objects);
    }
}

#[tokio::test]
async fn a_form_that_is_too_large_is_refused_as_such() {
    let app = TestApp::builder()
        .config(|config| config.import_max_mb = 1)
        .start()
        .await;
    let ada = app.account(1).await;
    let long = "x".repeat(100_000);
    for (name, form) in [
        (
            "a large file",
            Form::titled("Mine").picture("large.png", &vec![0; 1_100_000]),
        ),
        (
            "a long text",
            Form::titled(&long).picture("small.png", &pictures::png(512, 512)),
        ),
        ("a long text of no field", Form::titled("Mine").text("other", &long)),
    ] {
        let reply = ada.import(form).await;
        reply.expect_error(413, "payload_too_large");
        app.check_nothing_stored(&ada, name).await;
    }
}

#[tokio::test]
async fn a_form_without_a_picture_or_with_two_is_refused_by_field() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let picture = pictures::png(512, 512);
    for (field, form) in [
        ("image", Form::titled("Mine")),
        (
            "image",
            Form::titled("Mine")
                .picture("one.png", &picture)
                .picture("two.png", &picture),
        ),
        (
            "title",
            Form::titled("Mine").text("title", "Yours").picture("one.png", &picture),
        ),
        ("title", Form::new().picture("one.png", &picture)),
        (
            "aspect",
            Form::titled("Mine")
                .text("aspect", "round")
                .picture("one.png", &picture),
        ),
        (
            "image_url",
            Form::titled("Mine").text("image_url", "https://pictures.test/"),
        ),
        (
            "typo",
            Form::titled("Mine").text("typo", "x").picture("one.png", &picture),
        ),
    ] {
        let reply = ada.import(form).await;
        let error = reply.expect_error(422, "validation_failed");
        assert!(error["details"].to_string().contains(field), "{field}: {error}");
        app.check_nothing_stored(&ada, field).await;
    }
}

#[tokio::test]
async fn a_malformed_form_is_a_bad_request_or_an_unsupported_media_type() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let whole = Form::titled("Mine")
        .picture("one.png", &pictures::png(512, 512))
        .finish();
    let kind = Form::media_type();
    let send = async |kind: &str, body: &[u8]| {
        let headers = [("content-type", kind)];
        ada.send("POST", "/pages/import", &headers, Body::from(body.to_vec()))
            .await
    };
    for length in [0, 10, 60, 120, 200, whole.len() / 2, whole.len() - 8] {
        send(&kind, &whole[..length]).await.expect_error(400, "invalid_request");
        app.check_nothing_stored(&ada, "cut").await;
    }
    send("multipart/form-data", &whole)
        .await
        .expect_error(400, "invalid_request");
    for other in [
        "image/png",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/mixed; boundary=a",
    ] {
        send(other, &whole).await.expect_error(415, "unsupported_media_type");
    }
    app.check_nothing_stored(&ada, "no form").await;
}
