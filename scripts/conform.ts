import { readFileSync } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import { Http } from "./conform/http.ts";
import { sockets } from "./conform/network-sockets.ts";
import { Broken } from "./conform/outcome.ts";
import { sectionText, summaryText } from "./conform/report.ts";
import { runSections } from "./conform/run.ts";
import { SECTIONS } from "./conform/sections/index.ts";
import { type Settings, Suite } from "./conform/suite.ts";
import { type Keys, type TokenFile, Tokens } from "./conform/tokens.ts";
import { PRODUCTION, variablesOf } from "./lib/environments.ts";
import { environmentName, LOCAL_SERVICE, newCommand, serviceUrl } from "./lib/options.ts";
import { CommandError, shellVariables, stoppable } from "./lib/project.ts";
import type { SecretName } from "./lib/sign.ts";
import { devSecret, isLocal } from "./lib/tokens.ts";

interface Options {
  url: string;
  tokens?: TokenFile;
  env?: string;
  readOnly?: boolean;
  eraseCustomers?: boolean;
  only?: string;
}

type Variables = Record<string, string | undefined>;

const CALLERS = 3;
// Replicas lag behind a feed. So a rule that is broken is checked again for this long.
const PATIENCE_MS = 5_000;

export const program = newCommand("npm run conform")
  .description(
    "Check a service against every rule of docs/contract/ that can be seen from outside. It feeds accounts and customers of its own, and deletes them at the end.",
  )
  .option("--url <url>", "the service", serviceUrl, LOCAL_SERVICE)
  .addOption(
    new Option(
      "--tokens <file>",
      `a JSON file of tokens, where nobody can give the secrets: {"customers": ["…", "…", "…"], "feed": "…", "export": "…"}`,
    ).argParser(readTokenFile),
  )
  .option("--env <name>", "the program of environments.toml that the service is", environmentName)
  .option("--erase-customers", "with --tokens: write these customers, and erase them at the end")
  .option("--read-only", "feed nothing, and check only the rules that hold whatever is stored")
  .option("--only <section>", 'only these sections: "feed", "interface, 4", "live, 2"')
  .addHelpText(
    "after",
    `
Tokens are signed with JWT_SECRET and FEED_JWT_SECRET of the shell, or for a service on this machine with those of npm
start. JWT_ISSUER,
JWT_AUDIENCE, NEARBY_RADIUS_MILES, CUSTOMER_SEARCH and CORS_ORIGINS say how the service is configured. They are those of
the shell, otherwise those of the program for --env or for a service on this machine.`,
  )
  .action(conform);

async function conform(options: Options): Promise<void> {
  const { url, only, readOnly = false } = options;
  const env = options.env ?? (isLocal(url) ? PRODUCTION : undefined);
  const variables = { ...(env !== undefined && variablesOf(env)), ...shellVariables() };
  const tokens = new Tokens(keysOf(options, variables));
  await stoppable(check, () => console.error("Deleting what was written …"));

  async function check(stop: AbortSignal): Promise<void> {
    const http = new Http(url, stop);
    const suite = new Suite({ http, tokens, sockets, settings: settingsOf(variables), mayFeed: !readOnly });
    try {
      await http.send("/health").catch(({ message }: Error) => {
        throw new CommandError(`The service cannot be reached: ${message}`);
      });
      const results = await runSections(suite, SECTIONS, {
        signal: stop,
        patienceMs: PATIENCE_MS,
        only,
        onSection: (section, sectionResults) => console.log(sectionText(section, sectionResults)),
      });
      if (results.length === 0) throw new CommandError(`There is no section ${only}.`);
      console.log(`\n${summaryText(results)}`);
      if (results.some(({ outcome }) => outcome === "broken")) process.exitCode = 1;
    } catch (error) {
      throw error instanceof Broken ? new CommandError(error.message) : error;
    } finally {
      if (stop.aborted) http.ignoreStop();
      const refusal = await suite.deleteFedRecords();
      if (refusal !== null)
        console.error(
          `Some records with ids that begin with ${suite.idPrefix} are left: ${refusal.text.slice(0, 300)}`,
        );
    }
    stop.throwIfAborted();
  }
}

function keysOf(
  { url, tokens: tokenFile, env, readOnly = false, eraseCustomers }: Options,
  variables: Variables,
): Keys {
  if (tokenFile !== undefined) {
    if (!readOnly && !eraseCustomers)
      throw new CommandError(
        "The customers of these tokens would be written, and erased at the end. If they are nobody, add --erase-customers; otherwise --read-only.",
      );
    const callers = new Set(tokenFile.customers).size;
    if (callers < (readOnly ? 1 : CALLERS)) throw new CommandError(`Name the tokens of ${CALLERS} customers.`);
    return { claims: {}, tokenFile };
  }
  const { JWT_ISSUER, JWT_AUDIENCE } = variables;
  const secretOf = (name: SecretName) => variables[name] ?? (isLocal(url) ? devSecret(name, env) : "");
  const secrets = { JWT_SECRET: secretOf("JWT_SECRET"), FEED_JWT_SECRET: secretOf("FEED_JWT_SECRET") };
  if (Object.values(secrets).includes(""))
    throw new CommandError("Give JWT_SECRET and FEED_JWT_SECRET in the environment, or tokens: --tokens FILE.");
  const claims = {
    ...(JWT_ISSUER && { iss: JWT_ISSUER }),
    ...(JWT_AUDIENCE && { aud: JWT_AUDIENCE }),
  };
  return { secrets, claims };
}

function settingsOf({ NEARBY_RADIUS_MILES, CUSTOMER_SEARCH, CORS_ORIGINS = "" }: Variables): Settings {
  const customerSearch = CUSTOMER_SEARCH === "friends" || CUSTOMER_SEARCH === "none" ? CUSTOMER_SEARCH : "all";
  return {
    nearbyRadiusMiles: Number(NEARBY_RADIUS_MILES) || 25,
    customerSearch,
    anyOrigin: CORS_ORIGINS.includes("*"),
  };
}

function readTokenFile(file: string): TokenFile {
  try {
    const tokens: TokenFile = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(tokens.customers) && tokens.customers.every((token) => typeof token === "string")) return tokens;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  throw new InvalidArgumentError('It must be a JSON file with "customers", a list of tokens.');
}
