//! The command `linepress plugin stored`.
use clap::Args;
use linepress_model::counted;
use linepress_operator::administration::Actor;
use linepress_operator::administration::plugin_values::{self, StoredValue};
use linepress_platform::app::App;
use linepress_plugin_host::{MAX_STORE_BYTES, MAX_STORE_VALUES};
use linepress_terminal::{one_line, print_error_line, print_line};

use super::installed::folder_of;
use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct Stored {
    /// The plugin's id.
    plugin: String,
    /// Delete all that the plugin has stored.
    #[arg(long, conflicts_with = "json")]
    clear: bool,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(app: &App, arguments: Stored) -> anyhow::Result<()> {
    let (id, actor) = (&arguments.plugin, Actor::command_line());
    let values = plugin_values::list(app, &actor, id).await?;
    if values.is_empty() {
        // Fails for an id that no plugin has.
        folder_of(&app.config, id)?;
    }
    if arguments.clear {
        let deleted = plugin_values::clear(app, &actor, id).await?;
        print_line!("{} of {id} deleted", counted(deleted, "value"));
        return Ok(());
    }
    arguments.format.print(&values, line)?;
    let bytes: i64 = values.iter().map(|value| value.byte_size).sum();
    print_error_line!(
        "{id} stores {} of {MAX_STORE_VALUES} values, {bytes} of {MAX_STORE_BYTES} bytes",
        values.len()
    );
    Ok(())
}

fn line(value: &StoredValue) -> String {
    format!(
        "{}\t{}\t{} bytes",
        value.updated_at,
        one_line(&value.name),
        value.byte_size
    )
}
