//! The command `linepress plugin calls`.
use clap::Args;
use linepress_operator::administration::Actor;
use linepress_operator::administration::plugin_calls::{self, PluginCall, PluginHttpRequest};
use linepress_platform::app::App;
use linepress_terminal::{one_line, print_error_line};

use super::installed::folder_of;
use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct Calls {
    /// The plugin's id.
    plugin: String,
    /// The number of calls to list; the last 100 are stored.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(app: &App, arguments: Calls) -> anyhow::Result<()> {
    let id = &arguments.plugin;
    let mut calls = plugin_calls::last(app, &Actor::command_line(), id).await?;
    if calls.is_empty() {
        // Fails for an id that no plugin has.
        folder_of(&app.config, id)?;
        print_error_line!("no call of {id} is stored; a call appears some seconds after its end");
    }
    calls.truncate(arguments.limit);
    arguments.format.print(&calls, lines)
}

/// A line for the call, and an indented one for each of its HTTP requests.
fn lines(call: &PluginCall) -> String {
    let outcome = match &call.error {
        Some(error) => format!("{}: {}", call.outcome, one_line(error)),
        None => call.outcome.clone(),
    };
    let head = format!(
        "{}\t{}\t{}\t{}\t{outcome}\t{} of {} ms\t{}\t{}",
        call.id,
        call.created_at,
        one_line(&call.version),
        call.function,
        call.duration_ms,
        call.deadline_ms,
        call.memory(),
        one_line(&call.request.to_string()),
    );
    let requests = call.http_requests.iter().map(request);
    [head].into_iter().chain(requests).collect::<Vec<_>>().join("\n")
}

fn request(request: &PluginHttpRequest) -> String {
    format!(
        "  {} {}\t{}\t{} bytes sent\t{} bytes received",
        one_line(&request.method),
        one_line(&request.url),
        request.answer(),
        request.sent_bytes,
        request.received_bytes
    )
}
