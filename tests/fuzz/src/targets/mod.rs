/// JSON bodies of requests.
mod bodies;
/// Metadata of OAuth clients.
mod clients;
/// Cursors and limits of lists.
mod cursors;
/// Manifests of plugins.
mod manifests;
/// PDFs to check before printing.
mod pdfs;
/// Pictures to import.
mod pictures;
/// Requests to the whole server.
mod requests;
/// URLs and hosts.
mod urls;

use crate::Target;

/// Every target.
pub const TARGETS: [Target; 8] = [
    Target {
        name: "bodies",
        run: bodies::run,
    },
    Target {
        name: "clients",
        run: clients::run,
    },
    Target {
        name: "cursors",
        run: cursors::run,
    },
    Target {
        name: "manifests",
        run: manifests::run,
    },
    Target {
        name: "pdfs",
        run: pdfs::run,
    },
    Target {
        name: "pictures",
        run: pictures::run,
    },
    Target {
        name: "requests",
        run: requests::run,
    },
    Target {
        name: "urls",
        run: urls::run,
    },
];
