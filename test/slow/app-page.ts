import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator, Page } from "playwright-core";
import { PATIENCE_MS } from "./chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const TABS = ["Points", "Coupons", "Nearby", "Messages", "More"] as const;
export const VIEWS = [...TABS, "Search", "Team", "Leaderboard"] as const;
type ViewName = (typeof VIEWS)[number];

export interface Screen {
  width: number;
  height: number;
  colorScheme: "light" | "dark";
}

export const DESK: Screen = { width: 1280, height: 800, colorScheme: "light" };
export const PHONE: Screen = { width: 380, height: 780, colorScheme: "light" };

/** The errors of the example app, and its requests to other hosts. Both should be empty. */
export interface AppPage {
  errors: string[];
  foreignRequests: string[];
}

/** Opens the app in a new window, and runs a test once the app is connected: it shows the customer's balance. */
export async function openWindow(
  browser: Browser,
  url: string,
  { colorScheme, ...viewport }: Screen,
  run: (page: Page, app: AppPage) => Promise<void>,
): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme });
  page.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    // Compare without the port, because the page gets its tokens from another port of this machine.
    if (/^https?:/.test(request.url()) && new URL(request.url()).hostname !== new URL(url).hostname)
      foreignRequests.push(request.url());
  });
  try {
    await page.goto(`${url}/app/`);
    await page.getByText(/^\d+\.\d\d\s*points$/).waitFor();
    await run(page, { errors, foreignRequests });
  } finally {
    await page.close();
  }
}

export async function goTo(page: Page, view: ViewName): Promise<void> {
  const tab = TABS.find((name) => name === view) ?? "More";
  await page.getByRole("navigation").getByText(tab, { exact: true }).click();
  if (tab !== view) await page.getByRole("main").getByRole("link", { name: view }).click();
  await page.getByRole("heading", { level: 1, name: view }).waitFor();
  await page.locator("main .waiting:visible").first().waitFor({ state: "detached" });
}

/** Scans the chosen customer's card at the till. */
export async function scanCard(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Scan" }).click();
  await page.getByRole("form", { name: "Book points" }).waitFor();
}

/** Books points at the till, after a scan. */
export async function bookPoints(page: Page, amount: string, reason: string): Promise<void> {
  await page.locator("#visit").getByLabel("Points", { exact: true }).fill(amount);
  await page.getByLabel("Reason").fill(reason);
  await page.getByRole("button", { name: "Book" }).click();
}

/** Opens one of the back office's forms and sends it. Resolves with the lines that it has sent. */
export async function sendForm(page: Page, title: string): Promise<Record<string, unknown>[]> {
  const details = page.locator("details", { hasText: title });
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  const ndjson = await details.locator("code").innerText();
  await details.getByRole("button").click();
  await details.getByText("Committed.").waitFor();
  return ndjson
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export async function hasFocus(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(":focus")).count()) === 1;
}

export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { target: string[] }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** The faults of each view: those that axe finds, and a view that is wider than the screen. */
export async function faultsOfViews(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const view of VIEWS) {
    await goTo(page, view);
    if (view === "Search") await page.getByRole("searchbox").fill("goran");
    if (view === "Team") await page.getByRole("button", { name: "Team of Kofi Brown" }).click();
    await page.waitForLoadState("networkidle");
    const foundFaults = [...(await accessibilityFaults(page)), ...((await overflow(page)) > 0 ? ["too wide"] : [])];
    faults.push(...foundFaults.map((fault) => `${view}: ${fault}`));
  }
  return faults;
}

/** By how many pixels the contents of the page, or of its view, are too wide. */
async function overflow(page: Page): Promise<number> {
  const excess = (element: string) => `${element}.scrollWidth - ${element}.clientWidth`;
  const [whole, main] = [excess("document.documentElement"), excess("document.querySelector('main')")];
  return Number(await page.evaluate(`Math.max(${whole}, ${main})`));
}

/** The cumulative layout shift (CLS): how far contents have jumped although nobody touched them. */
export async function layoutShift(page: Page): Promise<number> {
  const shifts = `new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve([]), 500);
  }).then((entries) => entries.filter((entry) => !entry.hadRecentInput).reduce((sum, entry) => sum + entry.value, 0))`;
  return Number(await page.evaluate(shifts));
}
