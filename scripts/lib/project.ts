import { spawn } from "node:child_process";
import path from "node:path";
import { CommandError } from "./command-error.ts";

export { CommandError };

/** The folder of the project, wherever a command was started from. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The environment of a tool: it reports nothing to anybody, and does not look up where it is. */
export const TOOL_ENV = { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

/** Runs a command's main function: a `CommandError` is one line and status 1, anything else a bug with its stack. */
export async function main(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof CommandError ? error.message : error);
    process.exitCode = 1;
  }
}

/** Runs a tool of the project in its folder. Resolves with its exit status and what it printed when that is captured. */
export function runTool(
  tool: string,
  args: readonly string[],
  { capture = false, env = {} }: { capture?: boolean; env?: Record<string, string> } = {},
): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, "node_modules", ".bin", tool), args, {
      cwd: ROOT,
      stdio: capture ? ["ignore", "pipe", "pipe"] : "inherit",
      env: { ...TOOL_ENV, ...env },
    });
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
    });
    child.stderr?.on("data", (data) => {
      output += data;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}
