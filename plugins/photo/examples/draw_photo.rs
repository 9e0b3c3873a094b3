//! Draws a photograph as a page or a character:
//! `cargo run -p photo --example draw_photo -- photo.jpg page.png child portrait page`.

use std::error::Error;
use std::time::Instant;

use linepress_plugin_sdk::image::{Aspect, Audience, DrawRequest, Media, Pixels, Purpose};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let audience = match argument(2, "child").as_str() {
        "toddler" => Audience::Toddler,
        "child" => Audience::Child,
        "teen" => Audience::Teen,
        "adult" => Audience::Adult,
        other => return Err(format!("no such audience: {other}").into()),
    };
    let (aspect, width, height) = match argument(3, "portrait").as_str() {
        "square" => (Aspect::Square, 1024, 1024),
        "portrait" => (Aspect::Portrait, 1152, 1536),
        "landscape" => (Aspect::Landscape, 1536, 1152),
        other => return Err(format!("no such aspect: {other}").into()),
    };
    let purpose = match argument(4, "page").as_str() {
        "page" => Purpose::Page,
        "character" => Purpose::Character,
        other => return Err(format!("no such purpose: {other}").into()),
    };
    let request = DrawRequest {
        purpose,
        prompt: String::new(),
        title: String::new(),
        aspect,
        size: Pixels { width, height },
        audience,
        characters: Vec::new(),
        source: Some(Media {
            media_type: "image/jpeg".to_owned(),
            bytes: std::fs::read(argument(0, "photo.jpg"))?,
        }),
        seed: 1,
        extra: Vec::new(),
    };
    let start = Instant::now();
    let page = photo::draw(&request).map_err(|error| format!("{error:?}"))?;
    eprintln!("{} bytes in {} ms", page.len(), start.elapsed().as_millis());
    std::fs::write(argument(1, "page.png"), page)?;
    Ok(())
}
