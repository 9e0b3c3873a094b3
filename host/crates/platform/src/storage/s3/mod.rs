//! Buckets of S3 servers: Amazon S3, MinIO, Garage, R2, Ceph and others.
//!
//! Nothing that only some of these servers support is used: no conditional writes, no deletion of several objects in
//! one request, and no checksums other than the signed digest of each request.
mod client;
mod credentials;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};

use crate::config::{Bucket, S3};
use crate::error::{Error, Result};

use client::Connector;

/// The number of times that a request is repeated after a failure that may be temporary. Callers that must not fail
/// repeat the whole step.
const MAX_RETRIES: usize = 4;

/// The store in a bucket. `retry_time` limits the time after which a failed request is not repeated.
pub(super) fn open(
    settings: &S3,
    bucket: &Bucket,
    denied: &[IpNet],
    retry_time: Duration,
) -> Result<Arc<dyn ObjectStore>> {
    let connector = Connector::new(denied, settings.stall()).map_err(Error::unavailable)?;
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&bucket.name)
        .with_region(&settings.region)
        .with_virtual_hosted_style_request(!settings.path_style)
        .with_disable_bulk_delete(true)
        .with_allow_http(settings.allow_http)
        .with_http_connector(connector)
        .with_retry(RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: MAX_RETRIES,
            retry_timeout: retry_time,
        });
    if let Some(endpoint) = settings.endpoint_of(&bucket.name) {
        builder = builder.with_endpoint(endpoint);
    }
    let store = credentials::add(builder, settings)?
        .build()
        .map_err(Error::unavailable)?;
    Ok(match &*bucket.prefix {
        "" => Arc::new(store),
        prefix => Arc::new(PrefixStore::new(store, prefix)),
    })
}
