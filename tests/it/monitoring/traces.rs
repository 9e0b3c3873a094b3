//! Traces that the server sends to a collector of OpenTelemetry.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use linepress_traces::{Exporter, ExporterSettings};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::json;
use tempfile::TempDir;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::program::{RunningServer, serve};
use crate::test_app::{Answer, Loopback, TestApp, empty_database, install_plugins, last_message};

/// A trace that a client began, and the client's step in it.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT: &str = "00f067aa0ba902b7";

/// The trace that a gateway between the client and the server began, and the gateway's step in it.
const GATEWAY_TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const GATEWAY: &str = "b7ad6b7169203331";

/// A trace id that ends in zeros: a decision by the id would record it at every ratio above 0.
const LOWEST_TRACE: &str = "10000000000000000000000000000000";

/// A collector, on a runtime of its own because a stopping exporter blocks the thread of the test.
struct Collector {
    server: Loopback,
    received: Received,
}

#[derive(Clone, Default)]
struct Received(Arc<Mutex<(Vec<Span>, Vec<HeaderMap>)>>);

impl Collector {
    fn start() -> Self {
        let received = Received::default();
        let router = Router::new()
            .route("/v1/traces", post(receive))
            .with_state(received.clone());
        let server = Loopback::serve(router);
        Self { server, received }
    }

    fn exporter(&self, sample_ratio: f64) -> Exporter {
        let settings = ExporterSettings {
            url: format!("http://{}/v1/traces", self.server.address),
            authorization: "Bearer collector".into(),
            sample_ratio,
            denied_networks: Vec::new(),
        };
        Exporter::start(&settings, "1.2.3", self.server.runtime()).unwrap()
    }

    fn spans(&self) -> Vec<Span> {
        self.received.0.lock().unwrap().0.clone()
    }

    /// Returns the only span with this name.
    fn span(&self, name: &str) -> Span {
        let mut spans = self.spans();
        let names: Vec<_> = spans.iter().map(|span| span.name.clone()).collect();
        spans.retain(|span| span.name == name);
        assert_eq!(spans.len(), 1, "{name} in {names:?}");
        spans.remove(0)
    }
}

async fn receive(State(received): State<Received>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let request = ExportTraceServiceRequest::decode(body).unwrap();
    let mut received = received.0.lock().unwrap();
    for resource in request.resource_spans {
        let service = attributes(&resource.resource.unwrap().attributes);
        assert_eq!(service["service.name"], "linepress");
        assert_eq!(service["service.version"], "1.2.3");
        received
            .0
            .extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
    }
    received.1.push(headers);
    StatusCode::OK
}

fn attributes(all: &[opentelemetry_proto::tonic::common::v1::KeyValue]) -> BTreeMap<String, String> {
    let value = |value: &Value| match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let pairs = all.iter().map(|pair| {
        let inner = pair.value.as_ref().unwrap().value.as_ref().unwrap();
        (pair.key.clone(), value(inner))
    });
    pairs.collect()
}

/// Orders a page as a part of the client's trace and has it drawn, while the steps are recorded.
async fn draw_a_traced_page(exporter: &Exporter, trace: &str) {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let _recording = tracing_subscriber::registry().with(exporter.layer()).set_default();
    let parent = format!("00-{trace}-{CLIENT}-01");
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
        ("traceparent", &*parent),
    ];
    let page = json!({"page": {"title": "A fox", "prompt": "A fox"}}).to_string();
    let reply = ada.send("POST", "/pages", &headers, Body::from(page)).await;
    assert_eq!(reply.status, 202);
    app.draw_what_is_due().await;
}

/// Orders a page with a tool through a gateway that adds its own `traceparent` and has it drawn, while the steps are
/// recorded. `meta` is the `_meta` of the call.
async fn draw_a_page_by_a_traced_call(exporter: &Exporter, meta: &serde_json::Value) {
    let app = TestApp::start().await;
    app.account(3).await;
    let agent = app.agent("ada@example.com").await;
    // As in the program, the log has spans too: the protocol library passes on only the innermost span of all.
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::sink)
        .with_filter(LevelFilter::INFO);
    let _recording = tracing_subscriber::registry()
        .with(log)
        .with(exporter.layer())
        .set_default();
    let arguments = json!({"title": "A fox", "idempotency_key": "k1", "confirm_credits": 1});
    let params = json!({"name": "create_page", "arguments": arguments, "_meta": meta});
    let message = agent.message("tools/call", params.as_object().cloned().unwrap());
    let parent = format!("00-{GATEWAY_TRACE}-{GATEWAY}-01");
    let reply = agent.send(&message, &[("traceparent", &*parent)]).await;
    Answer(last_message(&reply)["result"].clone()).expect();
    app.draw_what_is_due().await;
}

#[tokio::test]
async fn a_trace_leads_from_the_request_through_the_queue_to_the_plugin() {
    let collector = Collector::start();
    let exporter = collector.exporter(1.0);
    draw_a_traced_page(&exporter, TRACE).await;
    exporter.stop();

    let request = collector.span("POST /api/v1/pages");
    assert_eq!(hex::encode(&request.trace_id), TRACE);
    assert_eq!(hex::encode(&request.parent_span_id), CLIENT);
    assert_eq!(request.kind(), SpanKind::Server);
    let described = attributes(&request.attributes);
    assert_eq!(described["http.response.status_code"], "202");
    assert_eq!(described["http.route"], "/api/v1/pages");
    let drawing = collector.span("draw");
    assert_eq!(drawing.kind(), SpanKind::Consumer);
    assert_eq!(drawing.parent_span_id, request.span_id);
    assert_eq!(attributes(&drawing.attributes)["provider"], "testbed.plain");
    let call = collector.span("draw by testbed.plain");
    assert_eq!(call.parent_span_id, drawing.span_id);
    assert_eq!(attributes(&call.attributes)["outcome"], "completed");
    for span in collector.spans() {
        assert_eq!(span.trace_id, request.trace_id, "{}", span.name);
        // The lines of the log contain addresses of clients, and errors of plugins that can repeat a prompt.
        assert_eq!(span.events, [], "{}", span.name);
    }
    let headers = collector.received.0.lock().unwrap().1[0].clone();
    assert_eq!(headers["authorization"], "Bearer collector");
}

#[tokio::test]
async fn a_tool_call_and_its_order_continue_the_trace_in_the_metadata() {
    let collector = Collector::start();
    let exporter = collector.exporter(1.0);
    let meta = json!({"traceparent": format!("00-{TRACE}-{CLIENT}-00"), "tracestate": "acme=1"});
    draw_a_page_by_a_traced_call(&exporter, &meta).await;
    exporter.stop();

    let request = collector.span("POST /mcp");
    assert_eq!(hex::encode(&request.trace_id), GATEWAY_TRACE);
    assert_eq!(hex::encode(&request.parent_span_id), GATEWAY);
    let call = collector.span("tools/call create_page");
    assert_eq!(hex::encode(&call.trace_id), TRACE);
    assert_eq!(hex::encode(&call.parent_span_id), CLIENT);
    assert_eq!(call.trace_state, "acme=1");
    assert_eq!(call.kind(), SpanKind::Server);
    let linked: Vec<_> = call.links.iter().map(|link| &link.span_id).collect();
    assert_eq!(linked, [&request.span_id]);
    let described = attributes(&call.attributes);
    assert_eq!(described["gen_ai.tool.name"], "create_page");
    assert_eq!(described["outcome"], "completed");
    let drawing = collector.span("draw");
    assert_eq!(drawing.trace_id, call.trace_id);
    assert_eq!(drawing.parent_span_id, call.span_id);
}

#[tokio::test]
async fn a_tool_call_without_a_valid_trace_in_the_metadata_continues_that_of_its_request() {
    let all_zeros = format!("00-{TRACE}-0000000000000000-01");
    let too_long = format!("01-{TRACE}-{CLIENT}-01-{}", "0".repeat(512));
    for meta in [
        json!({}),
        json!({"traceparent": all_zeros}),
        json!({"traceparent": too_long}),
        json!({"traceparent": 1, "tracestate": "acme=1"}),
    ] {
        let collector = Collector::start();
        let exporter = collector.exporter(1.0);
        draw_a_page_by_a_traced_call(&exporter, &meta).await;
        exporter.stop();
        let request = collector.span("POST /mcp");
        let call = collector.span("tools/call create_page");
        assert_eq!(hex::encode(&call.trace_id), GATEWAY_TRACE, "{meta}");
        assert_eq!(call.parent_span_id, request.span_id, "{meta}");
        assert_eq!(call.links, [], "{meta}");
        assert_eq!(collector.span("draw").parent_span_id, call.span_id, "{meta}");
    }
}

#[tokio::test]
async fn a_client_cannot_have_more_traces_recorded_than_the_settings_allow() {
    for (sample_ratio, trace) in [(0.0, TRACE), (1e-9, LOWEST_TRACE)] {
        let collector = Collector::start();
        let exporter = collector.exporter(sample_ratio);
        draw_a_traced_page(&exporter, trace).await;
        let meta = json!({"traceparent": format!("00-{trace}-{CLIENT}-01")});
        draw_a_page_by_a_traced_call(&exporter, &meta).await;
        exporter.stop();
        assert_eq!(collector.spans(), [], "{sample_ratio}");
    }
}

#[tokio::test]
async fn a_server_whose_collector_is_down_serves_and_says_so() {
    let folder = TempDir::new().unwrap();
    install_plugins(folder.path());
    let database = empty_database(folder.path()).await;
    let mut command = serve(&folder, &database);
    // Nothing listens there, because port 1 needs root.
    command.env("LINEPRESS_TRACES__URL", "http://127.0.0.1:1/v1/traces");
    let mut server = RunningServer::start(command);
    let serving = server.wait_for_line("listen=").await;
    let (_, address) = serving.split_once("listen=").unwrap();
    let address: SocketAddr = address.split_whitespace().next().unwrap().parse().unwrap();
    let (head, _) = super::ask(address, "/api/v1/me").await;
    assert!(head.starts_with("HTTP/1.1 401 "), "{head}");
    let warning = server.wait_for_line("traces cannot be sent").await;
    assert!(warning.contains("127.0.0.1:1"), "{warning}");
}

#[tokio::test]
async fn a_url_that_is_not_a_collectors_stops_the_start() {
    let folder = TempDir::new().unwrap();
    let database = empty_database(folder.path()).await;
    let mut command = serve(&folder, &database);
    command.env("LINEPRESS_TRACES__URL", "localhost:4318");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(
        error.contains("`traces.url`: must be the URL of a collector"),
        "{error}"
    );
}
