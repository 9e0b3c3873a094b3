//! Preparing a drawing for storage, compared with OpenCV and libtiff from Python, in CPU time.
use std::hint::black_box;

use anyhow::Context as _;
use linepress_imaging::{faults, prepare_drawing};
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{DrawOptions, DrawRequest, ImageProvider, Purpose};

use crate::app::{BenchApp, from_environment};
use crate::process::cpu_milliseconds;
use crate::python::Python;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 15;
/// The system counts CPU time in steps of ten milliseconds.
const PICTURES: u32 = 4;
const PROVIDER: &str = "linepress.sketchbook";

/// Measures the comparison; returns none without OpenCV, after `cargo xtask bench` has reported that it is missing.
pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let Some(interpreter) = std::env::var_os("LINEPRESS_TEST_BENCH_OPENCV") else {
        return Ok(Vec::new());
    };
    let app = BenchApp::start_with(&[], |config, folder| {
        std::os::unix::fs::symlink(
            from_environment("LINEPRESS_TEST_PLUGINS")?.join(PROVIDER),
            folder.join(PROVIDER),
        )?;
        config.image_providers = vec![PROVIDER.into()];
        Ok(())
    })
    .await?;
    let provider = app
        .server
        .plugins
        .image_provider(PROVIDER)
        .context("the provider is not loaded")?;
    let drawing = draw(&provider).await?;
    let prepared = prepare(&drawing)?;

    let folder = tempfile::tempdir()?;
    let file = folder.path().join("drawing.png");
    std::fs::write(&file, &drawing)?;
    let mut peer = Python::start(&interpreter, include_str!("opencv.py"), &[])?;
    let theirs = peer.ask(&format!("read {}", file.display()))?;
    eprintln!("our PNG and master have {prepared} bytes, those of OpenCV and libtiff {theirs}");

    let host = async || {
        let began = cpu_milliseconds()?;
        for _ in 0..PICTURES {
            black_box(prepare(black_box(&drawing))?);
        }
        Ok((cpu_milliseconds()? - began) / f64::from(PICTURES))
    };
    let host = Comparison::new("prepare a drawing, CPU", Unit::Milliseconds, "ours at most 350 ms")
        .run(rounds(ROUNDS), host, async || peer.time(PICTURES))
        .await?;
    let whole = async || {
        let began = cpu_milliseconds()?;
        for _ in 0..PICTURES {
            black_box(prepare(&draw(&provider).await?)?);
        }
        Ok((cpu_milliseconds()? - began) / f64::from(PICTURES))
    };
    let whole = Comparison::new("draw it, too", Unit::Milliseconds, "ours at most 600 ms")
        .run(rounds(ROUNDS), whole, async || peer.time(PICTURES))
        .await?;
    Ok(vec![host, whole])
}

/// Prepares a provider's drawing as a worker does; returns the number of bytes to store.
fn prepare(drawing: &[u8]) -> anyhow::Result<usize> {
    let prepared = prepare_drawing(drawing, Aspect::Portrait, Audience::Child)?;
    black_box(faults(&prepared.measures, Audience::Child));
    Ok(prepared.image.len() + prepared.master.len())
}

async fn draw(provider: &ImageProvider) -> anyhow::Result<Vec<u8>> {
    let (width, height) = Aspect::Portrait.recommended_pixels();
    let request = DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox and a rabbit have a picnic in the woods".into(),
        title: "A picnic".into(),
        width,
        height,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        characters: Vec::new(),
        source: None,
        seed: 1,
        options: DrawOptions::default(),
    };
    Ok(provider.draw(request).await?.bytes)
}
