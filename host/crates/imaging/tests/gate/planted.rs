//! Sixty drawings of mixed quality, each with the decision that the gate should make.
use fastrand::Rng;
use linepress_imaging::Fault;
use linepress_model::{Aspect, Audience};

use crate::scenes::{Scene, pen};
use crate::sheet::Sheet;

/// The decision that the gate should make about a drawing.
pub(crate) enum Truth {
    /// The drawing is a good coloring page as it is.
    Good,
    /// The drawing is good once its gaps are closed. It then has as many shapes as `whole`, the drawing without gaps.
    Repairable { whole: Vec<u8> },
    /// The drawing is bad and has at least this fault.
    Bad(Fault),
}

pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) aspect: Aspect,
    pub(crate) audience: Audience,
    pub(crate) truth: Truth,
}

/// Returns the drawings, which are the same in every run.
pub(crate) fn drawings() -> Vec<Planted> {
    let kinds: [(&'static str, usize, Draw); 15] = [
        ("clean", 12, clean),
        ("framed", 4, framed),
        ("slips of the pen", 6, slips),
        ("dirt", 5, dirt),
        ("JPEG noise", 7, jpeg_noise),
        ("washed with gray", 3, washed),
        ("shaded", 3, shaded),
        ("gray paper", 1, gray_paper),
        ("solid fill", 5, filled),
        ("leaking", 5, leaking),
        ("too fine", 3, too_fine),
        ("slivers", 1, slivers),
        ("too thin", 2, too_thin),
        ("too dark", 2, too_dark),
        ("blank", 1, blank),
    ];
    let mut drawings = Vec::new();
    for (name, count, draw) in kinds {
        for number in 0..count {
            let page = Page {
                rng: Rng::with_seed(drawings.len() as u64),
                aspect: Aspect::ALL[number % Aspect::ALL.len()],
                audience: Audience::ALL[number % Audience::ALL.len()],
                number,
            };
            let (aspect, (audience, bytes, truth)) = (page.aspect, draw(page));
            drawings.push(Planted {
                name,
                bytes,
                aspect,
                audience,
                truth,
            });
        }
    }
    drawings
}

type Draw = fn(Page) -> (Audience, Vec<u8>, Truth);

struct Page {
    rng: Rng,
    aspect: Aspect,
    audience: Audience,
    /// The number of the drawing among those of its kind.
    number: usize,
}

impl Page {
    fn things(&mut self) -> Scene {
        Scene::of_things(&mut self.rng, self.aspect, self.audience)
    }

    fn framed(&mut self, holes: usize) -> Scene {
        Scene::framed(&mut self.rng, self.aspect, self.audience, holes)
    }

    fn good(&self, bytes: Vec<u8>) -> (Audience, Vec<u8>, Truth) {
        (self.audience, bytes, Truth::Good)
    }

    fn bad(&self, sheet: &Sheet, fault: Fault) -> (Audience, Vec<u8>, Truth) {
        (self.audience, sheet.png(), Truth::Bad(fault))
    }
}

fn clean(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let bytes = page.things().drawn().png();
    page.good(bytes)
}

fn framed(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let bytes = page.framed(0).drawn().png();
    page.good(bytes)
}

fn slips(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let seed = page.rng.clone();
    let whole = page.things().drawn().png();
    page.rng = seed;
    // On paper, gaps of 1.5, 1.2, 0.8 and 0.5 mm are closed. A millimeter has a little more than 6 pixels.
    let widest = match page.audience {
        Audience::Toddler => 8.0,
        Audience::Child => 6.0,
        Audience::Teen => 4.0,
        Audience::Adult => 2.5,
    };
    let hole = widest * (0.4 + 0.6 * page.number as f64 / 5.0);
    let scene = page.things().with_slips(&mut page.rng, 2 + page.number % 3, hole);
    (page.audience, scene.drawn().png(), Truth::Repairable { whole })
}

/// Specks of a few pixels all over the page, like the dust on a scan.
fn dirt(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let mut sheet = page.things().drawn();
    for _ in 0..300 * (page.number + 1) {
        let (x, y) = (page.rng.u32(0..sheet.width - 1), page.rng.u32(0..sheet.height - 1));
        let (across, down) = (page.rng.u32(1..3), page.rng.u32(1..3));
        for (x, y) in (y..y + down).flat_map(|y| (x..x + across).map(move |x| (x, y))) {
            sheet.pixels[(y * sheet.width + x) as usize] = page.rng.u8(0..90);
        }
    }
    let bytes = sheet.png();
    page.good(bytes)
}

fn jpeg_noise(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let scene = if page.number.is_multiple_of(2) {
        page.things()
    } else {
        page.framed(0)
    };
    let bytes = scene.drawn().jpeg([90, 75, 60, 50, 40, 30, 20][page.number]);
    page.good(bytes)
}

/// Fills every thing with an even tone.
fn washed(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let scene = page.things();
    let mut sheet = scene.drawn();
    for thing in &scene.things {
        let tone = page.rng.u8(90..215);
        sheet.fill(&thing.outline, |_| tone);
    }
    page.bad(&sheet, Fault::Shaded)
}

/// Soft shadows from one side, a habit of drawing models.
fn shaded(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let scene = page.things();
    let mut sheet = scene.drawn();
    let width = f64::from(sheet.width);
    for thing in &scene.things {
        sheet.fill(&thing.outline, |(x, y)| {
            (150.0 + 70.0 * ((x + y) / width * 9.0).sin()).round() as u8
        });
    }
    page.bad(&sheet, Fault::Shaded)
}

fn gray_paper(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let mut sheet = page.things().drawn();
    for pixel in &mut sheet.pixels {
        *pixel = (*pixel).min(page.rng.u8(180..200));
    }
    page.bad(&sheet, Fault::Shaded)
}

fn filled(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    // The things on an adult's page are all too small for this fault.
    page.audience = [Audience::Toddler, Audience::Child, Audience::Teen][page.number % 3];
    let scene = page.things();
    let mut sheet = scene.drawn();
    for thing in scene.things.iter().take(1 + page.number / 2) {
        sheet.fill(&thing.outline, |_| 0);
    }
    page.bad(&sheet, Fault::Filled)
}

fn leaking(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let sheet = page.framed(5).drawn();
    page.bad(&sheet, Fault::Leaking)
}

/// A mosaic of cells that are too small to color.
fn too_fine(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    page.audience = [Audience::Child, Audience::Teen, Audience::Adult][page.number];
    let cells = [12, 16, 26][page.number];
    let (pitch, pen) = (12.0, pen(Audience::Adult));
    let mut sheet = page.things().drawn();
    let end = 200.0 + pitch * f64::from(cells);
    for line in 0..=cells {
        let at = 200.0 + pitch * f64::from(line);
        sheet.stroke(&[(at, 200.0), (at, end)], pen);
        sheet.stroke(&[(200.0, at), (end, at)], pen);
    }
    page.bad(&sheet, Fault::TooFine)
}

/// Stripes narrower than the tip of a crayon.
fn slivers(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    page.audience = Audience::Toddler;
    let mut sheet = Scene::empty(page.aspect, page.audience).drawn();
    for stripe in 0..30 {
        let left = 150.0 + 18.0 * f64::from(stripe);
        let stripe = [
            (left, 200.0),
            (left + 18.0, 200.0),
            (left + 18.0, 420.0),
            (left, 420.0),
            (left, 200.0),
        ];
        sheet.stroke(&stripe, 5.0);
    }
    page.bad(&sheet, Fault::TooFine)
}

fn too_thin(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let mut scene = page.things();
    scene.pen = 1.1;
    page.bad(&scene.drawn(), Fault::TooThin)
}

fn too_dark(mut page: Page) -> (Audience, Vec<u8>, Truth) {
    let mut scene = page.things();
    let (width, height) = page.aspect.recommended_pixels();
    for line in 0..height / 60 {
        let y = f64::from(line * 60);
        scene.lines.push(vec![(0.0, y), (f64::from(width), y + 20.0)]);
    }
    scene.pen = 24.0;
    page.bad(&scene.drawn(), Fault::TooDark)
}

fn blank(page: Page) -> (Audience, Vec<u8>, Truth) {
    let sheet = Scene::empty(page.aspect, page.audience).drawn();
    page.bad(&sheet, Fault::Blank)
}
