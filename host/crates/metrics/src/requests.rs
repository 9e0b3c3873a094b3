//! HTTP requests.
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use crate::histogram::{self, Histograms};

/// The route label of requests to addresses that do not exist.
const NO_ROUTE: &str = "unmatched";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    interface: &'static str,
    method: &'static str,
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    interface: &'static str,
    method: &'static str,
    route: String,
    status: u16,
}

/// The HTTP requests to the server's interfaces.
#[derive(Clone, Debug)]
pub struct RequestMetrics {
    requests: Family<Ended, Counter>,
    duration: Histograms<Route>,
    not_logged: Counter,
}

impl RequestMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self {
            requests: Family::default(),
            duration: Family::new_with_constructor(histogram::of_requests),
            not_logged: Counter::default(),
        };
        registry.register(
            "http_requests",
            "HTTP requests, by interface, method, route and status",
            metrics.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time until the head of the response was ready",
            Unit::Seconds,
            metrics.duration.clone(),
        );
        registry.register(
            "request_log_losses",
            "Requests that the request log of accounts lacks, because too many ended in a short time or it could not be written",
            metrics.not_logged.clone(),
        );
        metrics
    }

    /// Counts requests that the request log of accounts lacks.
    pub fn not_logged(&self, requests: u64) {
        self.not_logged.inc_by(requests);
    }

    /// Counts a request. `route` is the pattern of its address, or `None` if there is no such address.
    pub fn ended(&self, interface: &'static str, method: &str, route: Option<&str>, status: u16, took: Duration) {
        let method = known_method(method);
        let route = route.unwrap_or(NO_ROUTE).to_owned();
        let labels = Route {
            interface,
            method,
            route,
        };
        self.duration.get_or_create(&labels).observe(took.as_secs_f64());
        let Route { route, .. } = labels;
        let ended = Ended {
            interface,
            method,
            route,
            status,
        };
        self.requests.get_or_create(&ended).inc();
    }
}

/// The method as a label, also of log lines. Clients may invent methods of any length, so all others share one label.
pub fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invented_method_is_no_label() {
        assert_eq!(["GET", "get", "BREW"].map(known_method), ["GET", "other", "other"]);
    }
}
