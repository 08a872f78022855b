import path from "node:path";
import { configOf, wranglerEnvOption } from "./environments.ts";
import { CommandError, ROOT, runTool, type ToolOptions } from "./project.ts";
import { buildReference } from "./reference.ts";

const LARGEST_GZIP_KIB = 122;

/**
 * Runs wrangler. Every script runs it through this function, because most commands of wrangler fail without the folders
 * that wrangler.toml names, and a fresh clone has no dist/reference.
 */
export async function runWrangler(args: readonly string[], options?: ToolOptions): ReturnType<typeof runTool> {
  buildReference();
  return runTool("wrangler", args, options);
}

/**
 * Builds the Workers of these environments as a deployment does. Resolves with their sizes, a text for each entry file.
 * @throws a CommandError if a Worker is too large: Cloudflare loads it on demand, so it must stay small.
 */
export async function checkBundles(envs: readonly string[]): Promise<string[]> {
  const byEntry = new Map(envs.map((env) => [path.relative(ROOT, configOf(env).main ?? ""), env]));
  return Promise.all(
    [...byEntry].map(async ([entry, env]) => {
      const size = await gzipKib(env);
      if (!(size < LARGEST_GZIP_KIB))
        throw new CommandError(`The Worker of ${entry} has ${size} KiB gzip; ${LARGEST_GZIP_KIB} KiB is too large.`);
      return `${entry} ${size} KiB gzip`;
    }),
  );
}

async function gzipKib(env: string): Promise<number> {
  const args = ["deploy", "--dry-run", wranglerEnvOption(env)];
  const { status, output } = await runWrangler(args, { capture: true });
  if (status !== 0) throw new CommandError(`${output}\nFailed: npm run wrangler -- ${args.join(" ")}`);
  return Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
}
