//! The command `linepress plugin spend`.
use std::time::Duration;

use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use linepress_drawings::spending::{self, Spending};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_terminal::one_line;
use serde::Serialize;

use super::super::Format;

#[derive(Args)]
pub(in super::super) struct Arguments {
    /// Count only this day and later, in UTC, such as 2026-11-01. Default: everything.
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<Date>,
    #[command(flatten)]
    format: Format,
}

fn date(text: &str) -> Result<Date, String> {
    let date = text.parse();
    date.map_err(|_| "it must be a date with year, month and day, such as 2026-11-01".to_owned())
}

/// One line of the list.
#[derive(Serialize)]
struct Line {
    provider: String,
    /// Null when the provider did not name a model.
    model: Option<String>,
    drawings: i64,
    failures: i64,
    attempts: i64,
    seconds: f64,
    /// A string, so that JSON readers do not round it.
    cost_usd: String,
    credits: i64,
    /// The verdicts of a reviewer.
    reviews: i64,
}

pub(super) async fn run(app: &App, arguments: Arguments) -> anyhow::Result<()> {
    let since = arguments.since.map(beginning_of).transpose()?;
    let lines: Vec<Line> = spending::since(app, since).await?.into_iter().map(line).collect();
    arguments.format.print(&lines, |line| {
        let Line {
            provider,
            model,
            drawings,
            failures,
            attempts,
            seconds,
            cost_usd,
            credits,
            reviews,
        } = line;
        let (provider, model) = (one_line(provider), one_line(model.as_deref().unwrap_or("-")));
        format!(
            "{provider}\t{model}\t{drawings} drawings\t{failures} failures\t{attempts} attempts\t{seconds:.1} s\t\
             {cost_usd} USD\t{credits} credits\t{reviews} reviews"
        )
    })
}

fn beginning_of(day: Date) -> anyhow::Result<Timestamp> {
    let midnight = day.to_zoned(TimeZone::UTC)?.timestamp();
    Ok(Timestamp::from_microseconds(midnight.as_microsecond()))
}

fn line(spending: Spending) -> Line {
    let Spending {
        provider,
        model,
        drawings,
        failures,
        attempts,
        draw_microseconds,
        cost_microdollars,
        credits,
        reviews,
    } = spending;
    Line {
        provider,
        model: Some(model).filter(|model| !model.is_empty()),
        drawings,
        failures,
        attempts,
        seconds: Duration::from_micros(u64::try_from(draw_microseconds).unwrap_or(0)).as_secs_f64(),
        cost_usd: format!("{}.{:06}", cost_microdollars / 1_000_000, cost_microdollars % 1_000_000),
        credits,
        reviews,
    }
}
