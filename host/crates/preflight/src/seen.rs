//! What was seen on the pages, and what of it a printer minds.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use linepress_printers::{Edition, FileRules, Part};
use lopdf::{Dictionary, Document};

use crate::content::{Event, Ink, Picture, Text};
use crate::cover_areas::CoverAreas;
use crate::fonts::missing;
use crate::margins::Limits;
use crate::report::{Findings, Rule};

type Pages = BTreeSet<u32>;
/// So many fonts, inks and the like are told apart.
const MOST_NAMES: usize = 50;

/// The pictures on one side of a limit, and the one that is farthest from it.
#[derive(Default)]
struct Extreme {
    pages: Pages,
    worst: Option<(f64, Picture)>,
}

impl Extreme {
    fn add(&mut self, page: u32, ppi: f64, picture: Picture, is_worse: impl Fn(f64, f64) -> bool) {
        self.pages.insert(page);
        if self.worst.is_none_or(|(worst, _)| is_worse(ppi, worst)) {
            self.worst = Some((ppi, picture));
        }
    }

    /// What is wrong with the worst of them, in words.
    fn description(&self) -> Option<String> {
        let (ppi, Picture { width, height, .. }) = self.worst?;
        Some(format!(
            "a picture of {width} x {height} pixels is printed at {ppi:.0} ppi"
        ))
    }
}

/// What was seen so far.
pub(crate) struct Seen<'a> {
    document: &'a Document,
    rules: FileRules,
    /// Of the page that is read, counted from one.
    page: u32,
    is_blank: bool,
    limits: Limits,
    blank: Pages,
    outside: BTreeMap<&'static str, Pages>,
    low: Extreme,
    high: Extreme,
    inks: BTreeMap<(Ink, bool), Pages>,
    fonts: BTreeMap<String, Pages>,
    /// Fonts that were looked at, by where they lie in memory.
    known_fonts: HashMap<*const Dictionary, Option<String>>,
    transparency: BTreeMap<&'static str, Pages>,
    damage: BTreeMap<&'static str, Pages>,
    cover: Option<CoverAreas>,
    hidden: Pages,
    glyphless: Pages,
    /// The smallest type and the thinnest line that are too small, in points, and the pages that have any.
    small_type: (f64, Pages),
    thin_lines: (f64, Pages),
}

impl<'a> Seen<'a> {
    pub(crate) fn new(document: &'a Document, rules: FileRules) -> Self {
        Self {
            document,
            rules,
            page: 0,
            is_blank: false,
            limits: Limits::default(),
            blank: Pages::new(),
            outside: BTreeMap::new(),
            low: Extreme::default(),
            high: Extreme::default(),
            inks: BTreeMap::new(),
            fonts: BTreeMap::new(),
            known_fonts: HashMap::new(),
            transparency: BTreeMap::new(),
            damage: BTreeMap::new(),
            cover: None,
            hidden: Pages::new(),
            glyphless: Pages::new(),
            small_type: (f64::MAX, Pages::new()),
            thin_lines: (f64::MAX, Pages::new()),
        }
    }

    /// The file is a cover with these areas.
    pub(crate) fn watch_cover(&mut self, areas: CoverAreas) {
        self.cover = Some(areas);
    }

    pub(crate) fn begin(&mut self, page: u32, limits: Limits) {
        self.page = page;
        self.limits = limits;
        self.is_blank = true;
    }

    pub(crate) fn end(&mut self) {
        if self.is_blank {
            self.blank.insert(self.page);
        }
    }

    pub(crate) fn see(&mut self, event: Event<'a>) {
        match event {
            Event::Paint => self.is_blank = false,
            Event::Picture(picture) => self.picture(picture),
            Event::Text(text) => self.text(text),
            Event::Line(width) => least(&mut self.thin_lines, width, self.rules.least_line, self.page),
            Event::Shape { bounds, is_white } if !is_white => {
                if self.limits.pictures.is_some_and(|limit| !limit.holds(&bounds)) {
                    note(&mut self.outside, "a shape reaches", self.page);
                }
                if let Some(cover) = &mut self.cover {
                    cover.ink(&bounds);
                }
            }
            Event::Shape { .. } => {}
            Event::Ink { ink, is_picture } => note(&mut self.inks, (ink, is_picture), self.page),
            Event::Transparency(reason) => note(&mut self.transparency, reason, self.page),
            Event::Damage(reason) => note(&mut self.damage, reason, self.page),
            Event::Font(font) => {
                let known = self.known_fonts.entry(std::ptr::from_ref(font));
                let missing = known.or_insert_with(|| missing(self.document, font));
                if let Some(name) = missing {
                    note(&mut self.fonts, name.clone(), self.page);
                }
            }
        }
    }

    fn text(&mut self, text: Text) {
        if text.is_hidden {
            self.hidden.insert(self.page);
            return;
        }
        if self.limits.text.is_some_and(|limit| !limit.has(text.place)) {
            note(&mut self.outside, "text begins", self.page);
        }
        if text.has_missing_glyph {
            self.glyphless.insert(self.page);
        }
        if let Some(cover) = &mut self.cover {
            cover.text(text.place);
        }
        least(&mut self.small_type, text.size, self.rules.least_type, self.page);
    }

    fn picture(&mut self, picture: Picture) {
        if let Some(cover) = &mut self.cover {
            cover.ink(&picture.bounds);
        }
        if self.limits.pictures.is_some_and(|limit| !limit.holds(&picture.bounds)) {
            note(&mut self.outside, "a picture reaches", self.page);
        }
        let (across, along) = picture.ppi;
        let (least, most) = (across.min(along), across.max(along));
        if least.round() < f64::from(self.rules.least_ppi) {
            self.low.add(self.page, least, picture, |ppi, worst| ppi < worst);
        }
        if self.rules.most_ppi.is_some_and(|limit| most.round() > f64::from(limit)) {
            self.high.add(self.page, most, picture, |ppi, worst| ppi > worst);
        }
    }

    /// What of all that the printer minds.
    ///
    /// `margins` says in words how wide they are.
    pub(crate) fn report(self, edition: Edition, part: Part, page_count: u32, margins: &str, findings: &mut Findings) {
        let (rules, printer) = (self.rules, edition.name());
        for (reason, pages) in &self.damage {
            let remedy = "make the file anew, or have it repaired";
            findings.warning(Rule::Damaged, pages, format!("the page is damaged: {reason}"), remedy);
        }
        for (what, pages) in &self.outside {
            let message = format!("{what} outside of the margins that {printer} asks for");
            let remedy = format!("keep {margins} free");
            findings.warning(Rule::Margins, pages, message, remedy);
        }
        if rules.fonts_embedded {
            for (font, pages) in &self.fonts {
                let message = format!("the font {font} is not in the file, and would be printed as another");
                findings.error(Rule::Fonts, pages, message, "embed all fonts when you export the file");
            }
        }
        self.report_type(printer, findings);
        if let Some(cover) = &self.cover {
            cover.report(edition, findings);
        }
        if let Some(description) = self.low.description() {
            let message = format!("{description}, and {printer} asks for {} or more", rules.least_ppi);
            let remedy = "use a picture with more pixels, or place it smaller";
            findings.warning(Rule::LowResolution, &self.low.pages, message, remedy);
        }
        let most = rules.most_ppi.filter(|_| part != Part::Cover);
        if let (Some(description), Some(most)) = (self.high.description(), most) {
            let message = format!("{description}, and {printer} takes {most} at most");
            let remedy = "use a picture with fewer pixels, or have them reduced when you export the file";
            findings.warning(Rule::HighResolution, &self.high.pages, message, remedy);
        }
        // A cover is printed in color.
        let is_gray = rules.gray_only && part != Part::Cover;
        for ((ink, is_picture), pages) in &self.inks {
            report_ink(ink, *is_picture, pages, is_gray, printer, findings);
        }
        if !rules.transparency {
            for (reason, pages) in &self.transparency {
                let message = format!("the page has {reason}, and {printer} takes nothing transparent");
                findings.error(
                    Rule::Transparency,
                    pages,
                    message,
                    "flatten transparency when you export the file",
                );
            }
        }
        if part != Part::Cover {
            report_blanks(&self.blank, rules, page_count, printer, findings);
        }
    }
}

impl Seen<'_> {
    /// What is wrong with letters and lines.
    fn report_type(&self, printer: &str, findings: &mut Findings) {
        if !self.glyphless.is_empty() {
            let message = "a character that its font does not have is printed as a box".to_owned();
            let remedy = "choose a font that has it";
            findings.error(Rule::Fonts, &self.glyphless, message, remedy);
        }
        let points = |hundredths: u32| f64::from(hundredths) / 100.0;
        let (size, pages) = &self.small_type;
        if !pages.is_empty() {
            let limit = points(self.rules.least_type);
            let message = format!("text is set at {size:.1} points, and {printer} asks for {limit} or more");
            findings.warning(Rule::SmallType, pages, message, "set it larger");
        }
        let (width, pages) = &self.thin_lines;
        if !pages.is_empty() {
            let limit = points(self.rules.least_line);
            let message = format!("a line has {width:.2} points, and {printer} asks for {limit} or more");
            findings.warning(Rule::ThinLines, pages, message, "draw it thicker");
        }
        if !self.rules.annotations && !self.hidden.is_empty() {
            let message = format!("there is text that is not printed, and {printer} takes no invisible objects");
            let remedy = "export it without hidden text, such as that of recognized scans";
            findings.warning(Rule::HiddenText, &self.hidden, message, remedy);
        }
    }
}

/// Notes what is below a limit in hundredths of a point, by more than rounding.
fn least((worst, pages): &mut (f64, Pages), points: f64, limit: u32, page: u32) {
    const ROUNDING: f64 = 0.02;
    if points.is_finite() && points > 0.0 && points < f64::from(limit) / 100.0 - ROUNDING {
        *worst = worst.min(points);
        pages.insert(page);
    }
}

fn note<K: Ord>(noted: &mut BTreeMap<K, Pages>, key: K, page: u32) {
    if noted.len() < MOST_NAMES || noted.contains_key(&key) {
        noted.entry(key).or_default().insert(page);
    }
}

fn report_ink(ink: &Ink, is_picture: bool, pages: &Pages, is_gray: bool, printer: &str, findings: &mut Findings) {
    let what = if is_picture { "pictures" } else { "text or shapes" };
    let space = match ink {
        Ink::Spot(name) => {
            let message = format!("{what} are in the spot color {name}, which {printer} has not");
            let remedy = "convert spot colors to black, or to the colors of the cover, when you export the file";
            return findings.warning(Rule::SpotColor, pages, message, remedy);
        }
        Ink::Rgb => "RGB",
        Ink::Cmyk => "CMYK",
        Ink::Lab => "Lab",
        Ink::Gray | Ink::Pattern | Ink::Unknown => return,
    };
    if is_gray {
        let message = format!("{what} are in {space}, and the interior is printed with black ink alone");
        let remedy = "convert all colors to grayscale when you export the file";
        findings.warning(Rule::Ink, pages, message, remedy);
    }
}

/// Pages in a row with nothing on them.
fn report_blanks(blank: &Pages, rules: FileRules, page_count: u32, printer: &str, findings: &mut Findings) {
    let Some(limits) = rules.blank_pages else { return };
    let ranges = crate::report::ranges(blank).into_iter();
    let (mut too_many, mut longest, mut limit) = (Pages::new(), 0, 0);
    for range in ranges {
        let most = if range.last == page_count {
            limits.at_end
        } else {
            limits.within
        };
        let length = range.last - range.first + 1;
        if length > most {
            too_many.extend(range.first..=range.last);
            (longest, limit) = (longest, limit).max((length, most));
        }
    }
    if !too_many.is_empty() {
        let message = format!("{longest} pages in a row are blank, and {printer} takes {limit} in such a place");
        let remedy = "take out blank pages, or print a line on them that says what they are for";
        findings.error(Rule::BlankPages, &too_many, message, remedy);
    }
}
