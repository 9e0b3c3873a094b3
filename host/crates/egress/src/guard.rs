//! The check of addresses: all addresses of a name are checked, and only checked addresses are connected to.
use std::any::Any;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::BoxFuture;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

use crate::addresses::{is_metadata_service, is_public};
use crate::origin::Origin;

/// The port from which files are fetched.
const HTTPS_PORT: u16 = 443;

/// Looks up the addresses of a name. A port of 0 stands for the port of the request. An error means that the name
/// cannot be resolved.
pub trait Resolver: Send + Sync {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>;
}

/// Exceptions from the rule that only the public internet may be reached. Empty by default.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    /// Hosts that may have private addresses: names, or addresses as written in a URL, in the form of
    /// [`crate::exact_host`].
    pub hosts: Vec<String>,
    /// Single addresses with their port that may be reached under any name.
    pub addresses: Vec<SocketAddr>,
    /// Networks that may not be reached even if they are public. This takes precedence over everything else.
    pub denied: Vec<IpNet>,
}

/// The addresses to which a name may resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Addresses on the public internet.
    Public,
    /// Any address that the operator does not deny, for an origin that was named explicitly. A name must not resolve to
    /// the metadata service of a cloud.
    Private,
}

/// A value, such as a permit, that a fetch holds until it and all of its look-ups have ended.
pub type Held = Arc<dyn Any + Send + Sync>;

tokio::task_local! {
    /// A task-local, because the client calls the resolver within the task of the fetch and passes only the name.
    pub(crate) static HELD: Held;
}

/// The held value of the current fetch. A resolver calls this before it returns its future or inside it; a look-up that
/// cannot be canceled retains the value until it ends.
pub fn held() -> Option<Held> {
    HELD.try_with(Arc::clone).ok()
}

/// Decides for every connection which addresses it may go to.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Parts>);

struct Parts {
    resolver: Arc<dyn Resolver>,
    exceptions: Exceptions,
    refusals: RefusalCounts,
}

/// The numbers of refused addresses since the client was created. Cheap to clone; clones show the same numbers.
#[derive(Clone, Debug, Default)]
pub struct RefusalCounts(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    not_public: AtomicU64,
    denied: AtomicU64,
}

impl RefusalCounts {
    /// The number for each reason, as [`Refusal::reason`] names them.
    pub fn by_reason(&self) -> [(&'static str, u64); 2] {
        let Counts { not_public, denied } = &*self.0;
        [(NOT_PUBLIC, not_public), (DENIED, denied)].map(|(reason, count)| (reason, count.load(Ordering::Relaxed)))
    }

    fn count(&self, refusal: &Refusal) {
        let count = match refusal {
            Refusal::NotPublic { .. } => &self.0.not_public,
            Refusal::Denied { .. } => &self.0.denied,
            Refusal::NoAddress(_) | Refusal::Unresolved { .. } => return,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

const NOT_PUBLIC: &str = "not_public";
const DENIED: &str = "denied";

/// The reason why a name may not be connected to. It is for the log only: clients must not learn what a name resolves
/// to on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{name} has the address {address}, which is not on the public internet")]
    NotPublic { name: String, address: IpAddr },
    #[error("{name} has the address {address}, which the operator denies")]
    Denied { name: String, address: IpAddr },
    #[error("{0} has no address")]
    NoAddress(String),
    #[error("{name} cannot be resolved: {cause}")]
    Unresolved { name: String, cause: io::Error },
}

impl Refusal {
    /// The reason in a word, if an address was refused; `None` if the name has no address.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::NotPublic { .. } => Some(NOT_PUBLIC),
            Self::Denied { .. } => Some(DENIED),
            Self::NoAddress(_) | Self::Unresolved { .. } => None,
        }
    }
}

impl Guard {
    pub(crate) fn new(resolver: Arc<dyn Resolver>, exceptions: Exceptions) -> Self {
        Self(Arc::new(Parts {
            resolver,
            exceptions,
            refusals: RefusalCounts::default(),
        }))
    }

    pub(crate) fn refusals(&self) -> RefusalCounts {
        self.0.refusals.clone()
    }

    /// Returns whether a request to `host`, as written in a URL, may connect to this address.
    pub(crate) fn admits(&self, host: &str, address: SocketAddr) -> bool {
        self.counted(self.check(host, Reach::Public, address)).is_ok()
    }

    /// Returns whether a host, as written in a URL, may have addresses that are not public.
    pub(crate) fn may_be_private(&self, host: &str) -> bool {
        let host = without_last_dot(host);
        self.0.exceptions.hosts.iter().any(|exception| exception == host)
    }

    fn counted<T>(&self, checked: Result<T, Refusal>) -> Result<T, Refusal> {
        checked.inspect_err(|refusal| self.0.refusals.count(refusal))
    }

    fn check(&self, host: &str, reach: Reach, address: SocketAddr) -> Result<(), Refusal> {
        let exceptions = &self.0.exceptions;
        let (name, ip) = (without_last_dot(host).to_owned(), address.ip());
        // An IPv4 address written as IPv6 belongs to the same network.
        if exceptions
            .denied
            .iter()
            .any(|network| network.contains(&ip.to_canonical()))
        {
            return Err(Refusal::Denied { name, address: ip });
        }
        // A private name that resolves to a cloud's metadata service is not what the operator allowed.
        let is_excepted = reach == Reach::Private || self.may_be_private(host);
        let admitted =
            (is_excepted && !is_metadata_service(ip)) || is_public(ip) || exceptions.addresses.contains(&address);
        admitted.then_some(()).ok_or(Refusal::NotPublic { name, address: ip })
    }

    /// The address of an origin whose host is an IP address, if it may be connected to.
    pub(crate) fn address(&self, origin: &Origin, reach: Reach, address: IpAddr) -> Result<Vec<SocketAddr>, Refusal> {
        let address = SocketAddr::new(address, origin.port());
        match self.check(origin.host(), reach, address) {
            // The origin names this address explicitly.
            Err(Refusal::NotPublic { .. }) if reach == Reach::Private => {}
            checked => self.counted(checked)?,
        }
        Ok(vec![address])
    }

    /// The addresses of a name, if all of them may be connected to. One that may not rejects the name, because an
    /// honest name has no such address.
    pub(crate) async fn addresses(&self, name: &str, port: u16, reach: Reach) -> Result<Vec<SocketAddr>, Refusal> {
        let resolved = self.0.resolver.resolve(name).await;
        let mut addresses = resolved.map_err(|cause| Refusal::Unresolved {
            name: name.into(),
            cause,
        })?;
        for address in &mut addresses {
            if address.port() == 0 {
                address.set_port(port);
            }
            self.counted(self.check(name, reach, *address))?;
        }
        if addresses.is_empty() {
            return Err(Refusal::NoAddress(name.into()));
        }
        Ok(addresses)
    }
}

fn without_last_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// The connection uses the addresses that this returns and resolves nothing itself, so a name cannot change its address
/// between the check and the connection (DNS rebinding).
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = guard.addresses(name.as_str(), HTTPS_PORT, Reach::Public).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The operating system's resolver.
pub(crate) struct SystemResolver {
    /// One permit for each look-up that may run at a time.
    lookups: Arc<Semaphore>,
}

impl SystemResolver {
    pub(crate) fn new() -> Self {
        Self {
            lookups: Arc::new(Semaphore::new(64)),
        }
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
        let name = name.to_owned();
        self.look_up(move || (name.as_str(), 0).to_socket_addrs().map(Vec::from_iter))
    }
}

impl SystemResolver {
    fn look_up(
        &self,
        addresses: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
    ) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
        let lookups = self.lookups.clone();
        let held = held();
        Box::pin(async move {
            let permit = lookups.acquire_owned().await.map_err(io::Error::other)?;
            // getaddrinfo cannot be canceled, and its thread outlives the time limit. It therefore takes along the
            // permit and the held value. Without permits, names whose servers are silent would occupy every thread that
            // files and images need. Without the held value, one client could take every permit with one fetch after
            // another.
            let looked_up = tokio::task::spawn_blocking(move || {
                let addresses = addresses();
                drop((permit, held));
                addresses
            });
            looked_up.await.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_look_up_that_outlives_its_fetch_retains_the_held_value() {
        let resolver = SystemResolver::new();
        let held: Held = Arc::new(());
        let (answer, answered) = mpsc::channel::<()>();
        let silent = HELD.sync_scope(held.clone(), || {
            resolver.look_up(move || {
                answered.recv().unwrap_err();
                Ok(Vec::new())
            })
        });
        tokio::time::timeout(Duration::from_millis(50), silent)
            .await
            .unwrap_err();
        assert_eq!(
            (Arc::strong_count(&held), resolver.lookups.available_permits()),
            (2, 63)
        );
        drop(answer);
        let all = resolver.lookups.acquire_many(64).await.unwrap();
        assert_eq!(all.num_permits(), 64);
        while Arc::strong_count(&held) > 1 {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn an_excepted_host_cannot_resolve_to_a_metadata_service() {
        let exceptions = Exceptions {
            hosts: vec!["id.intranet".into()],
            ..Exceptions::default()
        };
        let guard = Guard::new(Arc::new(SystemResolver::new()), exceptions);
        let admits = |host: &str, address: &str| guard.admits(host, address.parse().unwrap());
        assert!(admits("id.intranet", "10.0.0.5:443"));
        assert!(!admits("other.intranet", "10.0.0.5:443"));
        assert_eq!(guard.refusals().by_reason(), [("not_public", 1), ("denied", 0)]);
        for address in [
            "169.254.169.254:443",
            "[fd00:ec2::254]:443",
            "[::ffff:169.254.169.254]:443",
        ] {
            assert!(!admits("id.intranet", address), "{address}");
        }
    }
}
