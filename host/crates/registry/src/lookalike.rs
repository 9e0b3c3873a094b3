//! Ids that look like each other. Ids consist of lowercase ASCII letters, digits, hyphens and dots, so letters of other
//! alphabets cannot occur; what remains is `1` for `l`, `0` for `o`, `rn` for `m`, and other joints.

/// Returns true for two different ids that a person could take for each other.
pub fn looks_like(one: &str, other: &str) -> bool {
    one != other && skeleton(one) == skeleton(other)
}

fn skeleton(id: &str) -> String {
    let id = id.replace(['-', '.'], "");
    let id = id.replace(['1', 'i'], "l").replace('0', "o").replace('5', "s");
    id.replace("rn", "m").replace("vv", "w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_look_alike_are_recognized() {
        for other in ["acme.f1ux", "acme-flux", "acme.fiux", "acrne.flux", "acmeflux"] {
            assert!(looks_like("acme.flux", other), "{other}");
        }
        for other in ["acme.flux", "acme.flux2", "acme.flex", "bob.flux"] {
            assert!(!looks_like("acme.flux", other), "{other}");
        }
    }
}
