//! The plugins that ship with Linepress, docs/plugins/gallery.md.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::sources::{gather, root};

/// The kinds of plugins, by the beginning of their world.
const KINDS: [(&str, &str); 4] = [
    ("linepress:image/", "Image providers"),
    ("linepress:planner/", "Planners"),
    ("linepress:layout/", "Layouts"),
    ("linepress:review/", "Reviewers"),
];

/// What plugins without a network made: the plugin, the file in docs/pictures, and its description.
const PICTURES: [(&str, &str, &str); 4] = [
    ("linepress.sketchbook", "woodland.png", "A woodland page for children"),
    (
        "linepress.sketchbook",
        "covers.jpg",
        "The fronts of twelve books in color, each with a title over a picture",
    ),
    ("linepress.classic", "book.png", "The pages of a book"),
    (
        "linepress.storybook",
        "storybook.png",
        "Two pages: a caption with an initial to color, and its drawing",
    ),
];

/// The declaration with which a plugin reads the cost of a drawing from the reply of its service.
const COST: &str = "cost: Option<f64>";

struct Plugin {
    id: String,
    world: String,
    folder: PathBuf,
    manifest: toml::Table,
    /// The content of config.json.
    schema: Value,
}

/// The text of docs/plugins/gallery.md.
pub(super) fn write() -> String {
    let mut page = String::from(
        "# The plugins that ship with Linepress\n\nThe released program contains these plugins. Those without a \
         network need no approval. An operator approves the others and\ngives them a key: \
         [AI providers](../providers.md) describes how. [Swap a provider](swap-a-provider.md) describes how to use, \
         update and\nremove a plugin. A test compares this page with the manifests and with the schemas \
         of the settings.\n",
    );
    let plugins = plugins();
    for (world, title) in KINDS {
        let _ = write!(page, "\n## {title}\n");
        for plugin in plugins.iter().filter(|plugin| plugin.world.starts_with(world)) {
            plugin.write(&mut page);
        }
    }
    page
}

fn plugins() -> Vec<Plugin> {
    let entries = std::fs::read_dir(root().join("plugins")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let mut plugins: Vec<Plugin> = folders.filter_map(|folder| Plugin::read(&folder)).collect();
    plugins.sort_by(|one, other| one.id.cmp(&other.id));
    assert!(plugins.len() > 10, "the plugins are in {}", root().display());
    plugins
}

impl Plugin {
    fn read(folder: &Path) -> Option<Self> {
        let manifest: toml::Table = std::fs::read_to_string(folder.join("plugin.toml"))
            .ok()?
            .parse()
            .unwrap();
        let text = |key: &str| manifest[key].as_str().unwrap().to_owned();
        let schema = std::fs::read_to_string(folder.join("config.json"));
        Some(Self {
            id: text("id"),
            world: text("world"),
            folder: folder.to_owned(),
            schema: schema.map_or(Value::Null, |schema| serde_json::from_str(&schema).unwrap()),
            manifest,
        })
    }

    fn write(&self, page: &mut String) {
        let limits = &self.manifest["limits"];
        let _ = write!(
            page,
            "\n### {}\n\n{}\n\n| | |\n|---|---|\n| Network | {} |\n| Secrets | {} |\n\
             | Limits of a call | {} MiB, {} seconds |\n| Cost | {} |\n",
            self.id,
            self.summary(),
            or(&self.network().join("; "), "none"),
            or(&self.secrets().join(", "), "none"),
            limits["memory-mib"],
            limits["deadline-s"],
            self.cost(),
        );
        self.write_settings(page);
        for (_, file, text) in PICTURES.iter().filter(|(id, ..)| *id == self.id) {
            let _ = write!(page, "\n![{text}](../pictures/{file})\n");
        }
    }

    /// The description of the settings; without one, the first paragraph of the source's documentation.
    fn summary(&self) -> String {
        if let Some(description) = self.schema["description"].as_str() {
            return description.to_owned();
        }
        let source = std::fs::read_to_string(self.folder.join("src/lib.rs")).unwrap();
        let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
        let text = lines.collect::<Vec<_>>().join(" ");
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }

    fn tables(&self, key: &str) -> impl Iterator<Item = &toml::Value> {
        self.manifest
            .get(key)
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
    }

    /// The origins that the manifest requests, with the methods.
    fn network(&self) -> Vec<String> {
        let line = |table: &toml::Value| {
            let text = |key: &str| table.get(key).and_then(toml::Value::as_str);
            let methods = table["methods"].as_array().unwrap().iter();
            let methods: Vec<&str> = methods.map(|method| method.as_str().unwrap()).collect();
            let origin = match (text("origin"), text("setting"), text("default")) {
                (Some(origin), ..) => origin.to_owned(),
                (None, Some(setting), Some(default)) => {
                    format!("the origin in the setting `{setting}`, by default {default}")
                }
                (None, setting, _) => format!("the origin in the setting `{}`", setting.unwrap()),
            };
            format!("{} to {origin}", methods.join(" and "))
        };
        self.tables("http").map(line).collect()
    }

    fn secrets(&self) -> Vec<String> {
        let line = |table: &toml::Value| {
            let is_optional = table.get("optional").and_then(toml::Value::as_bool) == Some(true);
            let optional = if is_optional { " (optional)" } else { "" };
            format!("`{}`{optional}", table["name"].as_str().unwrap())
        };
        let mut secrets: Vec<String> = self.tables("credential").map(line).collect();
        secrets.dedup();
        secrets
    }

    fn cost(&self) -> &'static str {
        if self.tables("http").next().is_none() {
            return "none: it calls no service";
        }
        let mut sources = Vec::new();
        gather(&self.folder.join("src"), "rs", &mut sources);
        let reports = |file: &PathBuf| std::fs::read_to_string(file).unwrap().contains(COST);
        if sources.iter().any(reports) {
            "reported by the service for each drawing"
        } else {
            "not reported by the service"
        }
    }

    fn write_settings(&self, page: &mut String) {
        let Some(properties) = self.schema["properties"].as_object() else {
            *page += "\nIt has no settings.\n";
            return;
        };
        *page += "\n| Setting | Default | Meaning |\n|---|---|---|\n";
        let required = self.schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in properties {
            let default = match property.get("default") {
                Some(default) => format!("`{default}`"),
                None if required.contains(&Value::from(name.as_str())) => "required".to_owned(),
                None => String::new(),
            };
            let description = property["description"].as_str().unwrap().replace('|', "\\|");
            let _ = writeln!(page, "| `{name}` | {default} | {description} |");
        }
    }
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}
