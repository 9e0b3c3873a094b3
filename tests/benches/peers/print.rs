//! Making a PDF of a book of 40 stored drawings, compared with img2pdf, Typst, WeasyPrint and ReportLab; and the
//! memory that this takes.
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use linepress_imaging::prepare_drawing;
use linepress_model::{Aspect, Audience, Leaf, PrintFormat};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{DrawOptions, DrawRequest, Layout, LayoutBook, LayoutDrawing, Plugins, Purpose};
use linepress_print::{PrintBook, PrintDrawing, RenderJob, RenderSettings, Renderer};
use lopdf::{Document, Object};

use crate::app::from_environment;
use crate::process;
use crate::python::Python;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 9;
const DRAWINGS: usize = 40;

/// Measures the comparisons; returns none without the peers, after `cargo xtask bench` has reported that they are
/// missing.
pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let Some(python) = std::env::var_os("LINEPRESS_TEST_BENCH_PRINT") else {
        return Ok(Vec::new());
    };
    let folder = tempfile::tempdir()?;
    let plugins = Plugins::load(settings(folder.path())?).await?;
    let layout = plugins
        .layout("linepress.classic")
        .context("the layout is not loaded")?;
    let drawings = draw(&plugins, folder.path()).await?;
    let printer = Printer::new(layout, drawings)?;
    let mut peers = Python::start(&python, include_str!("print.py"), &[])?;
    let ready = peers.ask(&format!("folder {} {DRAWINGS}", folder.path().display()))?;
    ensure!(ready == "ready", "the peers return {ready:?}");

    let mut number = 0;
    let mut comparisons = Vec::new();
    let ours = printer.print(DRAWINGS, 0).await?.bytes;
    for (tool, target) in [
        ("img2pdf-command", "ratio 0.5 or less"),
        ("img2pdf", ""),
        ("typst", ""),
        ("weasyprint", "ratio 0.05 or less"),
        ("reportlab", ""),
    ] {
        let theirs = print_by(&mut peers, tool, 0)?.bytes;
        eprintln!(
            "{tool}: our file has {ours} bytes, its {theirs}: {:.2}",
            ours as f64 / theirs as f64
        );
        let (mut cpu, mut wall) = (
            Comparison::new(format!("40 pages, processor time, {tool}"), Unit::Milliseconds, target),
            Comparison::new(format!("40 pages, time, {tool}"), Unit::Milliseconds, ""),
        );
        for _ in 0..rounds(ROUNDS) {
            number += 1;
            let (ours, theirs) = (
                printer.print(DRAWINGS, number).await?,
                print_by(&mut peers, tool, number)?,
            );
            cpu.push(ours.busy, theirs.busy);
            wall.push(ours.took, theirs.took);
        }
        eprintln!("measured {tool}");
        comparisons.extend([cpu, wall]);
    }
    let (more, most) = ("60 MiB more at most", "growth below 0.2 MiB a page");
    comparisons.push(printer.memory(DRAWINGS, 1, more).await?);
    comparisons.push(printer.memory(300, DRAWINGS, most).await?);
    eprintln!("measured memory");
    Ok(comparisons)
}

/// The cost of one book.
struct Printed {
    /// Milliseconds of CPU time.
    busy: f64,
    /// Milliseconds of wall-clock time.
    took: f64,
    bytes: usize,
}

struct Printer {
    layout: Layout,
    format: PrintFormat,
    renderer: Renderer,
    drawings: Vec<bytes::Bytes>,
}

impl Printer {
    fn new(layout: Layout, drawings: Vec<bytes::Bytes>) -> anyhow::Result<Self> {
        let mut formats = layout.description().formats.iter();
        let format = formats
            .find(|format| format.id == "us_letter")
            .context("no us_letter")?;
        let renderer = Renderer::new(RenderSettings {
            program: from_environment("LINEPRESS_TEST_BINARY")?,
            timeout: Duration::from_secs(60),
            memory_limit_bytes: 4 << 30,
            max_concurrent: 1,
            font_folders: Vec::new(),
        });
        Ok(Self {
            format: format.clone(),
            layout,
            renderer,
            drawings,
        })
    }

    /// Prints a book with the first `drawings` drawings. `number` makes its texts differ from those of the previous
    /// book.
    async fn print(&self, drawings: usize, number: usize) -> anyhow::Result<Printed> {
        let drawing = |index: usize| PrintDrawing {
            title: format!("Drawing {index}"),
            caption: format!("Drawing {index} of book {number}"),
            alternative_text: String::new(),
            master: self.drawings[index % self.drawings.len()].clone(),
        };
        let book = PrintBook {
            title: format!("Woodland Friends, volume {number}"),
            subtitle: "A coloring book".into(),
            author: "Ada Lines".into(),
            description: String::new(),
            audience: Audience::Child,
            language: "en".into(),
            isbn: String::new(),
            cover: self.drawings.first().cloned(),
            drawings: (0..drawings).map(drawing).collect(),
        };
        let (busy, began) = (processor_time()?, Instant::now());
        let leaves = self.lay_out(&book).await?;
        let job = RenderJob {
            templates: self.layout.templates(),
            format: &self.format,
            purpose: linepress_print::Purpose::default(),
            leaves: &leaves,
            book: &book,
        };
        let pdf = self.renderer.render(job).await?;
        Ok(Printed {
            took: began.elapsed().as_secs_f64() * 1e3,
            busy: processor_time()? - busy,
            bytes: pdf.len(),
        })
    }

    async fn lay_out(&self, book: &PrintBook) -> anyhow::Result<Vec<Leaf>> {
        let drawings = book.drawings.iter().map(|drawing| LayoutDrawing {
            title: drawing.title.clone(),
            caption: drawing.caption.clone(),
        });
        let book = LayoutBook {
            title: book.title.clone(),
            subtitle: book.subtitle.clone(),
            author: book.author.clone(),
            description: String::new(),
            audience: book.audience,
            aspect: self.format.aspect,
            has_cover: true,
            drawings: drawings.collect(),
            language: book.language.clone(),
            extra: Vec::new(),
        };
        Ok(self.layout.lay_out(book, &self.format.id).await?)
    }

    /// Compares the peak memory of the typesetting process for a large book with that for a small one.
    async fn memory(&self, large: usize, small: usize, target: &'static str) -> anyhow::Result<Comparison> {
        let name = format!("memory of the process, {large} drawings versus {small}");
        let mut comparison = Comparison::new(name, Unit::Mebibytes, target);
        for number in 0..3 {
            let peak = async |drawings| {
                // A new process for each book, because its peak memory never decreases.
                let printer = Self::new(self.layout.clone(), self.drawings.clone())?;
                printer.print(drawings, number).await?;
                let children = process::typesetting()?;
                let peaks = children.iter().filter_map(|child| process::peak_mebibytes(*child).ok());
                anyhow::Ok(peaks.fold(0.0, f64::max))
            };
            let small = peak(small).await?;
            comparison.push(peak(large).await?, small);
        }
        Ok(comparison)
    }
}

/// Returns the CPU time of this process and its children in milliseconds, including children that have ended.
fn processor_time() -> anyhow::Result<f64> {
    let mut all = ticks("self", 13..17)?;
    for child in process::typesetting()? {
        // The process may have ended since.
        all += ticks(&child.to_string(), 13..15).unwrap_or(0.0);
    }
    // Linux reports CPU time to programs in hundredths of a second, whatever its internal clock.
    Ok(all * 10.0)
}

/// Returns the sum of fields of `/proc/PROCESS/stat`, counted from zero.
fn ticks(process: &str, fields: std::ops::Range<usize>) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The second field is the program's name in parentheses, which may contain spaces.
    let (_, rest) = stat.rsplit_once(") ").context("no name in stat")?;
    let values = rest.split(' ').skip(fields.start - 2).take(fields.len());
    Ok(values.filter_map(|value| value.parse::<f64>().ok()).sum())
}

fn settings(within: &Path) -> anyhow::Result<linepress_plugin_host::PluginSettings> {
    let config = Config {
        data_dir: within.to_owned(),
        plugins_dir: from_environment("LINEPRESS_TEST_PLUGINS")?,
        ..Config::default()
    };
    Ok(plugin_settings(
        &config.completed()?,
        from_environment("LINEPRESS_TEST_BINARY")?,
    ))
}

/// Has pictures drawn and writes them in the formats of the peers. Returns the print masters.
async fn draw(plugins: &Plugins, folder: &Path) -> anyhow::Result<Vec<bytes::Bytes>> {
    const SUBJECTS: [&str; 8] = [
        "A fox under an oak",
        "An owl above a lake",
        "A lighthouse on a cliff",
        "A cat with a ball of wool",
        "A rocket among the stars",
        "A garden with a snail",
        "A dragon reads a book",
        "A boat on the river",
    ];
    let provider = plugins
        .image_provider("linepress.sketchbook")
        .context("the provider is not loaded")?;
    let aspect = Aspect::Portrait;
    let (width, height) = aspect.recommended_pixels();
    let mut masters = Vec::new();
    for (index, subject) in SUBJECTS.iter().cycle().take(DRAWINGS).enumerate() {
        let drawing = provider
            .draw(DrawRequest {
                purpose: Purpose::Page,
                prompt: (*subject).into(),
                title: (*subject).into(),
                width,
                height,
                aspect,
                audience: Audience::Child,
                characters: Vec::new(),
                source: None,
                seed: index as u64,
                options: DrawOptions::default(),
            })
            .await?;
        let prepared = prepare_drawing(&drawing.bytes, aspect, Audience::Child)?;
        fs::write(folder.join(format!("{:03}.png", index + 1)), &prepared.image)?;
        fs::write(
            folder.join(format!("{:03}.g4.tiff", index + 1)),
            tiff_of(&prepared.master)?,
        )?;
        masters.push(prepared.master.into());
    }
    Ok(masters)
}

/// Returns the picture of a print master as a TIFF of one strip: the same CCITT Group 4 bytes with another header.
fn tiff_of(master: &[u8]) -> anyhow::Result<Vec<u8>> {
    let document = Document::load_mem(master)?;
    let mut streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    let image = streams
        .find(|stream| {
            stream
                .dict
                .get(b"Filter")
                .and_then(Object::as_name)
                .is_ok_and(|name| name == b"CCITTFaxDecode")
        })
        .context("no picture of CCITT Group 4 in the master")?;
    let side = |name: &[u8]| anyhow::Ok(u32::try_from(image.dict.get(name)?.as_i64()?)?);
    let (width, height) = (side(b"Width")?, side(b"Height")?);
    let bytes = u32::try_from(image.content.len())?;
    const SHORT: u16 = 3;
    const LONG: u16 = 4;
    let entries: [(u16, u16, u32); 9] = [
        (256, LONG, width),
        (257, LONG, height),
        (258, SHORT, 1),
        // CCITT Group 4.
        (259, SHORT, 4),
        // White is zero.
        (262, SHORT, 0),
        // The data follows this header directly.
        (273, LONG, 8 + 2 + 9 * 12 + 4),
        (277, SHORT, 1),
        (278, LONG, height),
        (279, LONG, bytes),
    ];
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    tiff.extend(9_u16.to_le_bytes());
    for (tag, kind, value) in entries {
        tiff.extend(tag.to_le_bytes());
        tiff.extend(kind.to_le_bytes());
        tiff.extend(1_u32.to_le_bytes());
        tiff.extend(value.to_le_bytes());
    }
    tiff.extend(0_u32.to_le_bytes());
    tiff.extend(&image.content);
    Ok(tiff)
}

fn print_by(peers: &mut Python, tool: &str, number: usize) -> anyhow::Result<Printed> {
    let response = peers.ask(&format!("{tool} {number}"))?;
    let mut values = response.split(' ');
    let mut next = || values.next().with_context(|| format!("{tool} returns {response:?}"));
    Ok(Printed {
        busy: next()?.parse()?,
        took: next()?.parse()?,
        bytes: next()?.parse()?,
    })
}
