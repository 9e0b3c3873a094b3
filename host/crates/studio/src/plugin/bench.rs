//! The command `linepress plugin bench`: measures the calls of a plugin, alone or compared with another version.
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use linepress_model::{Aspect, Audience};
use linepress_platform::config::Config;
use linepress_plugin_host::{CallSink, EndedCall};
use linepress_terminal::{one_line, print_line};

use super::trial::{self, Asked};
use crate::workbench::{Network, Plugin, Workbench};

#[derive(Args)]
pub struct Arguments {
    /// The plugin's folder.
    path: PathBuf,
    /// Another version to compare with, such as the previous one. The two are called alternately, and the ratio of
    /// their times is reported.
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
    /// The number of calls, each with a different seed.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1000))]
    calls: u64,
    /// The subject to draw, or the theme to plan.
    #[arg(long, default_value = "A fox and an owl under an oak")]
    prompt: String,
    /// The shape of the page: square, portrait or landscape.
    #[arg(long, default_value = "portrait", value_parser = trial::aspect)]
    aspect: Aspect,
    /// The audience: toddler, child, teen or adult.
    #[arg(long, default_value = "child", value_parser = trial::audience)]
    audience: Audience,
    /// The number of pages to plan.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    pages: u32,
    /// Answer network requests from a file written by `plugin try --record`. Without it the plugin has no network.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

/// A plugin that is measured.
struct Measured {
    path: PathBuf,
    plugin: Plugin,
    calls: Arc<Calls>,
}

/// The time and the memory that a call used.
#[derive(Debug)]
struct Usage {
    took: Duration,
    memory_bytes: usize,
    memory_limit_bytes: usize,
}

/// The calls that have ended.
#[derive(Debug, Default)]
struct Calls(Mutex<Vec<Usage>>);

impl CallSink for Calls {
    fn ended(&self, call: EndedCall<'_>) {
        self.lock().push(Usage {
            took: call.took,
            memory_bytes: call.memory_bytes,
            memory_limit_bytes: call.memory_limit_bytes,
        });
    }
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Vec<Usage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seconds(&self) -> Vec<f64> {
        self.lock().iter().map(|usage| usage.took.as_secs_f64()).collect()
    }

    /// The most memory that a call used, and the limit, in bytes.
    fn memory(&self) -> (usize, usize) {
        let calls = self.lock();
        let most = calls.iter().map(|usage| usage.memory_bytes).max();
        (
            most.unwrap_or_default(),
            calls.last().map_or(0, |usage| usage.memory_limit_bytes),
        )
    }
}

pub(super) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut versions = vec![load(config, &arguments, &arguments.path).await?];
    if let Some(other) = &arguments.against {
        versions.push(load(config, &arguments, other).await?);
    }
    for seed in 1..=arguments.calls {
        for version in &versions {
            call(version, &arguments, seed).await?;
        }
    }
    for version in &versions {
        report(version);
    }
    if let [one, other] = &versions[..] {
        let pairs = one.calls.seconds().into_iter().zip(other.calls.seconds());
        let ratio = quantile(
            pairs.map(|(one, other)| one / other.max(f64::MIN_POSITIVE)).collect(),
            0.5,
        );
        print_line!(
            "ratio\t{ratio:.2}: the median ratio of the times of {} to those of {}",
            one.path.display(),
            other.path.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn load(config: &Config, arguments: &Arguments, path: &Path) -> anyhow::Result<Measured> {
    let network = match &arguments.replay {
        Some(file) => Network::Replayed(file.clone()),
        None => Network::Offline,
    };
    let mut workbench = Workbench::new(config, path, network, None)?;
    let calls = Arc::new(Calls::default());
    workbench.watch(calls.clone());
    let plugin = match workbench.load().await? {
        Ok((_, plugin)) => plugin,
        Err(reason) => bail!("the plugin in {} is refused: {reason}", path.display()),
    };
    // Loading calls the plugin as well.
    calls.lock().clear();
    Ok(Measured {
        path: path.to_owned(),
        plugin,
        calls,
    })
}

async fn call(version: &Measured, arguments: &Arguments, seed: u64) -> anyhow::Result<()> {
    let asked = Asked {
        prompt: &arguments.prompt,
        aspect: arguments.aspect,
        audience: arguments.audience,
        seed,
    };
    let failure = match &version.plugin {
        Plugin::ImageProvider(provider) => provider.draw(asked.drawing(None)).await.err(),
        Plugin::Planner(planner) => planner.plan(asked.plan(arguments.pages)).await.err(),
        Plugin::Reviewer(reviewer) => reviewer.review_prompt(asked.prompt()).await.err(),
        Plugin::Layout(_) => {
            bail!(
                "`plugin bench` cannot measure layouts. `cargo xtask bench`, in the source of Linepress, measures printing"
            )
        }
    };
    let Some(error) = failure else { return Ok(()) };
    let hint = if arguments.replay.is_none() {
        ". A plugin that uses the network is measured with --replay and a file that `plugin try --record` wrote"
    } else {
        ""
    };
    bail!(
        "call {seed} of {} failed: {}{hint}",
        version.path.display(),
        one_line(&error.to_string())
    )
}

fn report(version: &Measured) {
    let seconds = version.calls.seconds();
    let milliseconds = |share| quantile(seconds.clone(), share) * 1000.0;
    let (most, limit) = version.calls.memory();
    let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
    print_line!("plugin\t{}", version.path.display());
    print_line!("calls\t{}", seconds.len());
    print_line!(
        "time\tmedian {:.1} ms, 90th percentile {:.1} ms, maximum {:.1} ms",
        milliseconds(0.5),
        milliseconds(0.9),
        milliseconds(1.0)
    );
    print_line!("memory\tat most {} of {} MiB", mebibytes(most), mebibytes(limit));
}

/// The smallest value that at least this share of the values does not exceed; 0 without values.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    // The product is at most the number of values.
    let rank = (values.len() as f64 * share).ceil() as usize;
    values.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values = vec![4.0, 1.0, 3.0, 2.0];
        for (share, value) in [(0.5, 2.0), (0.9, 4.0), (1.0, 4.0)] {
            assert!(
                (quantile(values.clone(), share) - value).abs() < f64::EPSILON,
                "{share}"
            );
        }
        assert!(quantile(Vec::new(), 0.5).abs() < f64::EPSILON);
    }
}
