//! The observations on the pages, and the findings that follow from them.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use linepress_printers::{Edition, FileRules, Part};
use lopdf::{Dictionary, Document};

use crate::content::{Event, Ink, Picture, Text};
use crate::cover_areas::CoverAreas;
use crate::fonts::missing;
use crate::margins::Limits;
use crate::report::{Findings, Rule};

type Pages = BTreeSet<u32>;
/// The maximum number of different fonts, inks and so on that are recorded.
const MAX_NAMES_PER_KIND: usize = 50;

/// The pictures beyond a resolution limit, and the worst of them.
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

    /// Describes the worst picture in words.
    fn description(&self) -> Option<String> {
        let (ppi, Picture { width, height, .. }) = self.worst?;
        Some(format!(
            "a picture of {width} x {height} pixels is printed at {ppi:.0} ppi"
        ))
    }
}

/// The observations so far.
pub(crate) struct Seen<'a> {
    document: &'a Document,
    rules: FileRules,
    /// The current page, counted from 1.
    page: u32,
    is_blank: bool,
    limits: Limits,
    blank: Pages,
    outside: BTreeMap<&'static str, Pages>,
    low: Extreme,
    high: Extreme,
    inks: BTreeMap<(Ink, bool), Pages>,
    fonts: BTreeMap<String, Pages>,
    /// The fonts that were already checked, by address, with the name of each that is not embedded.
    known_fonts: HashMap<*const Dictionary, Option<String>>,
    transparency: BTreeMap<&'static str, Pages>,
    damage: BTreeMap<&'static str, Pages>,
    cover: Option<CoverAreas>,
    hidden: Pages,
    glyphless: Pages,
    /// The smallest type below the limit, in points, and the pages that have any.
    small_type: (f64, Pages),
    /// The same for lines, by width.
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

    /// Sets the areas of a cover, so that its content is checked against them.
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
            Event::Line(width) => note_below_limit(&mut self.thin_lines, width, self.rules.least_line, self.page),
            Event::Shape { bounds, is_white } if !is_white => {
                if self.limits.pictures.is_some_and(|limit| !limit.encloses(&bounds)) {
                    note(&mut self.outside, "a shape extends", self.page);
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
            note(&mut self.outside, "text starts", self.page);
        }
        if text.has_missing_glyph {
            self.glyphless.insert(self.page);
        }
        if let Some(cover) = &mut self.cover {
            cover.text(text.place);
        }
        note_below_limit(&mut self.small_type, text.size, self.rules.least_type, self.page);
    }

    fn picture(&mut self, picture: Picture) {
        if let Some(cover) = &mut self.cover {
            cover.ink(&picture.bounds);
        }
        if self
            .limits
            .pictures
            .is_some_and(|limit| !limit.encloses(&picture.bounds))
        {
            note(&mut self.outside, "a picture extends", self.page);
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

    /// Reports the observations that break the printer's rules. `margins` are the margins in words.
    pub(crate) fn report(self, edition: Edition, part: Part, page_count: u32, margins: &str, findings: &mut Findings) {
        let (rules, printer) = (self.rules, edition.name());
        for (reason, pages) in &self.damage {
            let remedy = "export the file again, or repair it";
            findings.warning(Rule::Damaged, pages, format!("the page is damaged: {reason}"), remedy);
        }
        for (what, pages) in &self.outside {
            let message = format!("{what} outside the margins that {printer} requires");
            let remedy = format!("leave {margins} empty");
            findings.warning(Rule::Margins, pages, message, remedy);
        }
        if rules.fonts_embedded {
            for (font, pages) in &self.fonts {
                let message = format!("the font {font} is not embedded, so another font would be printed instead");
                findings.error(Rule::Fonts, pages, message, "embed all fonts when you export the file");
            }
        }
        self.report_type(printer, findings);
        if let Some(cover) = &self.cover {
            cover.report(edition, findings);
        }
        if let Some(description) = self.low.description() {
            let message = format!("{description}, but {printer} asks for {} or more", rules.least_ppi);
            let remedy = "use a picture with more pixels, or place it smaller";
            findings.warning(Rule::LowResolution, &self.low.pages, message, remedy);
        }
        let most = rules.most_ppi.filter(|_| part != Part::Cover);
        if let (Some(description), Some(most)) = (self.high.description(), most) {
            let message = format!("{description}, but {printer} accepts at most {most}");
            let remedy = "use a picture with fewer pixels, or reduce its resolution when you export the file";
            findings.warning(Rule::HighResolution, &self.high.pages, message, remedy);
        }
        // Covers are printed in color.
        let is_gray = rules.gray_only && part != Part::Cover;
        for ((ink, is_picture), pages) in &self.inks {
            report_ink(ink, *is_picture, pages, is_gray, printer, findings);
        }
        if !rules.transparency {
            for (reason, pages) in &self.transparency {
                let message = format!("the page has {reason}, but {printer} accepts nothing transparent");
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
    /// Reports problems with text and lines.
    fn report_type(&self, printer: &str, findings: &mut Findings) {
        if !self.glyphless.is_empty() {
            let message = "a character that is missing in its font is printed as a box".to_owned();
            let remedy = "choose a font that has it";
            findings.error(Rule::Fonts, &self.glyphless, message, remedy);
        }
        let points = |hundredths: u32| f64::from(hundredths) / 100.0;
        let (size, pages) = &self.small_type;
        if !pages.is_empty() {
            let limit = points(self.rules.least_type);
            let message = format!("text is set at {size:.1} points, but {printer} asks for {limit} or more");
            findings.warning(Rule::SmallType, pages, message, "set it larger");
        }
        let (width, pages) = &self.thin_lines;
        if !pages.is_empty() {
            let limit = points(self.rules.least_line);
            let message = format!("a line is {width:.2} points thick, but {printer} asks for {limit} or more");
            findings.warning(Rule::ThinLines, pages, message, "draw it thicker");
        }
        if !self.rules.annotations && !self.hidden.is_empty() {
            let message = format!("there is invisible text, but {printer} accepts no invisible objects");
            let remedy = "export it without hidden text, such as the text layer of a scan";
            findings.warning(Rule::HiddenText, &self.hidden, message, remedy);
        }
    }
}

/// Records a length below a limit in hundredths of a point. A difference within the rounding error does not count.
fn note_below_limit((worst, pages): &mut (f64, Pages), points: f64, limit: u32, page: u32) {
    const ROUNDING: f64 = 0.02;
    if points.is_finite() && points > 0.0 && points < f64::from(limit) / 100.0 - ROUNDING {
        *worst = worst.min(points);
        pages.insert(page);
    }
}

fn note<K: Ord>(noted: &mut BTreeMap<K, Pages>, key: K, page: u32) {
    if noted.len() < MAX_NAMES_PER_KIND || noted.contains_key(&key) {
        noted.entry(key).or_default().insert(page);
    }
}

fn report_ink(ink: &Ink, is_picture: bool, pages: &Pages, is_gray: bool, printer: &str, findings: &mut Findings) {
    let what = if is_picture { "pictures" } else { "text or shapes" };
    let space = match ink {
        Ink::Spot(name) => {
            let message = format!("{what} use the spot color {name}, which {printer} does not support");
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

/// Reports too many blank pages in a row.
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
        let message = format!("{longest} pages in a row are blank, but {printer} accepts at most {limit} there");
        let remedy = "remove blank pages, or print a line on them that says what they are for";
        findings.error(Rule::BlankPages, &too_many, message, remedy);
    }
}
