//! The targets, one file each.
mod bodies;
mod clients;
mod cursors;
mod manifests;
mod pdfs;
mod pictures;
mod requests;
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
