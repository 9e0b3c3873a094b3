//! The addresses that are on the public internet.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// The IANA IPv4 Special-Purpose Address Registry and the multicast block, which has its own registry. The few blocks
/// that count as globally reachable are included as well: they lead to relays and name servers, which serve no files.
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>
const SPECIAL_V4: [Ipv4Net; 18] = [
    v4([0, 0, 0, 0], 8),       // this network, RFC 791
    v4([10, 0, 0, 0], 8),      // private use, RFC 1918
    v4([100, 64, 0, 0], 10),   // shared between a carrier and its customers, RFC 6598
    v4([127, 0, 0, 0], 8),     // loopback, RFC 1122
    v4([169, 254, 0, 0], 16),  // link-local, RFC 3927; the metadata services of clouds
    v4([172, 16, 0, 0], 12),   // private use, RFC 1918
    v4([192, 0, 0, 0], 24),    // IETF protocol assignments, RFC 6890
    v4([192, 0, 2, 0], 24),    // documentation, RFC 5737
    v4([192, 31, 196, 0], 24), // AS112, RFC 7535
    v4([192, 52, 193, 0], 24), // AMT, RFC 7450
    v4([192, 88, 99, 0], 24),  // 6to4 relays, RFC 7526
    v4([192, 168, 0, 0], 16),  // private use, RFC 1918
    v4([192, 175, 48, 0], 24), // AS112, RFC 7534
    v4([198, 18, 0, 0], 15),   // benchmarks, RFC 2544
    v4([198, 51, 100, 0], 24), // documentation, RFC 5737
    v4([203, 0, 113, 0], 24),  // documentation, RFC 5737
    v4([224, 0, 0, 0], 4),     // multicast, RFC 5771
    v4([240, 0, 0, 0], 4),     // reserved, RFC 1112, with the limited broadcast, RFC 919
];

/// All IPv6 addresses that IANA assigns to hosts, RFC 4291. Not included are loopback, unique local and link-local
/// addresses, multicast, and most addresses that embed an IPv4 address: compatible (`::/96`), mapped (`::ffff:0:0/96`)
/// and translated ones (`64:ff9b::/96`, RFC 6052, and `64:ff9b:1::/48`, RFC 8215).
/// <https://www.iana.org/assignments/ipv6-address-space>
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0], 3);

/// The blocks within `GLOBAL_V6` that the IANA IPv6 Special-Purpose Address Registry lists.
/// <https://www.iana.org/assignments/iana-ipv6-special-registry>
const SPECIAL_V6: [Ipv6Net; 5] = [
    v6([0x2001, 0, 0], 23), // IETF protocol assignments, RFC 2928: Teredo, ORCHID, benchmarks, anycast
    v6([0x2001, 0xdb8, 0], 32), // documentation, RFC 3849
    v6([0x2002, 0, 0], 16), // 6to4, RFC 3056: an IPv4 address inside
    v6([0x2620, 0x4f, 0x8000], 48), // AS112, RFC 7534
    v6([0x3fff, 0, 0], 20), // documentation, RFC 9637
];

/// Returns whether the address is on the public internet, so that it names the same host everywhere.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|block| block.contains(&address)),
        IpAddr::V6(address) => GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|block| block.contains(&address)),
    }
}

/// Returns whether a cloud's metadata service may have this address, where it hands out the machine's secrets: any
/// link-local address, and the IPv6 address of Amazon's service.
/// <https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html>
pub(crate) fn is_metadata_service(address: IpAddr) -> bool {
    const AMAZON: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local() || address == AMAZON,
    }
}

const fn v4([a, b, c, d]: [u8; 4], length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6([a, b, c]: [u16; 3], length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().expect(address))
    }

    #[test]
    fn a_metadata_service_is_recognized_in_every_notation_of_its_address() {
        for address in ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254"] {
            assert!(is_metadata_service(address.parse().unwrap()), "{address}");
        }
        for address in ["10.0.0.1", "127.0.0.1", "fd00::1", "1.1.1.1"] {
            assert!(!is_metadata_service(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn special_ipv4_blocks_are_rejected_from_their_first_to_their_last_address() {
        // The first and the last address of each block, and its neighbors if they are public.
        for (before, first, last, after) in [
            ("", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"),
            ("192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("223.255.255.255", "224.0.0.0", "239.255.255.255", ""),
            ("", "240.0.0.0", "255.255.255.255", ""),
        ] {
            assert!(!public(first), "{first}");
            assert!(!public(last), "{last}");
            for neighbour in [before, after].iter().filter(|address| !address.is_empty()) {
                assert!(public(neighbour), "{neighbour}");
            }
        }
    }

    #[test]
    fn addresses_with_a_special_meaning_are_rejected() {
        for address in [
            "127.0.0.1",
            "169.254.169.254",
            "100.100.100.200",
            "192.0.0.9",
            "192.0.0.170",
            "192.0.0.192",
            "255.255.255.255",
            "::",
            "::1",
            "::2",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b::127.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
            "100::1",
            "100:0:0:1::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:1::1",
            "2001:2::1",
            "2001:3::1",
            "2001:4:112::1",
            "2001:10::1",
            "2001:20::1",
            "2001:30::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn ipv6_blocks_begin_and_end_where_the_registries_say() {
        for (address, expected) in [
            ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2000::", true),
            ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001::", false),
            ("2001::1", false),
            ("2001:0:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:200::", true),
            ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2001:db8::", false),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:db9::", true),
            ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("2002::", false),
            ("2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2003::", true),
            ("2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", true),
            ("2620:4f:8000::", false),
            ("2620:4f:8000:ffff:ffff:ffff:ffff:ffff", false),
            ("2620:4f:8001::", true),
            ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("3fff::", false),
            ("3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("3fff:1000::", true),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("4000::", false),
        ] {
            assert_eq!(public(address), expected, "{address}");
        }
    }

    #[test]
    fn well_known_hosts_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "2606:4700:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(public(address), "{address}");
        }
    }
}
