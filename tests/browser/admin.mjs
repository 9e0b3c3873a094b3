// An operator, who manages the accounts of the server and looks at every page about it. The account exists already; the
// installation has a place for backups and a plugin that no operator has approved.
import assert from "node:assert/strict";
import { everyLook, watched } from "./looks.mjs";

const EMAIL = "operator@example.com";
const PASSWORD = "keys and a lot of coffee";

// The plugin that xtask/src/browser.rs installs without an approval.
const UNAPPROVED_PLUGIN = "linepress.flux";

// A worker begins a requested backup within a minute.
const MAX_BACKUP_MILLISECONDS = 180_000;
const RELOAD_MILLISECONDS = 1000;

export async function administers(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const { page, check } = await watched(context, address);
  const visited = new Map([["admin-new-account", "/admin/accounts/new"]]);
  const visit = (name) => {
    const { pathname, search } = new URL(page.url());
    visited.set(`admin-${name}`, pathname + search);
  };
  await signsIn(page, address);
  await page.getByRole("link", { name: "Server" }).click();
  await page.getByRole("heading", { name: "Accounts" }).waitFor();
  visit("accounts");
  // The backup is made while the other pages are checked.
  await requestsABackup(page);
  await opens(page, "Accounts");
  await findsAnAccount(page, visit);
  await addsCredits(page);
  await suspendsAndResumes(page);
  await invites(page);
  await opens(page, "Audit log");
  await page.getByText("Account suspended").first().waitFor();
  await page.getByText("Backup requested").first().waitFor();
  visit("audit-log");
  await looksAtOperations(page, visit);
  await looksAtProviders(page, visit);
  await looksAtPlugins(page, visit);
  await opens(page, "Health");
  await page.getByText("every balance is the sum of its entries").waitFor();
  visit("health");
  await opens(page, "Settings");
  visit("settings");
  check();
  const operator = await context.storageState();
  await everyLook(browser, address, operator, visited);
  await seesTheBackup(page, address);
  check();
  await everyLook(browser, address, operator, new Map([["admin-backups", "/admin/backups"]]));
  await context.close();
}

// Opens a page about the server, whose heading is the name of its tab unless it is given.
async function opens(page, tab, heading = tab) {
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: tab, exact: true }).click();
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
}

async function signsIn(page, address) {
  await page.goto(`${address}/sign-in`);
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/library");
}

// By keyboard: the field, Enter, and the first result.
async function findsAnAccount(page, visit) {
  await page.getByLabel("A part of the e-mail address, or an id").fill("no-such-address");
  await page.keyboard.press("Enter");
  await page.getByText("No account matches").waitFor();
  visit("no-accounts");
  await page.getByLabel("A part of the e-mail address, or an id").fill("ada@");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "ada@example.com" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "ada@example.com" }).waitFor();
  visit("account");
}

async function addsCredits(page) {
  const before = await page.locator(".balance strong").innerText();
  await page.getByText("Add credits", { exact: true }).click();
  const form = page.locator("form[action$='/credits']");
  await form.getByLabel("Credits").fill("25");
  await form.getByLabel("Reason").fill("For the summer fair");
  // The customer signed up without mail, so the address was never verified.
  await form.getByLabel("Do it although the address is not verified").check();
  await form.getByRole("button", { name: "Add the credits" }).click();
  await page.getByText("The credits are added.").waitFor();
  assert.equal(Number(await page.locator(".balance strong").innerText()), Number(before) + 25);
}

async function suspendsAndResumes(page) {
  await page.getByText("Suspend", { exact: true }).click();
  const form = page.locator("form[action$='/suspend']");
  await form.getByLabel("Reason").fill("The invoice is unpaid");
  await form.getByRole("button", { name: "Suspend the account" }).click();
  await page.getByText("The account is suspended.", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Resume the account" }).click();
  await page.getByText("The account can be used again.").waitFor();
}

async function invites(page) {
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("link", { name: "New account" }).click();
  await page.getByLabel("E-mail address").fill("ben@example.com");
  await page.getByRole("button", { name: "Make the account" }).click();
  const link = await page.locator(".secret").innerText();
  assert.match(link, /\/reset\/[\w-]{43}$/);
}

async function requestsABackup(page) {
  await opens(page, "Backups");
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByText("A backup is requested. A worker begins it within a minute.").waitFor();
}

// Reloads the page until it no longer announces a backup that is due or under way.
async function seesTheBackup(page, address) {
  const end = Date.now() + MAX_BACKUP_MILLISECONDS;
  await page.goto(`${address}/admin/backups`);
  while (!(await page.getByText("The next one is due on").isVisible())) {
    assert.ok(Date.now() < end, `no backup was made: ${await page.getByRole("main").innerText()}`);
    await page.waitForTimeout(RELOAD_MILLISECONDS);
    await page.reload();
  }
  // A server makes its first backup when it starts.
  assert.equal(await page.locator("tbody tr").count(), 2, "the first backup and the requested one");
}

// Opens the operation that drew the customer's book, and returns to the list.
async function looksAtOperations(page, visit) {
  await opens(page, "Operations");
  visit("operations");
  await page.locator("table.list").getByRole("link", { name: "New book", exact: true }).first().click();
  await page.getByRole("heading", { name: "New book", exact: true }).waitFor();
  await page.getByText("by linepress.sketchbook").first().waitFor();
  visit("operation");
  await page.locator(".crumbs").getByRole("link", { name: "Operations" }).click();
  await page.getByRole("heading", { name: "All operations" }).waitFor();
  await page.getByRole("link", { name: "Show only those that have not ended" }).click();
  await page.getByRole("heading", { name: "Operations that have not ended" }).waitFor();
  visit("open-operations");
}

async function looksAtProviders(page, visit) {
  await opens(page, "Providers", "Image providers");
  await page.getByRole("heading", { name: "1. linepress.sketchbook" }).waitFor();
  await page.getByRole("region", { name: "Drawings by day" }).getByText("linepress.sketchbook").first().waitFor();
  visit("providers");
}

async function looksAtPlugins(page, visit) {
  await opens(page, "Plugins");
  visit("plugins");
  const heading = page.getByRole("heading", { name: UNAPPROVED_PLUGIN, exact: true });
  const card = page.locator("li.card").filter({ has: heading });
  await card.getByText("Waits for approval", { exact: true }).waitFor();
  await card.getByText(`${UNAPPROVED_PLUGIN} requests:`).waitFor();
  await card.getByRole("button", { name: `Approve ${UNAPPROVED_PLUGIN}` }).waitFor();
  await card.getByText("Files and settings", { exact: true }).click();
  await card.getByRole("region", { name: `Settings of ${UNAPPROVED_PLUGIN}` }).waitFor();
  await page.getByRole("link", { name: `The last calls of ${UNAPPROVED_PLUGIN}` }).click();
  await page.getByText("There is no call.").waitFor();
  visit("no-plugin-calls");
  await opens(page, "Plugins");
  await page.getByRole("link", { name: "The last calls of linepress.sketchbook" }).click();
  await page.getByRole("heading", { name: "Calls of linepress.sketchbook" }).waitFor();
  visit("plugin-calls");
}
