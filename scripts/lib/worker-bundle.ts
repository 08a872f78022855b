import { CommandError, runTool } from "./project.ts";

const LARGEST_GZIP_KIB = 110;

/** Builds the Worker as it would be deployed, and makes sure that it stays small: it is loaded where it is not warm. */
export async function checkBundle(): Promise<string> {
  for (const environment of ["", "staging"]) {
    const args = ["deploy", "--dry-run", `--env=${environment}`];
    const { status, output } = await runTool("wrangler", args, { capture: true });
    if (status !== 0) throw new CommandError(`${output}\nFailed: npx wrangler ${args.join(" ")}`);
    const gzip = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
    if (!(gzip < LARGEST_GZIP_KIB))
      throw new CommandError(`The Worker is ${gzip} KiB gzip; at most ${LARGEST_GZIP_KIB} KiB are allowed.`);
    if (environment === "staging") return `${gzip} KiB gzip`;
  }
  return "";
}
