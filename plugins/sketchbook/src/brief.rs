//! A request, read: what to draw, for whom, how large, with which seed.

use linepress_plugin_sdk::image::{DrawError, DrawRequest, Purpose};

use crate::characters::Portrait;
use crate::style::Style;
use crate::words::Wish;

/// Larger sheets would not fit the memory of a plugin.
const LARGEST_SIDE: u32 = 4096;
/// Smaller ones cannot hold a drawing.
const SMALLEST_SIDE: u32 = 64;

#[derive(Debug)]
pub struct Brief {
    pub purpose: Purpose,
    pub width: u32,
    pub height: u32,
    pub style: Style,
    pub wish: Wish,
    pub characters: Vec<Portrait>,
    pub seed: u64,
}

impl Brief {
    pub fn read(request: &DrawRequest) -> Result<Self, DrawError> {
        let (width, height) = (request.size.width, request.size.height);
        let allowed = SMALLEST_SIDE..=LARGEST_SIDE;
        if !allowed.contains(&width) || !allowed.contains(&height) {
            return Err(DrawError::Invalid(format!(
                "cannot draw {width}x{height}: sides are {SMALLEST_SIDE} to {LARGEST_SIDE} pixels"
            )));
        }
        if width.max(height) > width.min(height) * 4 {
            return Err(DrawError::Invalid(format!("cannot draw {width}x{height}: too narrow")));
        }
        let style = Style::new(request.audience, width, height);
        let names: Vec<&str> = request
            .characters
            .iter()
            .map(|character| character.name.as_str())
            .collect();
        let mut wish = Wish::within(&request.prompt, &names, &request.title);
        if wish.subjects.is_empty() && !wish.pattern {
            let title = Wish::about(&request.title, &names);
            wish.subjects = title.subjects;
            if wish.settings.is_empty() {
                wish.settings = title.settings;
            }
        }
        let mut characters: Vec<Portrait> = request
            .characters
            .iter()
            .map(|character| Portrait::of(character, &style))
            .collect();
        // The prompt often says again what a character is: "Pip the fox" must not become two foxes.
        wish.subjects.retain(|subject| {
            let same = characters
                .iter()
                .position(|portrait| portrait.label == subject.label && subject.count == 1);
            if let Some(index) = same {
                wish.named[index].extend(&subject.has);
            }
            same.is_none()
        });
        for (portrait, possessions) in characters.iter_mut().zip(&wish.named) {
            portrait.take(&possessions.held, &style, request.seed);
        }
        let seed = mix(request.seed, &request.prompt);
        Ok(Self {
            purpose: request.purpose,
            width,
            height,
            style,
            wish,
            characters,
            seed,
        })
    }
}

/// FNV-1a over the text, started with the seed: equal requests give equal drawings on every machine.
pub fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
