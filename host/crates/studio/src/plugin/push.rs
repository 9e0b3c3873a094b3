//! The command `linepress plugin push`.
use std::path::PathBuf;

use clap::Args;
use linepress_platform::config::Config;
use linepress_plugin_host::CredentialSource;
use linepress_registry::{Login, OciAccess, OciPlace, Repository};
use linepress_terminal::print_line;

use super::authoring::Authoring;
use super::described;

#[derive(Args)]
pub struct Arguments {
    /// The author's folder, with plugin.toml and the component that it names.
    folder: PathBuf,
    /// The repository: oci://HOST/PATH, with :TAG if the tag is to be another one than the version.
    place: OciPlace,
    #[command(flatten)]
    authoring: Authoring,
    /// The user of the registry. Default: that of the settings file.
    #[arg(long, value_name = "NAME", requires = "password")]
    username: Option<String>,
    /// The source of the user's password or token: env:VARIABLE or file:PATH.
    #[arg(long, value_name = "SOURCE", requires = "username", value_parser = source)]
    password: Option<CredentialSource>,
}

fn source(text: &str) -> Result<CredentialSource, String> {
    match text.split_once(':') {
        Some(("env", name)) if !name.is_empty() => Ok(CredentialSource::Env(name.to_owned())),
        Some(("file", path)) if !path.is_empty() => Ok(CredentialSource::File(PathBuf::from(path))),
        // The error does not repeat the text, because a secret that was entered by mistake must not appear in a log.
        _ => Err("it must be env:VARIABLE or file:PATH, not the secret itself".into()),
    }
}

pub(super) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<()> {
    let key = arguments.authoring.key()?;
    let access = access(config, &arguments)?;
    described::check(config, &arguments.folder).await?;
    let mut repository = Repository::for_push(&arguments.place, config.oci_dialer(), access)?;
    let author = arguments.authoring.author(&key);
    let pushed = repository.push(&arguments.folder, &author).await?;
    let state = if pushed.has_changed { "pushed" } else { "unchanged" };
    print_line!("{} {}\t{state}\t{}", pushed.id, pushed.version, pushed.place);
    print_line!("manifest\t{}", pushed.manifest);
    print_line!("key of the publisher\t{}", key.public());
    Ok(())
}

fn access(config: &Config, arguments: &Arguments) -> anyhow::Result<OciAccess> {
    let access = config.oci_access(&arguments.place).map_err(anyhow::Error::msg)?;
    let (Some(username), Some(source)) = (&arguments.username, &arguments.password) else {
        return Ok(access);
    };
    let password = source.read();
    let password = password.map_err(|problem| anyhow::anyhow!("the password of --password {problem}"))?;
    let username = username.clone();
    Ok(OciAccess {
        login: Some(Login {
            username,
            password,
            is_from_command_line: true,
        }),
        ..access
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_the_place_of_its_source_is_not_repeated() {
        assert_eq!(source("env:GHCR_TOKEN"), Ok(CredentialSource::Env("GHCR_TOKEN".into())));
        assert_eq!(
            source("file:/run/token"),
            Ok(CredentialSource::File("/run/token".into()))
        );
        for wrong in ["ghp_123", "env:", "token:ghp_123", ""] {
            assert!(!source(wrong).unwrap_err().contains("ghp_123"), "{wrong}");
        }
    }
}
