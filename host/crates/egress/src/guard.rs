//! Who may be dialled: the addresses of every name are checked, and only what was checked is dialled.
use std::any::Any;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use futures::future::BoxFuture;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use url::Host;

use crate::addresses::{is_metadata_service, is_public};
use crate::dialer::Reach;
use crate::origin::Origin;

/// The port of files that are fetched.
const HTTPS: u16 = 443;

/// Looks up the addresses of a name. A port of 0 stands for that of the request; an error is one of the name.
pub trait Resolver: Send + Sync {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>;
}

/// What may be dialled although it is not on the public internet, and what may not although it is. Empty by default.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    /// Names, whatever their addresses, and addresses as they stand in a URL; as `exact_host` writes them.
    pub hosts: Vec<String>,
    /// Single addresses with their port, whatever names lead there.
    pub addresses: Vec<SocketAddr>,
    /// What may not be dialled although it is on the public internet. It goes before everything else.
    pub denied: Vec<IpNet>,
}

/// The one form of a host's name or address: small letters, and no dot at the end. None for what is no host.
pub fn exact_host(host: &str) -> Option<String> {
    let host = Host::parse(host).ok()?.to_string();
    let host = host.strip_suffix('.').unwrap_or(&host);
    // The URL Standard lets a host hold signs such as `*`, which would look like a pattern and match nothing.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    (!host.is_empty() && host.bytes().all(plain)).then(|| host.to_owned())
}

/// What a fetch keeps from others while it is under way, and with it each of its look-ups that outlives it.
pub type Held = Arc<dyn Any + Send + Sync>;

tokio::task_local! {
    /// The client calls the resolver within the task that fetches, and hands nothing but the name on.
    pub(crate) static HELD: Held;
}

/// What the fetch holds for which a resolver is asked, within the future that it returns or before. A look-up that cannot be
/// broken off keeps it until it ends.
pub fn held() -> Option<Held> {
    HELD.try_with(Arc::clone).ok()
}

/// Stands between every connection and the addresses it may go to.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Parts>);

struct Parts {
    resolver: Arc<dyn Resolver>,
    exceptions: Exceptions,
}

/// Why a name leads nowhere. For the log alone: clients must not learn what a name means on this machine.
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

impl Guard {
    pub(crate) fn new(resolver: Arc<dyn Resolver>, exceptions: Exceptions) -> Self {
        Self(Arc::new(Parts { resolver, exceptions }))
    }

    /// Whether `host`, as it stands in a URL, may be dialled at this address.
    pub(crate) fn admits(&self, host: &str, address: SocketAddr) -> bool {
        self.check(host, Reach::Public, address).is_ok()
    }

    fn check(&self, host: &str, reach: Reach, address: SocketAddr) -> Result<(), Refusal> {
        let exceptions = &self.0.exceptions;
        let host = host.strip_suffix('.').unwrap_or(host);
        let (name, ip) = (host.to_owned(), address.ip());
        // An IPv4 address that is written as one of IPv6 is the same network.
        if exceptions
            .denied
            .iter()
            .any(|network| network.contains(&ip.to_canonical()))
        {
            return Err(Refusal::Denied { name, address: ip });
        }
        // A name of a private network that leads to the secrets of a cloud was not meant to.
        let is_excepted = reach == Reach::Private || exceptions.hosts.iter().any(|exception| exception == host);
        let admitted =
            (is_excepted && !is_metadata_service(ip)) || is_public(ip) || exceptions.addresses.contains(&address);
        admitted.then_some(()).ok_or(Refusal::NotPublic { name, address: ip })
    }

    /// The one address of an origin whose host is that address, when it may be dialled.
    pub(crate) fn address(&self, origin: &Origin, reach: Reach, address: IpAddr) -> Result<Vec<SocketAddr>, Refusal> {
        let address = SocketAddr::new(address, origin.port());
        match self.check(origin.host(), reach, address) {
            // Somebody wrote this very address.
            Err(Refusal::NotPublic { .. }) if reach == Reach::Private => {}
            checked => checked?,
        }
        Ok(vec![address])
    }

    /// The addresses of a name, when all of them may be dialled: one bad address condemns the name, for an honest one has
    /// none.
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
            self.check(name, reach, *address)?;
        }
        if addresses.is_empty() {
            return Err(Refusal::NoAddress(name.into()));
        }
        Ok(addresses)
    }
}

/// The connection dials what this returns and asks nobody else, so a name cannot mean another host between check and
/// dial (DNS rebinding).
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = guard.addresses(name.as_str(), HTTPS, Reach::Public).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The operating system's resolver.
pub(crate) struct SystemResolver {
    /// How many more names may be looked up at a time.
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
            // getaddrinfo cannot be broken off: its thread outlives the time limit, so it takes along the permit and what
            // the fetch holds. Without permits, names that nobody answers for would take every thread that files and
            // images need; without the other, whoever fetches could take every permit, one fetch after the other.
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
    async fn a_look_up_that_outlives_its_fetch_keeps_what_the_fetch_held() {
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
    fn a_host_that_is_excepted_leads_to_no_metadata_service() {
        let exceptions = Exceptions {
            hosts: vec!["id.intranet".into()],
            ..Exceptions::default()
        };
        let guard = Guard::new(Arc::new(SystemResolver::new()), exceptions);
        let admits = |host: &str, address: &str| guard.admits(host, address.parse().unwrap());
        assert!(admits("id.intranet", "10.0.0.5:443"));
        assert!(!admits("other.intranet", "10.0.0.5:443"));
        for address in [
            "169.254.169.254:443",
            "[fd00:ec2::254]:443",
            "[::ffff:169.254.169.254]:443",
        ] {
            assert!(!admits("id.intranet", address), "{address}");
        }
    }

    #[test]
    fn a_host_has_one_exact_form() {
        for (host, exact) in [
            ("pictures.intranet", Some("pictures.intranet")),
            ("Pictures.Intranet.", Some("pictures.intranet")),
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("0x7f.1", Some("127.0.0.1")),
            ("[FD00:0::1]", Some("[fd00::1]")),
            ("*.intranet", None),
            ("https://pictures.intranet", None),
            ("pictures.intranet:443", None),
            ("pictures.intranet/a", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(exact_host(host).as_deref(), exact, "{host}");
        }
    }
}
