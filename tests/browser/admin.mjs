// An operator, who manages the accounts of the server and looks at every page about it. The account exists already.
import assert from "node:assert/strict";
import { everyLook, watched } from "./looks.mjs";

const EMAIL = "operator@example.com";
const PASSWORD = "keys and a lot of coffee";

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
  await findsAnAccount(page, visit);
  await addsCredits(page);
  await suspendsAndResumes(page);
  await invites(page);
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: "Audit log" }).click();
  await page.getByText("Account suspended").first().waitFor();
  visit("audit-log");
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: "Plugins" }).click();
  await page.getByRole("heading", { name: "Plugins" }).waitFor();
  visit("plugins");
  await page.getByRole("link", { name: "The last calls of linepress.sketchbook" }).click();
  await page.getByRole("heading", { name: "Calls of linepress.sketchbook" }).waitFor();
  visit("plugin-calls");
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: "Health" }).click();
  await page.getByText("every balance is the sum of its entries").waitFor();
  visit("health");
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: "Backups" }).click();
  await page.getByRole("heading", { name: "Backups" }).waitFor();
  visit("backups");
  await page.getByRole("navigation", { name: "Server" }).getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  visit("settings");
  check();
  await everyLook(browser, address, await context.storageState(), visited);
  await context.close();
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
