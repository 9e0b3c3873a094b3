//! Instantiating and calling a trivial component, compared with a native call of the same function.
use std::hint::black_box;
use std::time::Instant;

use anyhow::Context as _;
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::PlanRequest;
use linepress_plugin_sdk::planner::{self, Guest as _};
use testbed_echo::Echo;

use crate::app::BenchApp;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 15;
const CALLS: u32 = 2_000;
/// A native call is too short to be timed in small numbers.
const NATIVE_CALLS: u32 = 500_000;

pub(crate) async fn measure() -> anyhow::Result<Comparison> {
    let app = BenchApp::start(&["testbed.echo", "testbed.plain"]).await?;
    let echo = app
        .server
        .plugins
        .planner("testbed.echo")
        .context("the echo is not loaded")?;
    let ours = async || {
        let began = Instant::now();
        for _ in 0..CALLS {
            black_box(echo.plan(black_box(request())).await?);
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS))
    };
    let peer = async || {
        let began = Instant::now();
        for _ in 0..NATIVE_CALLS {
            black_box(Echo::plan(black_box(native_request())).ok());
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(NATIVE_CALLS))
    };
    Comparison::new(
        "instantiate and call a component",
        Unit::Microseconds,
        "ours below 100 µs",
    )
    .run(rounds(ROUNDS), ours, peer)
    .await
}

pub(crate) fn request() -> PlanRequest {
    PlanRequest {
        theme: "woods".into(),
        page_count: 1,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "en".into(),
        notes: None,
        seed: 1,
        mismatch: None,
        earlier: Vec::new(),
    }
}

/// The same request in the types of the guest's side of the contract.
fn native_request() -> planner::PlanRequest {
    planner::PlanRequest {
        theme: "woods".into(),
        page_count: 1,
        aspect: planner::Aspect::Portrait,
        audience: planner::Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "en".into(),
        notes: None,
        seed: 1,
        extra: Vec::new(),
    }
}
