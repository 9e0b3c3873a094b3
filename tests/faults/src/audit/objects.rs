//! The object store: each picture can be read, and `linepress doctor` finds nothing.
use anyhow::Context as _;
use hyper::StatusCode;

use super::Check;
use super::replies::get;
use crate::api::{Api, Request};
use crate::customer::Customer;
use crate::site::Site;

/// The words with which `linepress doctor` notes objects that the database does not refer to. They are no problem of an
/// installation, so its exit status does not show them.
const ORPHANS: &str = "are not referred to by the database";

/// A page is ready with a picture of the stated size, or failed.
pub(super) async fn pictures(customers: &[Customer]) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for customer in customers {
        for page in &customer.pages {
            count += 1;
            violations.extend(
                fault_of(&customer.api, page)
                    .await
                    .map(|fault| format!("{page}: {fault}")),
            );
        }
    }
    Check::new("a page has its picture or has failed", count, "pages", violations)
}

async fn fault_of(api: &Api, page: &str) -> Option<String> {
    let reply = get(api, &Request::get(format!("/pages/{page}"))).await;
    let resource = &reply["page"];
    match resource["status"].as_str() {
        Some("failed") if resource["image"].is_null() => return None,
        Some("ready") if resource["active_operation_id"].is_null() => {}
        _ => return Some(format!("neither ready nor failed: {reply}")),
    }
    let image = match api.ask(&Request::get(format!("/pages/{page}/image"))).await {
        Ok(image) => image,
        Err(error) => return Some(format!("{error:#}")),
    };
    let bytes = resource["image"]["byte_size"].as_u64();
    let is_whole = image.status == StatusCode::OK && u64::try_from(image.body.len()).ok() == bytes;
    (!is_whole).then(|| {
        let (status, length) = (image.status, image.body.len());
        format!("its image is {status} with {length} bytes instead of {bytes:?}")
    })
}

/// The command finds neither a problem nor an object without a reference.
pub(super) async fn doctor(site: &Site) -> anyhow::Result<Check> {
    let node = site.nodes.first().context("an installation without nodes")?;
    let output = node.command().args(["doctor", "--full"]).output().await?;
    let report = String::from_utf8_lossy(&output.stdout);
    let is_fine = output.status.success() && !report.contains(ORPHANS);
    let violations = if is_fine {
        Vec::new()
    } else {
        vec![format!("{report}{}", String::from_utf8_lossy(&output.stderr))]
    };
    Ok(Check::new(
        "`linepress doctor --full` finds nothing",
        1,
        "report",
        violations,
    ))
}
