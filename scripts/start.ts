import { InvalidArgumentError } from "commander";
import { invalidOrigins } from "../src/middleware/cors.ts";
import { VARIABLES } from "../src/service/variables.ts";
import { newCommand, wholeNumber, withEnvironment } from "./lib/options.ts";
import type { StartOptions } from "./start/start-service.ts";

export const program = withEnvironment(
  newCommand("npm start").description(
    "Start the service on this machine: migrated, with the demo program loaded, and with a token to call it.",
  ),
)
  .option("--port <n>", "the port to listen on", wholeNumber(1, 65_535), 8787)
  .option("--persist-to <dir>", "the folder of the local database, if it is not the environment's own")
  .option("--no-demo", "leave the database as it is")
  .option("--logs", "also print wrangler's line for each request, and the service's own lines (docs/monitoring.md)")
  .option("--cors <origins>", 'the origins whose pages may call, with commas between them, or "*"', originList)
  .option("--jwks <url>", "where the public keys of your identity provider are, as JWKS_URL")
  .option("--var <name=value>", "a variable of wrangler.toml; may be repeated", variable, {})
  .option("--now <time>", "what the database takes for now, such as 2026-12-24T18:00:00Z, to see an ended coupon", time)
  .addHelpText("after", "\nThe secrets are in .dev.vars, which the first start writes. More: docs/tokens.md")
  .action(start);

async function start(options: StartOptions): Promise<void> {
  // The next line takes seconds at the first start, because Node reads all of wrangler.
  console.error("Loading wrangler …");
  const { startService } = await import("./start/start-service.ts");
  await startService(options);
}

/** Adds a variable to those of earlier options. */
function variable(text: string, earlier: Record<string, string>): Record<string, string> {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name in VARIABLES) return { ...earlier, [name]: value };
  throw new InvalidArgumentError(
    `Such as NEARBY_RADIUS_MILES=5. The variables are ${Object.keys(VARIABLES).join(", ")}.`,
  );
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("Such as 2026-12-24T18:00:00Z.");
  return date;
}

function originList(text: string): string {
  const wrongOrigins = invalidOrigins(text);
  if (wrongOrigins.length === 0) return text;
  throw new InvalidArgumentError(
    `${wrongOrigins.join(", ")} must be like http://localhost:5173, without a path or a slash.`,
  );
}
