import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { generate } from "orval";
import type { Browser, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { CHROMIUM, launchBrowser, PATIENCE_MS } from "./chromium.ts";
import { temporaryFolder } from "./clone.ts";
import { ROOT } from "./command.ts";
import { demoToken, type Service, startService } from "./service.ts";

const run = promisify(execFile);

// The reference page in a real browser, and a client generated from the OpenAPI document, against npm start.
const folder = temporaryFolder();
let service: Service;
let url: string;
let browser: Browser;

interface Endpoint {
  method: string;
  path: string;
  summary: string;
  /** Whether it opens a WebSocket: then the page has no form for it. */
  isSocket: boolean;
}

/** The endpoints of customers, as the document has them. */
async function listEndpoints(): Promise<Endpoint[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[]; summary: string; responses: object }>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes("Customer"))
      .map(([method, { summary, responses }]) => ({ method, path, summary, isSocket: "101" in responses })),
  );
}

/** Opens the page. Its requests to other hosts and its errors should be empty. */
async function open(
  width: number,
  height: number,
  section = "",
): Promise<{ page: Page; elsewhere: string[]; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(PATIENCE_MS);
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(url)) elsewhere.push(request.url());
  });
  await page.goto(`${url}/${section}`);
  await page.getByRole("heading", { name: "loyalty-edge" }).first().waitFor();
  if (section !== "") {
    await page.locator(".t-doc__sidebar [aria-current]").waitFor();
    return { page, elsewhere, errors };
  }
  // The page renders an endpoint when one scrolls near it.
  const first = page.getByRole("heading", { name: "Near-by popular campaigns" }).first();
  for (let step = 0; step < 50 && (await first.count()) === 0; step += 1) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(100);
  }
  await first.waitFor();
  return { page, elsewhere, errors };
}

/** The parameters that leave entries out of an answer. */
const FILTERS = {
  type: 1,
  search: 1,
  storeId: 1,
  accountId: 1,
  level_no: 1,
  team_member_id: 1,
  check_time: 1,
  after: 1,
};

/** Scrolls to an endpoint, opens its form, and sends the form as the page has filled it in. */
async function sendAsFilledIn(page: Page, { method, path }: Endpoint): Promise<Response> {
  const button = page.locator("button", { hasText: `(${method} ${path})` });
  // The page renders an endpoint when one scrolls near it.
  for (let step = 0; step < 100 && (await button.count()) === 0; step += 1) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(100);
  }
  await button.click();
  const [response] = await Promise.all([
    page.waitForResponse((answered) => answered.url().includes("/api/v1/")),
    page.getByRole("button", { name: `Send ${method} request` }).click(),
  ]);
  // Wait for the whole answer, and until the page shows its status.
  await response.finished();
  await page.getByRole("link", { name: "200 OK" }).waitFor();
  await page.keyboard.press("Escape");
  return response;
}

beforeAll(async () => {
  service = await startService(["--persist-to", path.join(folder, "state")]);
  url = service.url;
});

describe.skipIf(CHROMIUM === null)("the reference page", () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.for([
    ["every endpoint", "a desktop", 1280, 900],
    ["an endpoint", "a phone", 390, 844],
  ] as const)(
    "sends the request of %s as it is filled in, on %s, and loads nothing from elsewhere",
    async ([which, , width, height], { expect }) => {
      const { page, elsewhere, errors } = await open(width, height);
      const endpoints = await listEndpoints();

      expect(endpoints.map(({ isSocket }) => isSocket).sort()).toEqual([...Array(9).fill(false), true]);
      for (const endpoint of endpoints) {
        expect(await page.getByText(endpoint.summary, { exact: true }).count()).toBeGreaterThan(0);
        if (endpoint.isSocket || (which === "an endpoint" && endpoint !== endpoints[0])) continue;
        const response = await sendAsFilledIn(page, endpoint);
        const { status, items, ...lists } = await response.json();
        const sent = [...new URL(response.url()).searchParams].filter(
          ([name, value]) => name in FILTERS && value !== "",
        );
        expect(sent, endpoint.summary).toEqual([]);
        expect(await response.request().headerValue("If-None-Match")).toBe(null);

        expect(status, endpoint.summary).toBe(true);
        expect(Object.values(items ?? lists).flat(), endpoint.summary).not.toEqual([]);
      }
      expect({ elsewhere, errors }).toEqual({ elsewhere: [], errors: [] });
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(
        0,
      );
    },
  );

  it("has no form for the WebSocket, on the page or beside other forms, because it could only get 426", async ({
    expect,
  }) => {
    const { page } = await open(1280, 900, "#tag/customer/GET/api/v1/customer/live");
    await page.getByText("A frame may get lost, so poll now and then").waitFor();
    const form = (path: string) => page.getByRole("button", { name: path });
    expect(await form("(get /api/v1/customer/live)").count()).toBe(0);

    await form("(get /api/v1/customer/me)").click();
    await page.locator(".scalar-client .scalar-sidebar-toggle").click();
    const beside = page.locator(".scalar-client [data-sidebar-id]:visible");
    expect(await beside.filter({ hasText: /^Messages/ }).count()).toBe(1);
    expect(await beside.filter({ hasText: /^Live/ }).count()).toBe(0);
  });

  it("leaves every other path to the service, which answers with a failure body", async ({ expect }) => {
    for (const place of ["/nothing", "/_headers", "/scalar.js.map", "/api"]) {
      const response = await fetch(`${url}${place}`);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ status: false, errorCode: "NOT_FOUND" });
    }
  });
});

// For languages in which there is no client of ours.
describe("a client generated from the OpenAPI document", () => {
  it("compiles strictly, and works", async ({ expect }) => {
    const source = path.join(folder, "openapi.json");
    writeFileSync(source, await (await fetch(`${url}/openapi.json`)).text());
    const target = path.join(folder, "generated.ts");
    await generate({ input: source, output: { target, client: "fetch", baseUrl: url } });
    copyFileSync(path.join(import.meta.dirname, "consumer", "generated-calls.ts"), path.join(folder, "calls.ts"));
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext" };
    const others = { allowImportingTsExtensions: true, lib: ["es2022", "dom", "dom.iterable"], types: ["node"] };
    const typeRoots = [path.join(ROOT, "node_modules", "@types")];
    const settings = { compilerOptions: { ...compilerOptions, ...others, typeRoots }, files: ["calls.ts"] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));

    const compiled = await run(path.join(ROOT, "node_modules", ".bin", "tsc"), ["-p", folder]).catch((error) => error);
    const bundle = path.join(folder, "calls.mjs");
    await build({ entryPoints: [path.join(folder, "calls.ts")], outfile: bundle, bundle: true, format: "esm" });
    const { stdout } = await run("node", [bundle, demoToken(service)]);

    expect(compiled.stdout).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      campaign: "k101-double",
      coupon: "cc0-2-pastry",
      company: "Blue Cup Coffee",
      group: "g1",
      fields: { query: ["must be at least 3 characters"] },
    });
  });
});
