import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { generate } from "orval";
import type { Browser, Locator, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
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
  /** Whether it opens a WebSocket. The page has no form for a WebSocket. */
  isSocket: boolean;
}

/** The endpoints of customers, as the document has them. */
async function listEndpoints(): Promise<Endpoint[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { summary: string; responses: object }>>;
  };
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/api/v1/customer/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, responses }]) => {
        return { method, path, summary, isSocket: "101" in responses };
      }),
    );
}

/** Opens the page at a fragment. Resolves with the page, its requests to other hosts, and its errors. */
async function open(width: number, height: number, fragment = "") {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(PATIENCE_MS);
  const foreignRequests: string[] = [];
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(url)) foreignRequests.push(request.url());
  });
  await page.goto(`${url}/${fragment}`);
  await page.getByRole("heading", { name: "loyalty-edge" }).first().waitFor();
  return { page, foreignRequests, errors };
}

/** Scrolls until the page renders an element. The page renders an endpoint when one scrolls near it. */
async function scrollTo(page: Page, element: Locator): Promise<void> {
  for (let step = 0; step < 150 && (await element.count()) === 0; step += 1) {
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
  }
  await element.first().waitFor();
}

/** Scrolls to an endpoint, opens its form, and sends the form with the values that the page has filled in. */
async function sendAsFilledIn(page: Page, { method, path }: Endpoint): Promise<Response> {
  const button = page.locator("button", { hasText: `(${method} ${path})` });
  await scrollTo(page, button);
  await button.click();
  const [response] = await Promise.all([
    page.waitForResponse((answered) => answered.url().includes("/api/v1/")),
    page.getByRole("button", { name: `Send ${method} request` }).click(),
  ]);
  // Wait for the whole answer, and until the page shows its status.
  await response.finished();
  await page.getByRole("link", { name: /^20[02] (OK|Accepted)$/ }).waitFor();
  await page.keyboard.press("Escape");
  return response;
}

beforeAll(async () => {
  service = await startService(["--persist-to", path.join(folder, "state")]);
  ({ url } = service);
});

describe.skipIf(CHROMIUM === null)("the reference page", () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it.for([
    { what: "all requests", where: "a desktop", width: 1280, height: 900, formCount: 13 },
    { what: "a request", where: "a phone", width: 390, height: 844, formCount: 1 },
  ])("sends $what as filled in, on $where, and loads nothing from elsewhere", async (screen, { expect }) => {
    const { page, foreignRequests, errors } = await open(screen.width, screen.height);
    const endpoints = await listEndpoints();
    const withForm = endpoints.filter(({ isSocket }) => !isSocket);

    expect([endpoints.length, withForm.length]).toEqual([14, 13]);
    const app = page.getByRole("link", { name: "See the example app" });
    expect(await app.getAttribute("href")).toBe("/app/");
    await scrollTo(page, page.getByRole("heading", { name: "Near-by popular campaigns" }));
    for (const { summary } of endpoints)
      expect(await page.getByText(summary, { exact: true }).count()).toBeGreaterThan(0);
    for (const endpoint of withForm.slice(0, screen.formCount)) {
      const response = await sendAsFilledIn(page, endpoint);
      const { status, items, ...lists } = await response.json();

      expect(await response.request().headerValue("If-None-Match")).toBe(null);
      expect(status, endpoint.summary).toBe(true);
      expect(Object.values(items ?? lists).flat(), endpoint.summary).not.toEqual([]);
    }
    expect({ foreignRequests, errors }).toEqual({ foreignRequests: [], errors: [] });
    const root = "document.documentElement";
    expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0);
  });

  it("has no form for the WebSocket, on the page or beside other forms, because it could only get 426", async ({
    expect,
  }) => {
    const { page } = await open(1280, 900, "#tag/live/GET/api/v1/customer/live");
    const socket = (await listEndpoints()).find(({ isSocket }) => isSocket);
    await page.locator(".t-doc__sidebar [aria-current]").waitFor();
    await page
      .getByRole("heading", { name: socket?.summary ?? "" })
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "(get /api/v1/customer/live)" }).count()).toBe(0);

    const { page: other } = await open(1280, 900, "#tag/me/GET/api/v1/customer/me");
    await other.getByRole("button", { name: "(get /api/v1/customer/me)" }).click();
    await other.locator(".scalar-client .scalar-sidebar-toggle").click();
    const listedForms = other.locator(".scalar-client [data-sidebar-id]:visible");
    expect(await listedForms.filter({ hasText: /^Messages/ }).count()).toBe(1);
    expect(await listedForms.filter({ hasText: /^Live/ }).count()).toBe(0);
  });

  it("leaves every other path to the service, which answers with a failure body", async ({ expect }) => {
    for (const path of ["/nothing", "/_headers", "/scalar.js.map", "/api"])
      expect(await call(`${url}${path}`)).toMatchObject({ status: 404, body: { errorCode: "NOT_FOUND" } });
  });
});

describe("a file of the reference page", () => {
  it.for(["/", "/index.html", "/openapi.json", "/scalar.js", "/app/"])(
    "at %s refuses another method with a failure body",
    async (path, { expect }) => {
      for (const method of ["POST", "PUT", "DELETE"]) {
        const { status, headers, body } = await call(`${url}${path}`, { method });

        expect([method, status, headers.get("Allow"), body?.errorCode]).toEqual([
          method,
          405,
          "GET",
          "METHOD_NOT_ALLOWED",
        ]);
      }
    },
  );

  it("keeps its own headers, and its ETag answers 304", async ({ expect }) => {
    const page = await call(`${url}/`);
    const document = await call(`${url}/openapi.json`);
    const headers = { "If-None-Match": document.headers.get("ETag") ?? "" };

    expect(page.headers.get("Content-Security-Policy")).toBe(
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src * data: blob:; font-src 'self' data:; " +
        "worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(document.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(document.headers.get("Cache-Control")).toContain("public");
    expect((await call(`${url}/openapi.json`, { headers })).status).toBe(304);
    expect((await call(`${url}/openapi.json`, { method: "HEAD" })).text).toBe("");
  });
});

describe("the contract as Markdown", () => {
  it("is listed by /llms.txt, and links only to what the service has", async ({ expect }) => {
    const list = await call(`${url}/llms.txt`);
    const linksOf = (text: string) => [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    const pages = linksOf(list.text).filter((link) => link.endsWith(".md"));
    expect(pages.map((page) => path.basename(page))).toEqual(
      readdirSync(path.join(ROOT, "docs", "contract")).filter((name) => name.endsWith(".md")),
    );

    for (const page of pages) {
      const { status, headers, text } = await call(url + page);

      expect([page, status, headers.get("Content-Type")]).toEqual([page, 200, "text/markdown; charset=utf-8"]);
      for (const link of linksOf(text).filter((link) => !link.startsWith("https:")))
        expect([page, link, (await call(new URL(link, url + page).href)).status]).toEqual([page, link, 200]);
    }
  });
});

// Apps in languages without a client of this project can generate one.
describe("a client generated from the OpenAPI document", () => {
  it("compiles strictly, and works", async ({ expect }) => {
    const source = path.join(folder, "openapi.json");
    writeFileSync(source, await (await fetch(`${url}/openapi.json`)).text());
    const target = path.join(folder, "generated.ts");
    await generate({ input: source, output: { target, client: "fetch", baseUrl: url } });
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext", types: [] };
    const settings = { compilerOptions: { ...compilerOptions, lib: ["es2022", "dom"] }, files: ["generated.ts"] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));

    const compilation = await run(path.join(ROOT, "node_modules", ".bin", "tsc"), ["-p", folder]).catch(
      (error) => error,
    );
    const { coupons, fullSearch } = await import(/* @vite-ignore */ target);
    const asCustomer = { headers: { Authorization: `Bearer ${demoToken(service)}` } };
    const foundCoupons = await coupons({ includemfg: true }, asCustomer);
    const refusedSearch = await fullSearch({ query: "b" }, asCustomer);

    expect(compilation.stdout).toBe("");
    expect(foundCoupons.data.items.stores[0]).toMatchObject({
      id: "season-c1-latte",
      account: { company: "Blue Cup Coffee" },
    });
    expect(refusedSearch).toMatchObject({
      status: 422,
      data: { messages: { query: ["must be at least 3 characters"] } },
    });
  });
});
