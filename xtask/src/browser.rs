//! `cargo xtask browser`: uses the web pages of a temporary server in Chromium, as a person would. The scripts are in
//! tests/browser.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::server::{self, Installation};
use crate::tools::Tools;
use crate::{clients, folders, interrupt, plugins, python, trial};

/// The name of the program in Debian's package.
const CHROMIUM: &str = "chromium";

/// The plugin that waits for an approval on the pages for operators. It is also named in tests/browser/admin.mjs.
const UNAPPROVED_PLUGIN: &str = "linepress.flux";

/// The looks in which every page is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Each width and each color scheme once, which finds nearly everything in half the time.
    Pairs,
    /// Each width in each color scheme, with screenshots.
    All,
}

/// Builds everything and uses the web pages, in all looks.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    plugins::assemble_network(project)?;
    let programs = |project: &Project| {
        let tools = Tools::find_or_install();
        let chromium = chromium(&tools).context("chromium (package chromium) is not installed")?;
        Ok((clients::programs(project)?, chromium.to_owned()))
    };
    trial::run(project, programs, |server, (programs, chromium)| {
        check(project, server, programs, chromium, Looks::All)
    })
}

/// Returns the path of the browser, if it is installed.
pub(crate) fn chromium(tools: &Tools) -> Option<&Path> {
    tools.path(CHROMIUM)
}

/// Uses the web pages of the server `program` with the Node.js in `programs`. The plugins must be assembled, including
/// those that request network access.
pub(crate) fn check(
    project: &Project,
    program: &Path,
    programs: &Path,
    chromium: &Path,
    looks: Looks,
) -> anyhow::Result<()> {
    println!("Using the web pages in Chromium");
    let root = project.target.join("browser");
    let installation = install(project, program, &root)?;
    let server = installation.serve()?;
    create_operator(&installation)?;
    let work = root.join("work");
    folders::empty(&work)?;
    folders::copy(&project.root.join("tests").join("browser"), &work)?;
    let picture = project.root.join("tests/it/fixtures/interlaced.png");
    let walk = || {
        run_program(
            programs,
            &work,
            "npm",
            &["ci".as_ref(), "--no-audit".as_ref(), "--no-fund".as_ref()],
        )?;
        let mut arguments = vec!["walk.mjs".as_ref(), server.address.as_ref(), chromium, &picture];
        if looks == Looks::All {
            arguments.push("--every-look".as_ref());
        }
        run_program(programs, &work, "node", &arguments)
    };
    walk().inspect_err(|_| server.show_log())?;
    println!("walk.mjs: a book was planned, drawn and printed by hand");
    if looks == Looks::All {
        println!("Screenshots are in {}", work.join("pictures").display());
    }
    interrupt::check()
}

/// Returns a server with everything that the pages show: a place for backups, and a plugin that waits for an approval.
fn install(project: &Project, program: &Path, root: &Path) -> anyhow::Result<Installation> {
    let (data, backups, folder) = (root.join("data"), root.join("backups"), root.join("plugins.d"));
    server::empty_data(&data)?;
    folders::empty(&backups)?;
    folders::empty(&folder)?;
    folders::copy(&project.plugins_folder(), &folder)?;
    let unapproved = project.network_plugins_folder().join(UNAPPROVED_PLUGIN);
    folders::copy(&unapproved, &folder.join(UNAPPROVED_PLUGIN))?;
    Ok(Installation::new(program.to_owned(), folder, data)?
        .with("LINEPRESS_SIGN_UP", "true")
        .with("LINEPRESS_SIGN_UP_PLAN", "business")
        .with("LINEPRESS_SIGN_UP_CREDITS", "40")
        .with("LINEPRESS_BACKUP__DIR", backups.display().to_string())
        // For the host of MCP apps, which has an API key.
        .with("LINEPRESS_MCP_API_KEYS", "true"))
}

/// Creates the account of admin.mjs.
fn create_operator(installation: &Installation) -> anyhow::Result<()> {
    let email = ["--email", "operator@example.com"];
    let create = [&["account", "create", "--password-stdin"], &email[..]].concat();
    installation.feed(&create, "keys and a lot of coffee")?;
    installation.read(&[&["account", "set-role", "--role", "operator"], &email[..]].concat())?;
    Ok(())
}

fn run_program(programs: &Path, work: &Path, program: &str, arguments: &[&Path]) -> anyhow::Result<()> {
    let mut command = python::command(programs, program, work)?;
    command.args(arguments);
    project::read(&mut command).map(drop)
}
