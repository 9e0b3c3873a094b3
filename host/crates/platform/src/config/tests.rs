//! Settings that are parsed, completed and checked.
use super::*;

fn parse(toml: &str) -> Result<Config, ConfigError> {
    Config::read(Path::new("linepress.toml"), toml, std::iter::empty())
}

#[test]
fn the_error_names_an_unknown_setting() {
    let message = parse("lisen = \"0.0.0.0:80\"").expect_err("a typo").to_string();
    assert!(message.contains("lisen"), "{message}");
}

#[test]
fn the_error_names_an_invalid_setting() {
    for (toml, setting) in [
        ("listen = \"here\"", "listen"),
        ("brand = \"my brand\"", "brand"),
        ("[appearance]\nname = \" \"", "appearance.name"),
        ("[appearance]\ncolour = \"#fff\"", "colour"),
        (
            "[appearance]\ncolor = \"blue\"",
            "`appearance.color`: \"blue\" is not a color",
        ),
        (
            "[appearance]\ncolor = \"#808080\"",
            "choose a lighter or a darker color",
        ),
        ("metrics_listen = \"9090\"", "metrics_listen"),
        ("metrics_listen = \"127.0.0.1:8080\"", "metrics_listen"),
        ("database_url = \"mysql://x\"", "database_url"),
        ("storage_url = \"s3://x\"", "`storage_url`: must name a bucket"),
        ("storage_url = \"gs://books\"", "s3://bucket/prefix"),
        ("[s3]\nendpoint = \"minio:9000\"", "s3.endpoint"),
        ("[s3]\nendpoint = \"http://minio:9000\"", "allow_http must be true"),
        ("[s3]\nendpoint = \"https://ada:x@minio\"", "without a user"),
        (
            "[s3]\nendpoint = \"https://10.0.0.5\"\npath_style = false",
            "s3.path_style",
        ),
        ("[s3]\nregion = \"\"", "s3.region"),
        ("[s3]\naccess_key_id = \"a\"", "s3.secret_access_key_file"),
        ("[s3]\nsecret_access_key_file = \"/a\"", "s3.access_key_id"),
        ("[s3]\nsecret_access_key = \"a\"", "secret_access_key_file"),
        ("[s3]\nstall_seconds = 0", "s3.stall_seconds"),
        ("public_url = \"example.com\"", "public_url"),
        ("public_url = \"https://\"", "public_url"),
        ("public_url = \"https://ada:topsecret@example.com\"", "no password"),
        ("public_url = \"https://ada@example.com\"", "no user"),
        ("public_url = \"https://example.com/books?a=1\"", "without ? and #"),
        ("public_url = \"https://example.com#top\"", "without ? and #"),
        ("public_url = \"https://example.com/linepress\"", "must have no path"),
        ("workers = -1", "`workers`: must be a whole number, 0 or more"),
        ("workers = \"two\"", "`workers`: must be a whole number, 0 or more"),
        (
            "lease_seconds = -5",
            "`lease_seconds`: must be a whole number, 0 or more",
        ),
        ("limits.pages = \"many\"", "`limits.pages`: must be a whole number"),
        ("sign_up = \"yes\"", "`sign_up`: must be true or false"),
        ("brand = 5", "`brand`: must be a text in quotes"),
        ("data_dir = 5", "`data_dir`: must be a text in quotes"),
        ("font_folders = \"/fonts\"", "`font_folders`: must be a list, such as"),
        ("limits = 5", "`limits`: must be a table"),
        ("listen = 127.0.0.1:80", "in quotes"),
        ("image_providers = [\"[a\", \"b]\"]", "\"[a\" is not the id of a plugin"),
        ("image_providers = []", "image_providers"),
        ("image_providers = [\"a.b\", \"a.b\"]", "names a.b twice"),
        ("image_provider = \"a.b\"", "image_providers"),
        (
            "[providers.\"a.b\"]\nconcurrency = 0",
            "concurrency of a.b must be 1 to 256",
        ),
        ("[providers.\"a.b\"]\ndeadline_seconds = 1801", "1 to 1800"),
        ("[providers.\"a.b\"]\nper_hour = 1", "per_hour"),
        ("limits.pages = 0", "limits.pages"),
        ("limits.page = 5", "page"),
        ("attempts.max_per_picture = 0", "attempts.max_per_picture"),
        ("attempts.max_age_days = 0", "attempts.max_age_days"),
        ("bin.days = 0", "bin.days"),
        ("reviewer_on_failure = \"stop\"", "reviewer_on_failure"),
        (
            "[blocked_words]\nchild = [\"?\"]",
            "`blocked_words.child`: \"?\" must be a word",
        ),
        ("[blocked_words]\nchildren = []", "children"),
        ("bin.max_items = 0", "bin.max_items"),
        ("roles = []", "roles"),
        ("roles = [\"painter\"]", "roles"),
        ("backup.keep = 0", "backup.keep"),
        ("backup.every_hours = 0", "backup.every_hours"),
        ("backup.at = \"25:00\"", "backup.at"),
        (
            "import_private_hosts = [\"https://pictures.intranet\"]",
            "import_private_hosts",
        ),
        ("import_private_hosts = [\"*.intranet\"]", "import_private_hosts"),
        ("trusted_proxies = [\"proxy.intranet\"]", "trusted_proxies"),
        ("[sign_in.oidc]\nclient_id = \"a\"", "issuer"),
        (
            "[sign_in.oidc]\nclient_id = \"a\"\nissuer = \"http://id.example\"",
            "sign_in.oidc.issuer",
        ),
        (
            "[sign_in.oidc]\nclient_id = \"a\"\nissuer = \"https://ada:b@id.example\"",
            "sign_in.oidc.issuer",
        ),
        (
            "[sign_in.oidc]\nclient_id = \"\"\nissuer = \"https://id.example\"",
            "sign_in.oidc.client_id",
        ),
        ("[sign_in.oauth]\n", "oauth"),
        ("[mail]\nhost = \"smtp.example.com\"", "mail.from"),
        ("[mail]\ntls = \"always\"", "mail.tls"),
        ("[mail]\npassword = \"a\"", "password_file"),
        ("[plugin_index]\nurl = \"http://plugins.test\"", "plugin_index.url"),
        ("[plugin_index]\nurl = \"oci://plugins.test/acme\"", "plugin_index.url"),
        (
            "[plugin_index]\nurl = \"https://plugins.test\"",
            "plugin_index.public_keys",
        ),
        (
            "[plugin_index]\npublic_keys = [\"ed25519:abc\"]",
            "plugin_index.public_keys",
        ),
        ("[plugin_index]\nkept_versions = 1", "plugin_index.kept_versions"),
        (
            "[plugin_index]\nprivate_hosts = [\"*.test\"]",
            "plugin_index.private_hosts",
        ),
        (
            "[oci_registries.\"https://ghcr.io\"]\n",
            "\"https://ghcr.io\" must be a host",
        ),
        (
            "[oci_registries.\"GHCR.io\"]\n",
            "\"GHCR.io\" must be written as \"ghcr.io\"",
        ),
        ("[oci_registries.\"ghcr.io\"]\nusername = \"ada\"", "or neither"),
        (
            "[oci_registries.\"ghcr.io\"]\nplain_http = true",
            "needs `private = true`",
        ),
        (
            "[publishers]\n\"acme.flux\" = \"abc\"",
            "the key of acme.flux must be a public key",
        ),
        ("sign_up_plan = \"gold\"", "sign_up_plan"),
        ("sign_up_credits = -1", "sign_up_credits"),
        ("log = \"linepress=loud\"", "log"),
    ] {
        let message = parse(toml).expect_err(toml).to_string();
        assert!(message.contains(setting), "{toml}: {message}");
    }
}

fn with_variable(name: &str, value: &str) -> Result<Config, ConfigError> {
    let variables = [(name.to_owned(), value.to_owned())];
    Config::read(Path::new("linepress.toml"), "", variables.into_iter())
}

#[test]
fn a_secret_in_the_place_of_its_source_is_not_shown() {
    let advice = "write `{ env = \"NAME\" }` or `{ file = \"PATH\" }`";
    for toml in [
        "credentials = \"sk-123\"",
        "[credentials]\n\"acme.flux\" = \"sk-123\"",
        "[credentials.\"acme.flux\"]\napi_key = \"sk-123\"",
        "[credentials.\"acme.flux\"]\napi_key = [\"sk-123\"]",
        "[credentials.\"acme.flux\"]\napi_key = { sk-123 = \"sk-123\" }",
        "[credentials.\"acme.flux\"]\napi_key = { env = [\"sk-123\"] }",
        "[credentials.\"acme.flux\"]\napi_key = { env = \"sk-123\", file = \"sk-123\" }",
        "[credentials.\"acme.flux\"]\napi_key = { env = \"sk-123\" }",
    ] {
        let message = parse(toml).expect_err(toml).to_string();
        assert!(!message.contains("sk-123"), "{toml}: {message}");
        assert!(
            message.contains("credentials") && message.contains(advice),
            "{toml}: {message}"
        );
    }
    for toml in [
        "[oci_registries.\"ghcr.io\"]\nusername = \"ada\"\npassword = \"sk-123\"",
        "[oci_registries.\"ghcr.io\"]\nusername = \"ada\"\npassword = { env = \"sk-123\" }",
        "oci_registries = \"sk-123\"",
    ] {
        let message = parse(toml).expect_err(toml).to_string();
        assert!(!message.contains("sk-123"), "{toml}: {message}");
        assert!(
            message.contains("oci_registries") && message.contains("write `{ env = \"NAME\" }`"),
            "{toml}: {message}"
        );
    }
    for name in ["LINEPRESS_CREDENTIALS", "LINEPRESS_CREDENTIALS__ACME__API_KEY"] {
        let message = with_variable(name, "sk-123").expect_err(name).to_string();
        assert!(!message.contains("sk-123"), "{message}");
        assert!(message.contains(name) && message.contains(advice), "{message}");
    }
}

#[test]
fn a_variable_of_clients_is_not_a_setting() {
    for name in ["LINEPRESS_URL", "LINEPRESS_KEY"] {
        assert!(with_variable(name, "https://books.example.com").is_ok(), "{name}");
    }
    assert!(with_variable("LINEPRESS_URLS", "https://books.example.com").is_err());
}

#[test]
fn a_secret_of_the_wrong_type_is_not_shown() {
    for (toml, setting) in [
        ("database_url = 123456", "`database_url`"),
        ("database_url = [\"123456\"]", "`database_url`"),
        ("plugins = \"123456\"", "`plugins`"),
        (
            "[sign_in.oidc]\nissuer = \"https://id.example\"\nclient_id = \"a\"\nclient_secret = 123456",
            "`sign_in.oidc.client_secret`",
        ),
        ("[sign_in]\noidc = \"123456\"", "`sign_in.oidc`"),
    ] {
        let message = parse(toml).expect_err(toml).to_string();
        assert!(
            !message.contains("123456") && message.contains(setting),
            "{toml}: {message}"
        );
    }
}

#[test]
fn an_invalid_variable_is_named() {
    for (name, value, problem) in [
        ("LINEPRESS_WORKERS", "two", "must be a whole number"),
        ("LINEPRESS_LISTEN", "here", "is not an IP address with a port"),
        ("LINEPRESS_SIGN_UP", "perhaps", "must be true or false"),
        ("LINEPRESS_LIMITS__PAGES", "many", "must be a whole number"),
    ] {
        let message = with_variable(name, value).expect_err(name).to_string();
        let begin = format!("the environment variable {name}: ");
        assert!(message.starts_with(&begin) && message.contains(problem), "{message}");
    }
}

#[test]
fn the_variable_of_the_providers_preserves_their_order() {
    for value in [
        "acme.flux, linepress.sketchbook",
        "[\"acme.flux\", \"linepress.sketchbook\"]",
    ] {
        let config = with_variable("LINEPRESS_IMAGE_PROVIDERS", value).expect(value);
        assert_eq!(config.image_providers, ["acme.flux", "linepress.sketchbook"]);
    }
    let message = with_variable("LINEPRESS_IMAGE_PROVIDERS", "[acme.flux]")
        .expect_err("brackets")
        .to_string();
    assert!(
        message.contains("\"[acme.flux]\" is not the id of a plugin"),
        "{message}"
    );
}

#[test]
fn a_node_has_the_roles_of_its_setting() {
    assert!(
        Role::ALL
            .iter()
            .all(|role| parse("").expect("no setting").has_role(*role))
    );
    let worker = parse("roles = [\"worker\"]").expect("one role");
    assert!(worker.has_role(Role::Worker) && !worker.has_role(Role::Api));
    for (value, roles) in [("api", vec![Role::Api]), ("worker, api", vec![Role::Worker, Role::Api])] {
        assert_eq!(with_variable("LINEPRESS_ROLES", value).expect(value).roles, roles);
    }
    for value in ["", "painter"] {
        let message = with_variable("LINEPRESS_ROLES", value).expect_err(value).to_string();
        assert!(
            message.contains("LINEPRESS_ROLES") && message.contains("api"),
            "{message}"
        );
    }
}

#[test]
fn a_variable_holds_a_list_with_commas() {
    for (value, expected) in [
        ("", vec![]),
        ("pictures.intranet", vec!["pictures.intranet"]),
        ("Pictures.Intranet., 10.0.0.5", vec!["pictures.intranet", "10.0.0.5"]),
    ] {
        let variables = [
            ("LINEPRESS_IMPORT_PRIVATE_HOSTS", value),
            ("LINEPRESS_BRAND", "A"),
            ("LINEPRESS_BLOCKED_WORDS__CHILD", "zombie,blood moon"),
            ("LINEPRESS_BLOCKED_WORDS__ADULT", ""),
            ("LINEPRESS_BLOCKED_WORDS__BUILT_IN", "false"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let config = Config::read(Path::new("linepress.toml"), "", variables.into_iter()).expect(value);
        assert_eq!(config.import_private_hosts, expected, "{value}");
        assert_eq!(config.brand, "A");
        let expected = BlockedWords {
            built_in: false,
            child: vec!["zombie".into(), "blood moon".into()],
            ..BlockedWords::default()
        };
        assert_eq!(config.blocked_words, expected);
    }
}

#[test]
fn the_example_file_contains_every_setting_with_its_default() {
    let example = parse(include_str!("../../../../../linepress.example.toml")).expect("the example is valid");
    let default = Config::default().completed().expect("the defaults are valid");
    assert_eq!(format!("{example:?}"), format!("{default:?}"));
}

#[test]
fn a_file_that_changed_since_it_was_read_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("linepress.toml");
    std::fs::write(&file, "workers = 2\n").expect("a file");
    let config = Config::load(Some(&file)).expect("valid settings");
    assert!(!config.is_outdated());
    std::fs::write(&file, "workers = 3\n").expect("a file");
    assert!(config.is_outdated());
    assert!(!Config::load(Some(&file)).expect("valid settings").is_outdated());
    // Settings that were not read from a file.
    assert!(!parse("workers = 2").expect("valid settings").is_outdated());
}
