import { CommandError, runTool, type ToolOptions } from "./project.ts";
import { buildReference } from "./reference.ts";

/**
 * Runs wrangler. Every script does it here, because most of its commands fail where a folder that wrangler.toml names is
 * absent, and a fresh clone has no dist/reference.
 */
export async function runWrangler(args: readonly string[], options?: ToolOptions): ReturnType<typeof runTool> {
  await buildReference();
  return runTool("wrangler", args, options);
}

/** Writes worker-configuration.d.ts anew, after wrangler.toml has changed: as `npm run types`. */
export async function writeTypes(): Promise<void> {
  const { status, output } = await runWrangler(["types", "--env=", "--strict-vars=false"], { capture: true });
  if (status !== 0) throw new CommandError(`The types of the bindings could not be written.\n${output.trim()}`);
}
