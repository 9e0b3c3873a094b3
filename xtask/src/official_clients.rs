//! The official clients in the folder `clients`, as `cargo xtask clients` builds and tests them: their packages, their
//! own tests, and the examples of their READMEs and of the guides, which run against a server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::project::{self, Project};
use crate::{folders, interrupt, python, tools};

/// The documents whose examples run, in this order. The guide about printing prints the newest book, which must not be
/// that of the guide about own artwork.
const DOCUMENTS: [&str; 9] = [
    "docs/guides/README.md",
    "docs/guides/own-artwork.md",
    "docs/guides/webhooks.md",
    "docs/guides/make-a-book.md",
    "docs/guides/test-keys.md",
    "docs/guides/agents.md",
    "clients/python/README.md",
    "clients/typescript/README.md",
    "docs/guides/print.md",
];

/// The programs that the examples with curl use.
const SHELL_PROGRAMS: [&str; 3] = ["bash", "curl", "jq"];

/// A copy of the clients and the documents in which they are built.
pub(crate) struct Official<'a> {
    root: &'a Path,
    programs: &'a Path,
}

impl<'a> Official<'a> {
    /// Copies the clients and the documents into the folder `root`.
    pub(crate) fn copy(project: &Project, root: &'a Path, programs: &'a Path) -> anyhow::Result<Self> {
        let mut git = Command::new("git");
        git.current_dir(&project.root)
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
            .args(["clients", "docs/openapi.json", "docs/guides"]);
        for file in project::read(&mut git)?.split('\0').filter(|file| !file.is_empty()) {
            let (from, to) = (project.root.join(file), root.join(file));
            let folder = to.parent().context("a file has no folder")?;
            std::fs::create_dir_all(folder)?;
            std::fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        }
        Ok(Self { root, programs })
    }

    /// The folder of the TypeScript client, with the packages that it needs.
    pub(crate) fn typescript_folder(&self) -> PathBuf {
        self.root.join("clients/typescript")
    }

    /// Installs the packages that the TypeScript client needs.
    pub(crate) fn install(&self) -> anyhow::Result<()> {
        let mut npm = self.command("npm", &self.typescript_folder())?;
        project::read(npm.args(["ci", "--no-audit", "--no-fund"])).map(drop)
    }

    /// Builds and tests both clients, and runs the examples with the server at `address`.
    pub(crate) fn check(&self, address: &str, key: &str, picture: &Path) -> anyhow::Result<()> {
        let examples = self.examples(address, picture)?;
        self.python(&examples).context("the official Python client failed")?;
        self.typescript(&examples)
            .context("the official TypeScript client failed")?;
        self.check_syntax(&examples.join("checked"))
            .context("an example of the reference is malformed")?;
        self.run_examples(&examples.join("run"), address, key)
    }

    /// Writes the examples into a folder in which the TypeScript client finds itself.
    fn examples(&self, address: &str, picture: &Path) -> anyhow::Result<PathBuf> {
        let examples = self.typescript_folder().join("examples");
        let mut write = self.command("python", self.root)?;
        write
            .arg("clients/typescript/walk/examples.py")
            .arg(&examples)
            .args(DOCUMENTS);
        project::read(&mut write)?;
        let mut write = self.command("python", self.root)?;
        write
            .args(["clients/typescript/walk/reference.py", address])
            .arg(examples.join("checked"));
        println!("The reference has {}", project::read(&mut write)?);
        std::fs::copy(picture, examples.join("run/fox.png"))?;
        let settings = r#"{"extends": "../tsconfig.json", "include": ["."]}"#;
        std::fs::write(examples.join("tsconfig.json"), settings)?;
        Ok(examples)
    }

    fn site(&self) -> PathBuf {
        self.root.join("site")
    }

    /// Builds the package from its source distribution, as PyPI has it, and checks it.
    fn python(&self, examples: &Path) -> anyhow::Result<()> {
        let folder = self.root.join("clients/python");
        let mut build = self.command("hatchling", &folder)?;
        project::read(build.args(["build", "--target", "sdist", "--directory", "dist"]))?;
        let archive = folders::only_file(&folder.join("dist"))?;
        let mut pip = self.command("pip", &folder)?;
        pip.args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
            "--no-deps",
        ])
        .arg("--no-build-isolation")
        .arg("--target")
        .arg(self.site())
        .arg(archive);
        project::read(&mut pip)?;
        let mut mypy = self.command("mypy", &folder)?;
        mypy.args(["--no-error-summary", "--package", "linepress"]);
        project::read(&mut mypy).context("the types are inconsistent")?;
        let mut mypy = self.command("mypy", &folder)?;
        mypy.args(["--no-error-summary", "tests"]).arg(examples);
        project::read(&mut mypy).context("the types of tests or examples are inconsistent")?;
        let mut pytest = self.command("pytest", &folder)?;
        project::read(pytest.arg("--quiet"))?;
        interrupt::check()
    }

    fn typescript(&self, examples: &Path) -> anyhow::Result<()> {
        let folder = self.typescript_folder();
        for script in ["build", "test"] {
            project::read(self.command("npm", &folder)?.args(["run", script]))?;
        }
        let mut compiler = self.command("npx", examples)?;
        project::read(compiler.args(["--no", "tsc"])).context("the types of examples are inconsistent")?;
        interrupt::check()
    }

    /// Checks the examples in Rust and for the shell, which are not run.
    fn check_syntax(&self, folder: &Path) -> anyhow::Result<()> {
        let mut programs = Vec::new();
        for example in folders::sorted_files(folder)? {
            match example.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => programs.push(example),
                Some("sh") => project::read(Command::new("bash").arg("-n").arg(example)).map(drop)?,
                _ => {}
            }
        }
        let mut format = Command::new("rustfmt");
        format.args(["--edition", "2024", "--check"]).args(programs);
        project::read(&mut format).map(drop)
    }

    fn run_examples(&self, folder: &Path, address: &str, key: &str) -> anyhow::Result<()> {
        let has_shell = SHELL_PROGRAMS.iter().all(|program| tools::find(program).is_some());
        ensure!(
            has_shell || !tools::in_ci(),
            "not installed: {}",
            SHELL_PROGRAMS.join(", ")
        );
        let examples = folders::sorted_files(folder)?;
        for example in &examples {
            let mut command = match example.extension().and_then(|extension| extension.to_str()) {
                Some("py") => self.command("python", folder)?,
                Some("ts") => self.command("node", folder)?,
                Some("sh") if has_shell => {
                    let mut shell = Command::new("bash");
                    shell.current_dir(folder).args(["-euo", "pipefail"]);
                    shell
                }
                _ => continue,
            };
            let name = example.file_name().unwrap_or_default().to_string_lossy();
            command
                .arg(example)
                .env("LINEPRESS_URL", address)
                .env("LINEPRESS_KEY", key);
            project::read(&mut command).with_context(|| format!("the example {name} failed"))?;
            interrupt::check()?;
        }
        println!("{} examples of the documents ran", examples.len());
        Ok(())
    }

    /// A command that finds the installed package.
    fn command(&self, program: &str, folder: &Path) -> anyhow::Result<Command> {
        let mut command = python::command(self.programs, program, folder)?;
        command.env("PYTHONPATH", self.site()).env("MYPYPATH", self.site());
        Ok(command)
    }
}
