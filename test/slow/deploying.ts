import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach } from "vitest";
import { SCHEMA_QUERY, schemaDump, withoutComments } from "../../scripts/lib/schema-dump.ts";
import { SECRET_NAMES } from "../../scripts/lib/sign.ts";
import { cloneCheckout } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import "./cloudflare/workers-dev.mjs";
import { type CommandOptions, ROOT, startCommand } from "./command.ts";
import { inProcess } from "./in-process.ts";

// Deployments of a clone, against the imitation of Cloudflare's API.

export const WORKER = "loyalty-edge-staging";
export const STAGING = ["--env", "staging"];

const opened: Cloudflare[] = [];

/** Opens an account that has only the Worker of staging with its secrets, or an empty account. */
export async function openAccount({ hasSecrets = true } = {}) {
  const cloudflare = new Cloudflare();
  const env = await cloudflare.open();
  opened.push(cloudflare);
  if (hasSecrets) cloudflare.scripts.make(WORKER, ...SECRET_NAMES);
  return { cloudflare, env, script: () => cloudflare.scripts.get(WORKER) };
}

// An answer of the imitation to a request that it does not know would prove nothing.
afterEach(({ expect }) => {
  for (const { unknownRequests } of opened) expect(unknownRequests).toEqual([]);
});

// Deployments write into dist/programs, so they run in a clone.
export const clone = cloneCheckout();

/** Runs a command of the clone in this process. Wrangler gets a process of its own. */
export async function run(name: string, args: readonly string[], options: CommandOptions = {}) {
  if (name !== "wrangler") return inProcess(name, args, { ...options, root: clone });
  const started = startCommand(name, args, { ...options, cwd: clone });
  return { status: (await started.ended) ?? 1, output: started.output() };
}

/** Replaces the environments.toml of the clone until the test ends. */
export const writePrograms = (text: string) => writeFileSync(path.join(clone, "environments.toml"), text);
export const PROGRAMS = readFileSync(path.join(ROOT, "environments.toml"), "utf8");
afterEach(() => writePrograms(PROGRAMS));

export const SCHEMA = withoutComments(readFileSync(path.join(ROOT, "docs", "schema.sql"), "utf8"));

/** The schema of the deployed database, to compare with SCHEMA. */
export function schemaOf(cloudflare: Cloudflare): string {
  const rows = cloudflare.databases.get(WORKER)?.sql.prepare(SCHEMA_QUERY).all() ?? [];
  return withoutComments(schemaDump(rows));
}
