//! The cost of the sandbox, compared with an Extism plugin that does the same work as `testbed.echo`: instantiating
//! and calling a component of each world, and loading one with an empty cache and from the cache.
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use linepress_model::{Aspect, Audience};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{DrawOptions, DrawRequest, LayoutBook, LayoutDrawing, PluginSettings, Plugins, Purpose};

use crate::app::from_environment;
use crate::component;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 15;
const LOADS: usize = 5;
const CALLS: u32 = 1_000;

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let folder = tempfile::tempdir()?;
    let Some(mut peer) = Peer::start(&folder.path().join("extism"))? else {
        eprintln!("skipped: the comparison of plugins with Extism, which was not built");
        return Ok(Vec::new());
    };
    let testbed = from_environment("LINEPRESS_TEST_TESTBED")?;
    let worlds = settings(
        folder.path(),
        &testbed,
        &["testbed.echo", "testbed.plain", "testbed.folio"],
    )?;
    let mut comparisons = calls(&Plugins::load(worlds).await?, &mut peer).await?;
    let shipped = from_environment("LINEPRESS_TEST_PLUGINS")?;
    for (source, id) in [
        (&testbed, "testbed.echo"),
        (&shipped, "linepress.storyboard"),
        (&shipped, "linepress.sketchbook"),
        (&shipped, "linepress.classic"),
    ] {
        let alone = tempfile::tempdir()?;
        comparisons.extend(loads(id, settings(alone.path(), source, &[id])?, &mut peer).await?);
    }
    Ok(comparisons)
}

/// Returns the settings for a folder with these plugins and a separate cache.
fn settings(within: &Path, source: &Path, ids: &[&str]) -> anyhow::Result<PluginSettings> {
    let config = Config {
        data_dir: within.to_owned(),
        plugins_dir: within.join("plugins.d"),
        ..Config::default()
    };
    std::fs::create_dir(&config.plugins_dir)?;
    for id in ids {
        std::os::unix::fs::symlink(source.join(id), config.plugins_dir.join(id))?;
    }
    Ok(plugin_settings(
        &config.completed()?,
        from_environment("LINEPRESS_TEST_BINARY")?,
    ))
}

async fn calls(plugins: &Plugins, peer: &mut Peer) -> anyhow::Result<Vec<Comparison>> {
    let planner = plugins.planner("testbed.echo").context("the planner is not loaded")?;
    let provider = plugins
        .image_provider("testbed.plain")
        .context("the provider is not loaded")?;
    let layout = plugins.layout("testbed.folio").context("the layout is not loaded")?;
    let format = layout
        .description()
        .formats
        .first()
        .context("it has no format")?
        .id
        .as_str();
    let plan = async || {
        black_box(planner.plan(component::request()).await?);
        Ok(())
    };
    let draw = async || {
        black_box(provider.draw(drawing()).await?);
        Ok(())
    };
    let lay_out = async || {
        black_box(layout.lay_out(book(), format).await?);
        Ok(())
    };
    let planned = compare("instantiate and plan", peer, plan).await?;
    let drawn = compare("instantiate and draw a small picture", peer, draw).await?;
    let laid_out = compare("instantiate and lay out", peer, lay_out).await?;
    Ok(vec![planned, drawn, laid_out])
}

async fn compare(
    name: &str,
    peer: &mut Peer,
    once: impl AsyncFn() -> anyhow::Result<()>,
) -> anyhow::Result<Comparison> {
    let ours = async || {
        let began = Instant::now();
        for _ in 0..CALLS {
            once().await?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS))
    };
    Comparison::new(name, Unit::Microseconds, "at most the peer's plan")
        .run(rounds(ROUNDS), ours, async || peer.ask(&format!("calls {CALLS}")))
        .await
}

/// Measures loading up to the first call: loading a plugin calls it for its description.
async fn loads(id: &str, settings: PluginSettings, peer: &mut Peer) -> anyhow::Result<[Comparison; 2]> {
    let cache = settings.cache_directory.clone();
    let cold = async || {
        // The folder does not exist the first time.
        let _ = std::fs::remove_dir_all(&cache);
        load(&settings).await
    };
    let cold = Comparison::new(format!("cold load of {id}"), Unit::Milliseconds, "")
        .run(LOADS, cold, async || Ok(peer.ask("cold")? / 1e3))
        .await?;
    let warm = Comparison::new(format!("warm load of {id}"), Unit::Milliseconds, "")
        .run(
            LOADS,
            async || load(&settings).await,
            async || Ok(peer.ask("warm")? / 1e3),
        )
        .await?;
    Ok([cold, warm])
}

/// Loads the plugins; returns the duration in milliseconds.
async fn load(settings: &PluginSettings) -> anyhow::Result<f64> {
    let began = Instant::now();
    let plugins = Plugins::load(settings.clone()).await?;
    let taken = began.elapsed().as_secs_f64() * 1e3;
    ensure!(plugins.refusals().is_empty(), "refused: {:?}", plugins.refusals());
    Ok(taken)
}

fn drawing() -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox in the snow".into(),
        title: "Fox".into(),
        width: 64,
        height: 64,
        aspect: Aspect::Square,
        audience: Audience::Child,
        characters: Vec::new(),
        source: None,
        seed: 1,
        options: DrawOptions::default(),
    }
}

fn book() -> LayoutBook {
    LayoutBook {
        title: "Woods".into(),
        subtitle: String::new(),
        author: String::new(),
        description: String::new(),
        audience: Audience::Child,
        aspect: Aspect::Portrait,
        has_cover: false,
        drawings: vec![LayoutDrawing {
            title: "Woods 1".into(),
            caption: String::new(),
        }],
        language: "en".into(),
        extra: Vec::new(),
    }
}

/// The Extism host, in a process that serves all measurements.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts the Extism host; returns `None` if it was not built.
    fn start(folder: &Path) -> anyhow::Result<Option<Self>> {
        let built = |name| std::env::var_os(name).map(PathBuf::from);
        let names = ["LINEPRESS_TEST_BENCH_EXTISM", "LINEPRESS_TEST_BENCH_EXTISM_GUEST"];
        let [Some(program), Some(guest)] = names.map(built) else {
            return Ok(None);
        };
        std::fs::create_dir_all(folder)?;
        let mut child = Command::new(program)
            .arg(guest)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the host on Extism does not start")?;
        let input = child.stdin.take().context("it has no standard input")?;
        let output = child.stdout.take().context("it has no standard output")?;
        Ok(Some(Self {
            child,
            input,
            output: BufReader::new(output),
        }))
    }

    /// Sends a command; returns the duration in microseconds.
    fn ask(&mut self, what: &str) -> anyhow::Result<f64> {
        writeln!(self.input, "{what}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim()
            .parse()
            .with_context(|| format!("it responded with {line:?}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
