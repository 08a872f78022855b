import { InvalidArgumentError } from "commander";
import { addEnvironment, removeEnvironment } from "./lib/edit-environments.ts";
import {
  configOf,
  DEVELOPMENT,
  databaseName,
  envOption,
  PRODUCTION,
  STAGING,
  variablesOf,
} from "./lib/environments.ts";
import { edgeCommand, environmentName } from "./lib/options.ts";

export const program = edgeCommand("programs").addHelpText(
  "after",
  "\nNothing is deployed, and no data is deleted. More: docs/deploying.md",
);

program
  .command("add")
  .description("write the section of a program into wrangler.toml")
  .argument("<name>", "1 to 32 of a-z, 0-9 and -", programName)
  .action(add);
program
  .command("remove")
  .description("take the section of a program out of wrangler.toml")
  .argument("<name>", "its name", programToRemove)
  .action(remove);

function add(name: string): void {
  addEnvironment(name);
  const { JWT_AUDIENCE = "", JWKS_URL, JWKS } = variablesOf(name);
  const tokens = JWKS_URL || JWKS ? `\nTokens of the identity provider must name the audience ${JWT_AUDIENCE}.` : "";
  console.log(`Added [env.${name}] to wrangler.toml: the Worker ${configOf(name).name}, with production's variables.${tokens}
To try it on this machine: npm start --${envOption(name)} --port 8788
To deploy it, first give it two secrets of its own, which differ (openssl rand -base64 48):
npm run wrangler -- secret put JWT_SECRET${envOption(name)}
npm run wrangler -- secret put FEED_JWT_SECRET${envOption(name)}
npm run deploy --${envOption(name)}`);
}

function remove(name: string): void {
  const { name: worker } = configOf(name);
  const database = databaseName(name);
  removeEnvironment(name);
  console.log(`Removed [env.${name}] from wrangler.toml. Its Worker still runs, and no data is deleted. To delete them for good:
npm run wrangler -- delete --name ${worker}
npm run wrangler -- d1 delete ${database}
npm run wrangler -- kv namespace delete --namespace-id ID    # of ${worker}-cache in npm run wrangler -- kv namespace list`);
}

function programName(text: string): string {
  if (!/^[a-z0-9-]{1,32}$/.test(text)) throw new InvalidArgumentError("It must be 1 to 32 of a-z, 0-9 and -.");
  if (text === DEVELOPMENT) throw new InvalidArgumentError(`${DEVELOPMENT} is what npm start runs.`);
  return text;
}

function programToRemove(text: string): string {
  if (text === PRODUCTION || text === STAGING) throw new InvalidArgumentError(`${PRODUCTION} and ${STAGING} stay.`);
  return environmentName(text);
}
