//! Turning a photograph into the picture that clients get, compared with libvips through pyvips.
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use linepress_imaging::normalise;
use linepress_model::Aspect;

use crate::python::Python;
use crate::report::{Comparison, Unit, rounds};
use crate::scene;

const ROUNDS: usize = 15;
const PICTURES: u32 = 4;
/// 12 megapixels, like a phone camera.
const WIDTH: u32 = 4000;
const HEIGHT: u32 = 3000;

/// Measures the comparison; returns none without pyvips, after `cargo xtask bench` has reported that it is missing.
pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let Some(python) = std::env::var_os("LINEPRESS_TEST_BENCH_PYTHON") else {
        return Ok(Vec::new());
    };
    let folder = tempfile::tempdir()?;
    let start = |environment| Python::start(&python, include_str!("vips.py"), environment);
    let (mut many, mut one) = (start(&[])?, start(&[("VIPS_CONCURRENCY", "1")])?);
    let photograph = folder.path().join("photograph.jpg");
    write_photograph(folder.path(), &photograph, &mut many)?;
    let bytes = std::fs::read(&photograph)?;
    let read = format!("read {}", photograph.display());
    let (theirs, threads) = (many.ask(&read)?, many.ask("threads")?);
    one.ask(&read)?;
    let ours = normalise(&bytes, Some(Aspect::Landscape))?.len();
    let of = bytes.len();
    eprintln!("from {of} bytes: our PNG has {ours} bytes, libvips' {theirs}; it uses {threads} threads, or 1");

    let ours = async || {
        let began = Instant::now();
        for _ in 0..PICTURES {
            black_box(normalise(black_box(&bytes), Some(Aspect::Landscape))?);
        }
        Ok(began.elapsed().as_secs_f64() * 1e3 / f64::from(PICTURES))
    };
    let target = "ratio 1.0 or less";
    Ok(vec![
        Comparison::new("normalise 12 megapixels", Unit::Milliseconds, target)
            .run(rounds(ROUNDS), ours, async || many.time(PICTURES))
            .await?,
        Comparison::new("the same, libvips on 1 thread", Unit::Milliseconds, target)
            .run(rounds(ROUNDS), ours, async || one.time(PICTURES))
            .await?,
    ])
}

/// Writes the JPEG that both sides read: quality 90, chroma at half the resolution.
fn write_photograph(folder: &Path, photograph: &Path, vips: &mut Python) -> anyhow::Result<()> {
    let pixels = folder.join("photograph.raw");
    std::fs::write(&pixels, scene::photograph(WIDTH, HEIGHT))?;
    let write = format!("write {} {WIDTH} {HEIGHT} {}", pixels.display(), photograph.display());
    vips.ask(&write)?;
    Ok(())
}
