//! Draws one page to a PNG file for inspection: `cargo run --release -p sketchbook --example draw -- --help`.

use std::process::ExitCode;
use std::time::Instant;

use linepress_plugin_sdk::v1::image::{
    Aspect, Audience, Character, Coloring, Detail, DrawRequest, FrameStyle, LineWeight, Pixels, Purpose, USUAL_LOOK,
};

const HELP: &str = "draw [--audience toddler|child|teen|adult] [--aspect square|portrait|landscape] [--seed N]
     [--book-seed N] [--purpose page|cover|character] [--color] [--lines thin|medium|bold] [--detail simple|medium|detailed]
     [--frame none|plain|rounded|doubled|notched|scooped|scalloped|beaded|stitched]
      [--character 'Name: description']... [--out FILE] PROMPT";

fn main() -> ExitCode {
    match request(std::env::args().skip(1)) {
        Some((request, path)) => draw(&request, &path),
        None => {
            eprintln!("{HELP}");
            ExitCode::FAILURE
        }
    }
}

fn draw(request: &DrawRequest, path: &str) -> ExitCode {
    let start = Instant::now();
    let page = match sketchbook::draw(request) {
        Ok(page) => page,
        Err(error) => {
            eprintln!("{error:?}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!("{path}: {} bytes in {} ms", page.png.len(), start.elapsed().as_millis());
    if let Some(note) = page.note {
        eprintln!("{path}: {note}");
    }
    match std::fs::write(path, page.png) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn request(mut arguments: impl Iterator<Item = String>) -> Option<(DrawRequest, String)> {
    let mut path = "page.png".to_string();
    let mut request = DrawRequest {
        purpose: Purpose::Page,
        prompt: String::new(),
        title: String::new(),
        aspect: Aspect::Portrait,
        size: Pixels {
            width: 1152,
            height: 1536,
        },
        audience: Audience::Child,
        coloring: Coloring::LineArt,
        look: USUAL_LOOK,
        characters: Vec::new(),
        source: None,
        change: None,
        seed: 1,
        book_seed: None,
        extra: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--audience" => {
                request.audience = match arguments.next()?.as_str() {
                    "toddler" => Audience::Toddler,
                    "child" => Audience::Child,
                    "teen" => Audience::Teen,
                    "adult" => Audience::Adult,
                    _ => return None,
                }
            }
            "--aspect" => {
                (request.aspect, request.size) = match arguments.next()?.as_str() {
                    "square" => (
                        Aspect::Square,
                        Pixels {
                            width: 1024,
                            height: 1024,
                        },
                    ),
                    "portrait" => (
                        Aspect::Portrait,
                        Pixels {
                            width: 1152,
                            height: 1536,
                        },
                    ),
                    "landscape" => (
                        Aspect::Landscape,
                        Pixels {
                            width: 1536,
                            height: 1152,
                        },
                    ),
                    _ => return None,
                }
            }
            "--book-seed" => request.book_seed = Some(arguments.next()?.parse().ok()?),
            "--seed" => request.seed = arguments.next()?.parse().ok()?,
            "--purpose" => {
                request.purpose = match arguments.next()?.as_str() {
                    "page" => Purpose::Page,
                    "cover" => Purpose::Cover,
                    "character" => Purpose::Character,
                    _ => return None,
                }
            }
            "--character" => {
                let text = arguments.next()?;
                let (name, description) = text.split_once(':').unwrap_or((&text, ""));
                request.characters.push(Character {
                    name: name.trim().to_string(),
                    description: description.trim().to_string(),
                    style: String::new(),
                    seed: 1,
                    reference: None,
                });
            }
            "--color" => {
                request.purpose = Purpose::Cover;
                request.coloring = Coloring::Color;
            }
            "--lines" => {
                request.look.line_weight = Some(match arguments.next()?.as_str() {
                    "thin" => LineWeight::Thin,
                    "medium" => LineWeight::Medium,
                    "bold" => LineWeight::Bold,
                    _ => return None,
                });
            }
            "--detail" => {
                request.look.detail = Some(match arguments.next()?.as_str() {
                    "simple" => Detail::Simple,
                    "medium" => Detail::Medium,
                    "detailed" => Detail::Detailed,
                    _ => return None,
                });
            }
            "--frame" => request.look.frame = Some(frame_style(&arguments.next()?)?),
            "--out" => path = arguments.next()?,
            option if option.starts_with("--") => return None,
            _ => request.prompt = argument,
        }
    }
    (!request.prompt.is_empty()).then_some((request, path))
}

fn frame_style(name: &str) -> Option<FrameStyle> {
    Some(match name {
        "none" => FrameStyle::None,
        "plain" => FrameStyle::Plain,
        "rounded" => FrameStyle::Rounded,
        "doubled" => FrameStyle::Doubled,
        "notched" => FrameStyle::Notched,
        "scooped" => FrameStyle::Scooped,
        "scalloped" => FrameStyle::Scalloped,
        "beaded" => FrameStyle::Beaded,
        "stitched" => FrameStyle::Stitched,
        _ => return None,
    })
}
