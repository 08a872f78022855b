import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import type * as Service from "../service.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** A change of the source, such as a planted bug. */
export interface Patch {
  /** The file, in `src/` or `migrations/`. */
  file: string;
  find: string;
  replace: string;
}

/** The bundled service. */
export interface Bundle {
  migrations: readonly string[];
  load: Load;
  /** Loads a version that renames methods of objects, so that a call from one version to the other fails. */
  loadRenamed: Load;
}

/** Evaluates the code with these globals in place of Node's. Each call gives the code a new module state. */
export type Load = (globals: Readonly<Record<string, unknown>>) => typeof Service;

/** The changes of the other version. */
const RENAMED: readonly Patch[] = [
  { file: "src/inbox/inbox.ts", find: "  poll(checkTime", replace: "  pollOtherwise(checkTime" },
  { file: "src/inbox/inboxes.ts", find: ").poll(checkTime)", replace: ").pollOtherwise(checkTime)" },
  { file: "src/inbox/inbox.ts", find: "  async notify(", replace: "  async notifyOtherwise(" },
  { file: "src/inbox/inboxes.ts", find: ").notify(notification)", replace: ").notifyOtherwise(notification)" },
  { file: "src/inbox/fan-out.ts", find: "  notify(calls", replace: "  notifyOtherwise(calls" },
  { file: "src/inbox/inboxes.ts", find: ".notify(calls, endsAt)", replace: ".notifyOtherwise(calls, endsAt)" },
];

/** The globals that the bundle's function takes as parameters, in this order. */
const GLOBALS = [
  ...["Date", "performance", "Math", "crypto", "setTimeout", "clearTimeout", "console", "fetch", "Response"],
  ...["CryptoKey", "WebSocketPair", "WebSocket", "WebSocketRequestResponsePair"],
];

/** Few events are stored here. Adding them up should still take several steps, so the steps are small. */
const SMALL_STEPS: Patch = {
  file: "src/retention/retention.ts",
  find: "lookedAt: lookedAt ?? kind.lookedAt }",
  replace: "lookedAt: 100 }",
};

/** Daily jobs run every five minutes, so that they run often in an hour. */
const SHORT_DAYS: Patch = {
  file: "src/service/jobs.ts",
  find: "const DAILY = 1_440;",
  replace: "const DAILY = 5;",
};

/** Bundles the service with small steps, short days, and a patch if there is one. */
export async function bundleService(patch?: Patch): Promise<Bundle> {
  const patches = [SMALL_STEPS, SHORT_DAYS, ...(patch === undefined ? [] : [patch])];
  const [load, loadRenamed] = await Promise.all([bundle(patches), bundle([...patches, ...RENAMED])]);
  return { migrations: readMigrations(patch), load, loadRenamed };
}

async function bundle(patches: readonly Patch[]): Promise<Load> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "../service.ts")],
    bundle: true,
    format: "cjs",
    target: "esnext",
    write: false,
    logLevel: "silent",
    // The class `DurableObject` is all that the service imports from the platform.
    alias: { "cloudflare:workers": path.join(import.meta.dirname, "durable-object.ts") },
    plugins: [patching(patches)],
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("esbuild wrote nothing.");
  const evaluate = new Function("module", "exports", ...GLOBALS, output.text);
  return (globals) => {
    const module = { exports: {} };
    evaluate(module, module.exports, ...GLOBALS.map((name) => globals[name]));
    return module.exports as typeof Service;
  };
}

function patched(text: string, { file, find, replace }: Patch): string {
  if (text.split(find).length !== 2) throw new Error(`${file} must have this text once: ${find}`);
  return text.replace(find, () => replace);
}

function readMigrations(patch?: Patch): string[] {
  const folder = path.join(ROOT, "migrations");
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(folder, name), "utf8");
      return patch?.file === `migrations/${name}` ? patched(text, patch) : text;
    });
}

function patching(patches: readonly Patch[]): Plugin {
  return {
    name: "patch",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async (args) => {
        const ofFile = patches.filter(({ file }) => file === path.relative(ROOT, args.path));
        if (ofFile.length === 0) return undefined;
        return { contents: ofFile.reduce(patched, readFileSync(args.path, "utf8")), loader: "ts" };
      });
    },
  };
}
