import path from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { devVarsOf, type Place, PRODUCTION, writeConfig } from "./environments.ts";
import { CommandError, ROOT, runTool, type ToolOptions } from "./project.ts";
import { buildReference } from "./reference.ts";
import { SECRET_NAMES } from "./sign.ts";

const LARGEST_GZIP_KIB = 120;

/** Runs wrangler. Every script runs it through this function, because most of its commands need dist/reference. */
export async function runWrangler(args: readonly string[], options?: ToolOptions): ReturnType<typeof runTool> {
  buildReference();
  return runTool("wrangler", args, options);
}

/** Runs wrangler with the configuration of a program. */
export function runWranglerFor(
  env: string,
  args: readonly string[],
  { place, ...options }: ToolOptions & { place?: Place } = {},
): ReturnType<typeof runTool> {
  const configArgs = ["--config", writeConfig(env, place), "--env="];
  if (place !== "local") return runWrangler([...args, ...configArgs], options);
  // Wrangler would prefer secrets of the shell, which may be those of a deployment.
  const withoutSecrets = Object.fromEntries(SECRET_NAMES.map((name) => [name, undefined]));
  const envFile = ["--env-file", path.join(ROOT, devVarsOf(env))];
  return runWrangler([...args, ...configArgs, ...envFile], { ...options, env: { ...options.env, ...withoutSecrets } });
}

/** @throws a CommandError with wrangler's reason if it does not accept the configuration of a program. */
export function refuseWrongConfig(env: string): void {
  try {
    readConfig({ config: writeConfig(env), env: "" }, { hideWarnings: true });
  } catch (error) {
    throw new CommandError(
      `Wrangler refuses the settings of ${env}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Builds the Worker as a deployment does. Resolves with its size.
 * @throws a CommandError if it is too large: Cloudflare loads it on demand, so it must stay small.
 */
export async function checkBundle(env = PRODUCTION): Promise<string> {
  const { status, output } = await runWranglerFor(env, ["deploy", "--dry-run"], { capture: true });
  if (status !== 0) throw new CommandError(`${output}\nFailed: npm run wrangler -- deploy --dry-run --env ${env}`);
  const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
  if (!(size < LARGEST_GZIP_KIB))
    throw new CommandError(`The Worker has ${size} KiB gzip; ${LARGEST_GZIP_KIB} KiB is too large.`);
  return `${size} KiB gzip`;
}
