import { CommandError } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

const LARGEST_GZIP_KIB = 105;

/** Builds the Worker as each environment would deploy it, and makes sure that it stays small: it is loaded on demand. */
export async function checkBundle(): Promise<string> {
  const sizes = await Promise.all(["", "staging"].map(dryRun));
  const largest = Math.max(...sizes);
  if (!(largest < LARGEST_GZIP_KIB))
    throw new CommandError(`The Worker is ${largest} KiB gzip; it must stay under ${LARGEST_GZIP_KIB} KiB.`);
  return `${largest} KiB gzip`;
}

async function dryRun(environment: string): Promise<number> {
  const args = ["deploy", "--dry-run", `--env=${environment}`];
  const { status, output } = await runWrangler(args, { capture: true });
  if (status !== 0) throw new CommandError(`${output}\nFailed: npm run wrangler -- ${args.join(" ")}`);
  return Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
}
