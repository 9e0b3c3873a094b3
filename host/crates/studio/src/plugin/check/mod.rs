//! The command `linepress plugin check`: loads a plugin like a server, and tests it with every kind of call that a
//! server makes.
mod calls;
mod layout;
mod planner;
mod provider;
mod reviewer;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use linepress_platform::config::Config;
use linepress_plugin_host::{CallError, Installed, Media, Preview, SettingsSchema, Usage};
use linepress_terminal::Report;
use serde_json::{Value, json};

pub(super) use provider::remedy;

use super::described::OtherVersion;
use super::source;
use crate::workbench::{Network, Plugin, Workbench};

#[derive(Args)]
pub struct Arguments {
    /// The plugin's folder, in the form in which it is installed.
    path: PathBuf,
    /// A JSON file with the plugin's settings, instead of those in the settings file.
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// A picture to draw from, such as a photograph, for plugins that support it.
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// Answer network requests from a file written by `linepress plugin try --record`. Without it there is no network.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut report = Report::default();
    let network = match &arguments.replay {
        Some(file) => Network::Replayed(file.clone()),
        None => Network::Offline,
    };
    let settings = arguments.settings.as_deref().map(read_settings).transpose()?;
    let source = arguments.source.as_deref().map(source::read).transpose()?;
    let mut workbench = Workbench::new(&config, &arguments.path, network, settings)?;
    match workbench.load().await? {
        Err(reason) => report.bad(
            "folder",
            &format!("a server refuses it: {reason}"),
            "Fix this first; `linepress plugin pack` writes the digest. Nothing further was checked.",
        ),
        Ok((installed, plugin)) => {
            let preview = Preview::read(&arguments.path, &workbench.settings().config).map_err(anyhow::Error::msg)?;
            describe(&installed, &preview, &mut report);
            schema(preview.schema.as_deref(), &mut report);
            for request in preview.requests.lines() {
                report.note("approval", &format!("it asks {request}; an operator must approve this"));
            }
            if preview.requests.uses_network() && arguments.replay.is_none() {
                report.note(
                    "calls",
                    "not made: there is no network in this check; `linepress plugin try --record FILE` makes a call and records it for --replay FILE",
                );
                return Ok(report.finish());
            }
            if let Plugin::ImageProvider(provider) = &plugin
                && let Err(reason) = source::check(provider, source.as_ref())
            {
                report.note("calls", &format!("not made: {reason}"));
                return Ok(report.finish());
            }
            match &plugin {
                Plugin::ImageProvider(provider) => {
                    let is_replayed = arguments.replay.is_some();
                    provider::check(provider, source.as_ref(), is_replayed, &mut report).await;
                }
                Plugin::Planner(planner) => planner::check(planner, &mut report).await,
                Plugin::Layout(layout) => layout::check(layout, &config, &mut report).await,
                Plugin::Reviewer(reviewer) => reviewer::check(reviewer, &mut report).await?,
            }
            odd_settings(&mut workbench, &installed, source.as_ref(), &mut report).await?;
        }
    }
    Ok(report.finish())
}

fn read_settings(file: &Path) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

fn describe(installed: &Installed, preview: &Preview, report: &mut Report) {
    let Some(serving) = &installed.serving else { return };
    let id = installed.id.as_deref().unwrap_or_default();
    report.good("manifest", &format!("{id} {}, {}", serving.version, serving.world));
    report.good(
        "component",
        &format!("compiles and describes itself; digest {}", serving.digest),
    );
    match OtherVersion::of(serving, preview) {
        None => report.good(
            "description",
            &format!("{:?}, version {}", serving.name, serving.version),
        ),
        Some(other) => report.bad("description", &other.finding, &other.remedy),
    }
}

/// Checks that config.json is a JSON Schema with descriptions.
fn schema(text: Option<&str>, report: &mut Report) {
    let Some(text) = text else {
        report.note(
            "settings",
            "config.json, which describes the plugin's settings to operators, is missing",
        );
        return;
    };
    if let Err(problem) = SettingsSchema::parse(text) {
        report.bad(
            "settings",
            &problem,
            "Correct it: without a schema that can be used, wrong settings are saved and the plugin fails with them.",
        );
        return;
    }
    let schema = serde_json::from_str::<Value>(text).ok();
    match schema.as_ref().and_then(|schema| schema["properties"].as_object()) {
        Some(properties) => {
            let names: Vec<_> = properties.keys().cloned().collect();
            report.good("settings", &format!("config.json names {}", names.join(", ")));
            for (name, property) in properties {
                if property["description"].as_str().is_none_or(str::is_empty) {
                    report.note("settings", &format!("{name} has no description for operators"));
                }
            }
        }
        None => report.bad(
            "settings",
            "config.json is not a JSON Schema of an object with properties",
            "Write a schema as described at https://json-schema.org: {\"type\": \"object\", \"properties\": {...}}.",
        ),
    }
}

/// Checks that unknown settings do not crash the plugin: it may ignore them or report them to the operator.
async fn odd_settings(
    workbench: &mut Workbench,
    installed: &Installed,
    source: Option<&Media>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let Some(id) = &installed.id else { return Ok(()) };
    let given = workbench.settings().config.get(id).cloned();
    let mut odd = given.clone().unwrap_or_else(|| json!({}));
    odd["no-such-setting"] = json!([null, {"deep": true}]);
    workbench.configure(id, odd);
    let outcome = match workbench.load().await? {
        Err(reason) => Ok(format!("an unknown setting is refused: {reason}")),
        Ok((_, plugin)) => calls::once(&plugin, source)
            .await
            .map(|()| "an unknown setting is ignored".to_owned()),
    };
    match outcome {
        Ok(finding) => report.good("wrong settings", &finding),
        Err(error @ CallError::Unavailable(_)) => report.good("wrong settings", &format!("are reported: {error}")),
        Err(error) => report.bad(
            "wrong settings",
            &format!("an unknown setting makes the call fail: {error}"),
            "Return the error `unavailable` with the name of the setting, or ignore it, because customers cannot fix an operator's mistake.",
        ),
    }
    workbench.configure(id, given.unwrap_or_else(|| json!({})));
    Ok(())
}

/// Reports the memory, time and response size of the calls so far, compared with the limits.
fn usage(usage: Usage, slowest: std::time::Duration, largest: Option<usize>, report: &mut Report) {
    let limits = usage.limits;
    let share = |used: f64, limit: f64| (100.0 * used / limit).round();
    let peak = usage.peak_memory_bytes as f64 / f64::from(1 << 20);
    let memory = share(peak, f64::from(limits.memory_mib()));
    let finding = format!("at most {peak:.1} MiB of {} ({memory}%)", limits.memory_mib());
    if memory > 80.0 {
        report.bad(
            "memory",
            &finding,
            "Use less memory, or raise limits.memory-mib in plugin.toml.",
        );
    } else {
        report.good("memory", &finding);
    }
    let (seconds, deadline) = (slowest.as_secs_f64(), limits.deadline().as_secs_f64());
    let finding = format!("the slowest call took {seconds:.2} s of {deadline} s");
    if share(seconds, deadline) > 50.0 {
        report.bad(
            "time",
            &finding,
            "Raise limits.deadline-s in plugin.toml: a server may be slower than this machine.",
        );
    } else {
        report.good("time", &finding);
    }
    if let Some(largest) = largest {
        let limit = limits.response_bytes();
        report.good("size", &format!("the largest drawing has {largest} bytes of {limit}"));
    }
}
