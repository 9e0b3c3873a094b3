//! The command `linepress plugin replay`: repeats a logged call, and compares what the two calls returned and used.
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_operator::administration::Actor;
use linepress_operator::administration::plugin_calls::{self, PluginCall};
use linepress_operator::startup::{self, Scope};
use linepress_platform::config::Config;
use linepress_platform::ids::PluginCallId;
use linepress_plugin_host::{CallEnd, CallSink, EndedCall, find_folder};
use linepress_registry::Store;
use linepress_terminal::{one_line, print_line};
use serde_json::Value;

use super::request::{Call, Request};
use crate::workbench::{Network, Plugin, Workbench};

#[derive(Args)]
pub struct Arguments {
    /// The id of the call, which `linepress plugin calls` lists.
    call: String,
    /// The installed version to call. Default: the active one.
    #[arg(long, value_name = "VERSION", conflicts_with = "against")]
    version: Option<String>,
    /// The folder of another version to call, such as one that is not installed.
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
    /// Answer network requests from a file written by `plugin try --record`. Without it, the plugin sends real
    /// requests, which may cost money.
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
}

/// A call that was logged, and its plugin.
struct Logged {
    plugin: String,
    call: PluginCall,
}

/// The repeated call.
#[derive(Debug)]
struct Repeated {
    version: String,
    end: CallEnd,
    requests: usize,
    took: Duration,
    memory_bytes: usize,
}

/// Receives the repeated call.
#[derive(Debug, Default)]
struct Calls(Mutex<Option<Repeated>>);

impl CallSink for Calls {
    fn ended(&self, call: EndedCall<'_>) {
        let repeated = Repeated {
            version: call.version.version.clone(),
            end: call.end,
            requests: call.exchanges.len(),
            took: call.took,
            memory_bytes: call.memory_bytes,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(repeated);
    }
}

impl Calls {
    fn take(&self) -> Option<Repeated> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) async fn run(config: Config, actor: &Actor, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let logged = logged_call(&config, actor, &arguments.call).await?;
    let folder = folder(&config, &logged.plugin, &arguments)?;
    let network = match &arguments.recording {
        Some(file) => Network::Replayed(file.clone()),
        None => Network::Granted,
    };
    let mut workbench = Workbench::new(&config, &folder, network, None)?;
    let calls = Arc::new(Calls::default());
    workbench.watch(calls.clone());
    let plugin = match workbench.load().await? {
        Ok((_, plugin)) => plugin,
        Err(reason) => bail!("the plugin in {} is refused: {reason}", folder.display()),
    };
    let request = request(&plugin, &logged.call)?;
    for part in &request.missing {
        print_line!("left out\t{}: the log does not contain it", one_line(part));
    }
    // Loading may call the plugin as well.
    calls.take();
    // The sink receives the value or the error.
    let _ = request.call.make().await;
    let repeated = calls.take().context("the plugin was not called")?;
    compare(&logged, &repeated);
    Ok(if logged.call.outcome == repeated.end.outcome() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn logged_call(config: &Config, actor: &Actor, id: &str) -> anyhow::Result<Logged> {
    let app = startup::open(config.clone(), Scope::Database).await?;
    let found = plugin_calls::find(&app, actor, &PluginCallId::from_client(id)).await?;
    let (plugin, call) = found.with_context(|| {
        format!("no call {id} is stored; `linepress plugin calls ID` lists the last calls of a plugin with their ids")
    })?;
    Ok(Logged { plugin, call })
}

fn folder(config: &Config, id: &str, arguments: &Arguments) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &arguments.against {
        return Ok(folder.clone());
    }
    let Some(version) = &arguments.version else {
        return find_folder(&config.plugin_folders(), id)
            .with_context(|| format!("{id} is not installed: name a folder of it with --against"));
    };
    let store = Store::new(&config.plugins_dir);
    let records = store.records(id)?;
    let found = records.iter().find(|record| record.version.to_string() == *version);
    let found = found.with_context(|| {
        let versions: Vec<String> = records.iter().map(|record| record.version.to_string()).collect();
        format!(
            "version {version} of {id} is not installed by name; installed versions: {}",
            if versions.is_empty() {
                "none".into()
            } else {
                versions.join(", ")
            }
        )
    })?;
    Ok(store.version_folder(id, &found.version))
}

/// The logged request, for a plugin of the same kind.
fn request(plugin: &Plugin, call: &PluginCall) -> anyhow::Result<Request> {
    let functions: &[&str] = match plugin {
        Plugin::ImageProvider(_) => &["draw"],
        Plugin::Planner(_) => &["plan"],
        Plugin::Layout(_) => &["lay_out"],
        Plugin::Reviewer(_) => &["review_prompt", "review_picture", "describe_picture"],
    };
    if !functions.contains(&call.function.as_str()) {
        bail!(
            "the logged call is of the function {}, which this plugin does not have",
            call.function
        );
    }
    let mut request = Request::read(plugin, call.request.clone(), Path::new(""))?;
    if let Call::LayOut(..) = request.call {
        request.missing.push("the texts of the book, except its title".into());
    }
    Ok(request)
}

fn compare(logged: &Logged, repeated: &Repeated) {
    let Logged { plugin, call } = logged;
    print_line!("{}\tlogged at {}\trepeated", one_line(plugin), call.created_at);
    line("version", &call.version, &repeated.version);
    line("outcome", &call.outcome, repeated.end.outcome());
    let (error, result) = match &repeated.end {
        CallEnd::Returned(result) => (None, serde_json::from_str(result).unwrap_or_default()),
        CallEnd::Failed(error) => (Some(error.to_string()), Value::Null),
        CallEnd::Abandoned => (None, Value::Null),
    };
    if call.error.is_some() || error.is_some() {
        line(
            "error",
            call.error.as_deref().unwrap_or("-"),
            error.as_deref().unwrap_or("-"),
        );
    }
    let (before, now) = (values(call.result.as_ref().unwrap_or(&Value::Null)), values(&result));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    for name in names {
        let value = |values: &BTreeMap<String, String>| values.get(name).cloned().unwrap_or_else(|| "-".into());
        line(name, &value(&before), &value(&now));
    }
    let (sent_before, sent_now) = (call.http_requests.len(), repeated.requests);
    line("HTTP requests", &sent_before.to_string(), &sent_now.to_string());
    print_line!("time\t{} ms\t{} ms", call.duration_ms, repeated.took.as_millis());
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    print_line!(
        "memory\t{} MiB\t{} MiB",
        mebibytes(call.memory_bytes.unsigned_abs()),
        mebibytes(repeated.memory_bytes as u64)
    );
}

fn line(name: &str, logged: &str, repeated: &str) {
    let verdict = if logged == repeated { "same" } else { "different" };
    print_line!(
        "{}\t{}\t{}\t{verdict}",
        one_line(name),
        one_line(logged),
        one_line(repeated)
    );
}

/// The values of an object and of the objects in it, by their names.
fn values(object: &Value) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    collect("", object, &mut values);
    values
}

fn collect(name: &str, value: &Value, values: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                collect(format!("{name} {field}").trim(), value, values);
            }
        }
        Value::Null => {}
        Value::String(text) => drop(values.insert(name.to_owned(), text.clone())),
        other => drop(values.insert(name.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_named_by_their_place() {
        let object = json!({"picture": {"sha256": "ab", "bytes": 2}, "model": null, "title": "A fox"});
        let values: Vec<(String, String)> = values(&object).into_iter().collect();
        let expected = [("picture bytes", "2"), ("picture sha256", "ab"), ("title", "A fox")];
        assert_eq!(
            values,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }
}
