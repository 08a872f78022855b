import { runTool, type ToolOptions } from "./project.ts";
import { buildReference } from "./reference.ts";

/**
 * Runs wrangler. Every script does it here, because most of its commands fail where a folder that wrangler.toml names is
 * absent, and a fresh clone has no dist/reference.
 */
export async function runWrangler(args: readonly string[], options?: ToolOptions): ReturnType<typeof runTool> {
  await buildReference();
  return runTool("wrangler", args, options);
}
