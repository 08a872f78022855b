import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach } from "vitest";
import { SCHEMA_QUERY, schemaDump, withoutComments } from "../../scripts/lib/schema-dump.ts";
import { cloneCheckout } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import "./cloudflare/workers-dev.mjs";
import { type CommandOptions, command, ROOT } from "./command.ts";
import { parse, programOf } from "./in-process.ts";

// Deployments of a clone, against the imitation of Cloudflare's API.

export const WORKER = "loyalty-edge-staging";
export const STAGING = ["--env", "staging"];
const opened: Cloudflare[] = [];

afterEach(() => {
  for (const cloudflare of opened.splice(0)) cloudflare.close();
});

/** An empty account, or an account that has only the Worker that `secret put` makes. */
export async function account({ hasSecret = false } = {}) {
  const cloudflare = new Cloudflare();
  const env = await cloudflare.open();
  opened.push(cloudflare);
  if (hasSecret) cloudflare.scripts.set(WORKER, { secrets: new Set(["JWT_SECRET"]), bindings: [], deployments: 1 });
  return { cloudflare, env, script: () => cloudflare.scripts.get(WORKER) };
}

// A clone, because a deployment writes into dist/deploy.
export const clone = cloneCheckout();

/** Runs a command of the clone: in this process, except wrangler. */
export async function run(name: string, args: readonly string[], options: CommandOptions = {}) {
  if (name !== "wrangler") return parse(await programOf(name, clone), args, { ...options, cwd: clone });
  const started = command(name, args, { ...options, cwd: clone });
  return { status: (await started.ended) ?? 1, output: started.output() };
}

/** Writes the clone's wrangler.toml. */
export const write = (text: string) => writeFileSync(path.join(clone, "wrangler.toml"), text);
export const config = () => readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");

export const SCHEMA = withoutComments(readFileSync(path.join(ROOT, "docs", "schema.sql"), "utf8"));

/** The schema of the deployed database, to compare with SCHEMA. */
export function schemaOf(cloudflare: Cloudflare): string {
  const rows = cloudflare.databases.get(WORKER)?.sql.prepare(SCHEMA_QUERY).all() ?? [];
  return withoutComments(schemaDump(rows));
}
