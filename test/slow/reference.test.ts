import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { command, freePort, printed, type Running } from "./command.ts";

// The reference page in a real browser, against a service that `npm start` has started.
const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-reference-"));
let service: Running;
let url: string;
let browser: Browser;

/** The page at a window's size, with what it asked of other hosts: nothing, it should be. */
async function open(width: number, height: number): Promise<{ page: Page; elsewhere: string[] }> {
  const page = await browser.newPage({ viewport: { width, height } });
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(url)) elsewhere.push(request.url());
  });
  await page.goto(url);
  await page.getByRole("heading", { name: "Popular campaigns nearby" }).first().scrollIntoViewIfNeeded();
  return { page, elsewhere };
}

describe.skipIf(!existsSync(CHROMIUM))("the reference page", () => {
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    service = command("start", ["--port", String(port), "--persist-to", folder]);
    await printed(service, "TOKEN=");
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    service?.child.kill("SIGTERM");
    await service?.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it.for([
    ["a desktop", 1280, 900],
    ["a phone", 390, 844],
  ] as const)(
    "sends a request with the token that is filled in, on %s, and loads nothing from elsewhere",
    async ([, width, height], { expect }) => {
      const { page, elsewhere } = await open(width, height);

      await page
        .getByRole("button", { name: /Test Request/ })
        .first()
        .click();
      const answered = page.waitForResponse((response) => response.url().includes("near-by-popular-campaigns"));
      await page.getByRole("button", { name: /^Send/ }).first().click();
      const response = await answered;

      expect(response.status()).toBe(200);
      expect(await response.json()).toMatchObject({ status: true, items: [{ id: "k101-double" }, {}] });
      await page.getByText("k101-double").last().waitFor({ state: "attached" });
      expect(elsewhere).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(
        0,
      );
    },
  );

  it("shows every endpoint", async ({ expect }) => {
    const { page } = await open(1280, 900);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { tags: string[]; summary: string }>>;
    };
    const summaries = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ tags }) => tags.includes("Customer"))
      .map(({ summary }) => summary);

    expect(summaries).toHaveLength(7);
    for (const summary of summaries) expect(await page.getByText(summary).count()).toBeGreaterThan(0);
  });

  it("leaves every other path to the service, which answers in its envelope", async ({ expect }) => {
    for (const place of ["/nothing", "/_headers", "/scalar.js.map", "/api"]) {
      const response = await fetch(`${url}${place}`);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ status: false, errorCode: "NOT_FOUND" });
    }
  });
});
