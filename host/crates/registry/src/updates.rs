//! The choice of the version to which an update leads.
use linepress_plugin_host::check_world;
use semver::Version;

use crate::index::{Index, Release, newest};

impl Index {
    /// The newest version of a plugin that this program supports, apart from these. `None` if there is no other.
    pub fn newest_except(&self, id: &str, left_out: &[Version]) -> Option<&Release> {
        let versions = self.plugins.iter().filter(|release| release.id == id);
        let others: Vec<&Release> = versions
            .filter(|release| !left_out.contains(&release.version))
            .collect();
        newest(&others).filter(|release| check_world(&release.world).is_ok())
    }

    /// The reasons why versions that are newer than this one are not chosen, one line for each version.
    pub fn passed_over(&self, id: &str, than: &Version) -> Vec<String> {
        let newer = self
            .plugins
            .iter()
            .filter(|release| release.id == id && release.version > *than);
        let reason = |release: &Release| {
            let version = &release.version;
            match check_world(&release.world) {
                Err(problem) => Some(format!("{version} cannot be loaded: its {problem}")),
                Ok(()) if !version.pre.is_empty() => Some(format!(
                    "{version} is not yet released: name it to install it, as {id}@{version}"
                )),
                Ok(()) => None,
            }
        };
        newer.filter_map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{key, release};

    #[test]
    fn a_version_that_is_left_out_does_not_hide_the_others() {
        let key = key();
        let mut index = Index::empty();
        index.plugins = ["1.0.0", "1.1.0", "1.2.0", "1.3.0-rc.1"]
            .map(|version| release("acme.flux", version, &key))
            .into();
        index.plugins[2].world = "linepress:image/image-provider@0.9".into();
        let version = |text: &str| text.parse::<Version>().unwrap();
        for (left_out, expected) in [
            (vec![], Some("1.1.0")),
            (vec!["1.1.0"], Some("1.0.0")),
            (vec!["1.0.0", "1.1.0"], None),
        ] {
            let left_out: Vec<Version> = left_out.into_iter().map(version).collect();
            let found = index.newest_except("acme.flux", &left_out);
            assert_eq!(
                found.map(|found| found.version.clone()),
                expected.map(version),
                "{left_out:?}"
            );
        }
        assert!(index.newest_except("acme.other", &[]).is_none());
    }
}
