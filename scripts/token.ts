import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { type Command, InvalidArgumentError } from "commander";
import { accountIds, newCommand, recordId, withEnvironment } from "./lib/options.ts";
import { CommandError, shellVariables } from "./lib/project.ts";
import { secretNameOf } from "./lib/sign.ts";
import { type Bearer, DEV_TOKEN_DAYS, devSecret, devVarsOf, signToken } from "./lib/tokens.ts";

interface Options {
  expiresIn?: number;
  secret?: "-";
  name?: string;
  env: string;
}

interface TillOptions extends Options {
  accounts?: readonly string[] | "*";
  stores?: readonly string[];
}

const SECONDS = { m: 60, h: 3_600, d: 86_400 };
/** Short, because a leaked token is valid until it expires. */
const DEFAULT_LIFETIME_SECONDS = SECONDS.h;

export const program = newCommand("npm run token")
  .description(
    "Print a token. A customer's is signed with the JWT_SECRET of the shell, all others with its FEED_JWT_SECRET, or otherwise with that of the local service, in .dev.vars.",
  )
  .addHelpText("after", "\nMore: docs/tokens.md");

tokenCommand("customer", "a token for one customer")
  .argument("<id>", "the customer's id, 1 to 64 characters", recordId)
  .action((customerId: string, options: Options) => print({ scope: "customer", customerId }, options));

machineTokenCommand("feed", "a token that feeds")
  .argument("<accounts>", 'the accounts that it covers: ids with commas between them, or "*" for all', accountsOrAll)
  .action((accounts: readonly string[] | "*", options: Options) => print({ scope: "feed", accounts }, options));

machineTokenCommand("till", "a token for a till or a shop, which its --name names")
  .option(
    "--accounts <accounts>",
    'the accounts that it covers: ids with commas between them, or "*"',
    accountsOrAll,
    "*",
  )
  .option("--stores <stores>", "the only stores at which it may stand: ids with commas between them", storeIds)
  .action(({ accounts = "*", stores, ...options }: TillOptions) => print({ scope: "till", accounts, stores }, options));

const TOKENS_WITHOUT_ARGUMENTS: [name: string, description: string, bearer: Bearer][] = [
  ["export", "a token that reads everything", { scope: "export", accounts: "*" }],
  ["undo", "a token that takes back requests", { scope: "feed export", accounts: "*" }],
  ["restore", "a token that restores an export into an empty database", { scope: "feed restore", accounts: "*" }],
];
for (const [name, description, bearer] of TOKENS_WITHOUT_ARGUMENTS)
  machineTokenCommand(name, description).action((options: Options) => print(bearer, options));

function tokenCommand(name: string, description: string): Command {
  return withEnvironment(program.command(name).description(description))
    .option("--expires-in <time>", "such as 15m, 12h or 90d (default: 1h, or 30d for the local service)", lifetime)
    .option("--secret <source>", "where the secret comes from: - is standard input", standardInput);
}

/** A customer's token needs no name: its subject is the customer's id. */
function machineTokenCommand(name: string, description: string): Command {
  return tokenCommand(name, description).option(
    "--name <name>",
    "the token's `sub`, 1 to 64 characters, by which it can be revoked",
    recordId,
    "operator",
  );
}

async function print(bearer: Bearer, { expiresIn, secret, name = "", env }: Options): Promise<void> {
  const secretName = secretNameOf(bearer.scope);
  const givenSecret = secret === "-" ? await secretFromStandardInput() : shellVariables()[secretName];
  const seconds = expiresIn ?? (givenSecret === undefined ? DEV_TOKEN_DAYS * SECONDS.d : DEFAULT_LIFETIME_SECONDS);
  const jti = randomUUID();
  const signing = { secret: givenSecret ?? devSecret(secretName, env), seconds, name, jti, env };
  const token = await signToken(bearer, signing);
  const source = secret === "-" ? "standard input" : `this terminal (${secretName})`;
  const expires = new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 16).replace("T", " ");
  console.error(
    `Signed with the secret of ${givenSecret === undefined ? devVarsOf(env) : source}; expires ${expires} UTC; its jti is ${jti}.`,
  );
  console.log(token);
}

async function secretFromStandardInput(): Promise<string> {
  const secret = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (secret === "") throw new CommandError("There is no secret on standard input.");
  return secret;
}

function standardInput(source: string): "-" {
  // A secret in the command line could be seen by other users of the machine, and the shell would store it.
  if (source !== "-")
    throw new InvalidArgumentError("Only - is taken, for standard input. Or set the variable of the shell instead.");
  return source;
}

/** Parses `15m`, `12h` or `90d` into seconds. Four digits of days end before 2190, after which no token may end. */
function lifetime(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  if (unit !== "m" && unit !== "h" && unit !== "d")
    throw new InvalidArgumentError("It must be a number of at most four digits with m, h or d behind it, such as 15m.");
  return Number(count) * SECONDS[unit];
}

function accountsOrAll(text: string): readonly string[] | "*" {
  return text === "*" ? text : accountIds(text);
}

function storeIds(text: string): readonly string[] {
  return text.split(",").map((id) => recordId(id.trim()));
}
