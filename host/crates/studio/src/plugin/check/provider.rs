//! Checks of an image provider: drawings in every aspect for every audience, unusual requests, and canceled calls.
use std::time::{Duration, Instant};

use linepress_imaging::{ArtworkError, Fault, faults, prepare_drawing};
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{CallError, DrawRequest, Drawing, ImageProvider, Media, Purpose};
use linepress_terminal::Report;

use super::calls::{character, fox};
use super::usage;
use linepress_core::characters::CharacterIds;
use linepress_platform::text::Prompt;

/// The maxima over all calls.
#[derive(Default)]
struct Seen {
    slowest: Duration,
    largest: usize,
}

/// Checks the provider, with a picture to draw from if it uses one. A replayed provider returns the same drawing for
/// every request, unless more calls were recorded.
pub(super) async fn check(provider: &ImageProvider, source: Option<&Media>, is_replayed: bool, report: &mut Report) {
    let mut seen = Seen::default();
    let aspects = provider.description().aspects.clone();
    let mut reference = None;
    for aspect in &aspects {
        for audience in Audience::ALL {
            let drawing = drawing(
                provider,
                fox(*aspect, *audience, 1, source),
                is_replayed,
                &mut seen,
                report,
            )
            .await;
            reference = reference.or(drawing);
        }
    }
    for aspect in Aspect::ALL.iter().filter(|aspect| !aspects.contains(aspect)) {
        report.note(
            "aspects",
            &format!("it does not draw {aspect} pictures: requests for {aspect} books fail"),
        );
    }
    if !is_replayed {
        seeds(provider, aspects[0], source, report).await;
    }
    let reference = reference.map(|drawing| Media {
        media_type: drawing.media_type,
        bytes: drawing.bytes,
    });
    for (what, request) in odd(fox(aspects[0], Audience::Child, 3, source), reference) {
        let began = Instant::now();
        let outcome = provider.draw(request).await;
        seen.slowest = seen.slowest.max(began.elapsed());
        report_outcome(what, outcome.map(drop), report);
    }
    broken_off(provider, aspects[0], source, report).await;
    usage(provider.usage(), seen.slowest, Some(seen.largest), report);
}

/// Draws one page, and judges it like a server does.
async fn drawing(
    provider: &ImageProvider,
    request: DrawRequest,
    is_replayed: bool,
    seen: &mut Seen,
    report: &mut Report,
) -> Option<Drawing> {
    let (aspect, audience) = (request.aspect, request.audience);
    let what = format!("{aspect}, {audience}");
    let began = Instant::now();
    let drawing = match provider.draw(request).await {
        Ok(drawing) => drawing,
        Err(error) => {
            report.bad(
                &what,
                &error.to_string(),
                "Make sure that the provider draws this ordinary request.",
            );
            return None;
        }
    };
    let took = began.elapsed();
    seen.slowest = seen.slowest.max(took);
    seen.largest = seen.largest.max(drawing.bytes.len());
    let bytes = drawing.bytes.clone();
    let prepared = tokio::task::spawn_blocking(move || prepare_drawing(&bytes, aspect, audience)).await;
    match prepared {
        Ok(Ok(prepared)) => {
            let found = faults(&prepared.measures, audience);
            if found.is_empty() {
                report.good(&what, &format!("a coloring page, in {:.2} s", took.as_secs_f64()));
            }
            for fault in found {
                report.bad(&what, &format!("not a good coloring page: {fault:?}"), remedy(fault));
            }
        }
        Ok(Err(ArtworkError::WrongShape { .. })) if is_replayed => {
            report.note(&what, "not judged: the recording has no drawing of this shape");
        }
        Ok(Err(error)) => report.bad(
            &what,
            &error.to_string(),
            "Return a PNG, JPEG or WebP of about the size in the request.",
        ),
        Err(panic) => report.bad(&what, &panic.to_string(), "Return an ordinary PNG."),
    }
    Some(drawing)
}

pub(in crate::plugin) fn remedy(fault: Fault) -> &'static str {
    match fault {
        Fault::Blank => "Draw more: almost nothing on the page is black.",
        Fault::TooDark => "Draw outlines only: too much of the page is black.",
        Fault::Shaded => "Draw black on white without gray tones.",
        Fault::Filled => "Leave shapes white: something is filled with black.",
        Fault::Leaking => "Close the outlines: one white area takes more than a third of the page.",
        Fault::TooFine => "Draw larger shapes: too many are too small to color.",
        Fault::TooThin => "Draw thicker lines for this audience.",
    }
}

/// Compares drawings of equal and of different seeds: the same request and seed may give the same drawing, and another
/// seed should give another.
async fn seeds(provider: &ImageProvider, aspect: Aspect, source: Option<&Media>, report: &mut Report) {
    let draw = async |seed| provider.draw(fox(aspect, Audience::Child, seed, source)).await.ok();
    let (one, again, other) = (draw(1).await, draw(1).await, draw(2).await);
    if one.is_none() {
        return;
    }
    match (one == again, one == other) {
        (_, true) => report.note(
            "seeds",
            "another seed gives the same drawing: a customer who asks for a new one gets the old one",
        ),
        (true, _) => report.good(
            "seeds",
            "the same seed gives the same drawing, and another seed a different one",
        ),
        (false, _) => report.note("seeds", "the same seed gives a different drawing each time"),
    }
}

fn odd(ordinary: DrawRequest, reference: Option<Media>) -> Vec<(&'static str, DrawRequest)> {
    let with_prompt = |prompt: String| DrawRequest {
        prompt,
        ..ordinary.clone()
    };
    vec![
        ("a short prompt", with_prompt("x".into())),
        (
            "a long prompt",
            with_prompt(
                "a fox and a hen, "
                    .repeat(Prompt::MAX_CHARS)
                    .chars()
                    .take(Prompt::MAX_CHARS)
                    .collect(),
            ),
        ),
        (
            "a prompt in other letters",
            with_prompt("キツネ \u{1F98A} «лиса»\n\"}]<b>&amp;{{}}".into()),
        ),
        (
            "no title",
            DrawRequest {
                title: String::new(),
                ..ordinary.clone()
            },
        ),
        (
            "the largest seed",
            DrawRequest {
                seed: u64::MAX,
                ..ordinary.clone()
            },
        ),
        (
            "a cover",
            DrawRequest {
                purpose: Purpose::Cover,
                ..ordinary.clone()
            },
        ),
        (
            "a character",
            DrawRequest {
                purpose: Purpose::Character,
                characters: vec![character(1, None)],
                ..ordinary.clone()
            },
        ),
        (
            "many characters, with references",
            DrawRequest {
                characters: (0..)
                    .take(CharacterIds::MAX_CHARACTERS)
                    .map(|number| character(number, reference.clone()))
                    .collect(),
                ..ordinary
            },
        ),
    ]
}

/// Reports the outcome of an unusual request, which a plugin may decline but must not crash on.
pub(super) fn report_outcome(what: &str, outcome: Result<(), CallError>, report: &mut Report) {
    match outcome {
        Ok(()) => report.good(what, "done"),
        Err(error) if error.is_final() => report.note(what, &format!("declined: {error}")),
        Err(error) => report.bad(
            what,
            &error.to_string(),
            "Accept the request, or return the error `refused` or `invalid`, after which a server does not retry.",
        ),
    }
}

/// Checks that a canceled call does not affect the next one. A server cancels calls when it stops or when a drawing is
/// no longer needed.
async fn broken_off(provider: &ImageProvider, aspect: Aspect, source: Option<&Media>, report: &mut Report) {
    let call = provider.draw(fox(aspect, Audience::Child, 4, source));
    let was_late = tokio::time::timeout(Duration::from_millis(5), call).await.is_err();
    let after = provider.draw(fox(aspect, Audience::Child, 5, source)).await;
    let what = "a canceled call";
    match after {
        Ok(_) if was_late => report.good(what, "the next call works"),
        Ok(_) => report.good(what, "the provider draws too fast for a call to be canceled"),
        Err(error) => report.bad(
            what,
            &format!("the next call fails: {error}"),
            "Leave no state behind that only the end of a call cleans up.",
        ),
    }
}
