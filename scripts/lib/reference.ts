import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import scalar from "@scalar/fastify-api-reference";
import { openApi } from "../../src/reference.ts";
import type { ExampleApp } from "./app-page.ts";
import { contractPages } from "./contract-pages.ts";
import { CommandError, ROOT } from "./project.ts";
import { replaceFile } from "./whole-file.ts";

/** The folder that wrangler.toml deploys as static assets. It is public, so it never gets the token that `npm start` fills in. */
const DEPLOYED = path.join(ROOT, "dist", "reference");
const PAGE_FOLDER = path.join(ROOT, "scripts", "reference");
/** Keeps the folder in a clone (.gitignore), and keeps itself from being deployed. */
const IGNORE_FILE = ".assetsignore";

/**
 * Writes the reference page, its renderer, the OpenAPI document and the contract into a folder. The page loads nothing from elsewhere.
 * By default the folder is the one that is deployed. The forms of the page send the token. The example app is served
 * beside the page.
 */
export function buildReference(folder = DEPLOYED, { token, app }: { token?: string; app?: ExampleApp } = {}): void {
  const pageFiles = readdirSync(PAGE_FOLDER).map((name) => [name, readFileSync(path.join(PAGE_FOLDER, name))] as const);
  const files = new Map<string, string | Uint8Array>([
    ...pageFiles,
    ["_headers", readFileSync(path.join(PAGE_FOLDER, "_headers"), "utf8") + (app?.headers ?? "")],
    ["settings.json", `${JSON.stringify({ token })}\n`],
    ["scalar.js", scalarBundle()],
    ["openapi.json", JSON.stringify(app ? withLinkToApp(openApi()) : openApi())],
    ...contractPages(),
    ...(app?.files ?? []),
  ]);
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/");
    if (!entry.isDirectory() && !files.has(name) && name !== IGNORE_FILE) rmSync(path.join(folder, name));
  }
  for (const [name, contents] of files) replaceFile(path.join(folder, name), contents, path.dirname(folder));
}

function withLinkToApp(document: ReturnType<typeof openApi>): typeof document {
  const description = `[See the example app](/app/), with a till beside it.\n\n${document.info.description}`;
  return { ...document, info: { ...document.info, description } };
}

interface Route {
  url: string;
  handler: (request: unknown, reply: unknown) => void;
}

/**
 * Scalar's bundle for browsers, taken from its plugin for Fastify, which serves it. `@scalar/api-reference` has the
 * same file, but 270 dependencies with 290 MB.
 */
function scalarBundle(): string {
  const routes: Route[] = [];
  const fastify = { initialConfig: {}, route: (route: Route) => routes.push(route) };
  const register = scalar as unknown as (server: typeof fastify, options: object, done: () => void) => void;
  register(fastify, { configuration: { url: "/openapi.json" } }, () => {});

  let bundle = "";
  const reply = {
    header: () => reply,
    send: (text: string) => {
      bundle = text;
    },
  };
  routes.find(({ url }) => url.endsWith(".js"))?.handler({}, reply);
  if (bundle === "")
    throw new CommandError("Scalar's plugin no longer serves its bundle as expected: see scripts/lib/reference.ts.");
  return bundle;
}
