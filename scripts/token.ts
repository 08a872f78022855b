import { Command, InvalidArgumentError } from "commander";
import { devCustomerToken, devExportToken, devFeedToken, devRestoreToken } from "./lib/dev-token.ts";
import { programName } from "./lib/options.ts";
import { main } from "./lib/project.ts";

interface Options {
  days: number;
  program?: string;
}

const program = new Command("npm run token --")
  .description("Print a token for the development server, signed with the JWT_SECRET in .dev.vars.")
  .showHelpAfterError("Try: npm run token -- --help");

tokenCommand("customer", "a token that reads as one customer")
  .argument("<id>", "the customer's id, 1 to 64 characters", customerId)
  .action((id: string, { days, program }: Options) => print(devCustomerToken(id, days, program)));

tokenCommand("feed", "a token that feeds")
  .argument("<accounts>", 'the accounts that it covers: ids with commas between them, or "*" for all', accountIds)
  .action((accounts: readonly string[] | "*", { days, program }: Options) =>
    print(devFeedToken(accounts, days, program)),
  );

tokenCommand("export", "a token that reads everything").action(({ days, program }: Options) =>
  print(devExportToken(days, program)),
);

tokenCommand("restore", "a token that feeds what an export has given into an empty database").action(
  ({ days, program }: Options) => print(devRestoreToken(days, program)),
);

await main(async () => {
  await program.parseAsync();
});

function tokenCommand(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option("--days <n>", "days until it expires", wholeDays, 30)
    .option("--program <name>", "the program, if it is not the default one", programName);
}

async function print(token: Promise<string>): Promise<void> {
  console.log(await token);
}

function wholeDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("It must be a whole number of days, 1 or more.");
  return Number(text);
}

function customerId(text: string): string {
  const length = [...text].length;
  if (length < 1 || length > 64) throw new InvalidArgumentError("It must be 1 to 64 characters.");
  return text;
}

function accountIds(text: string): readonly string[] | "*" {
  if (text === "*") return text;
  const ids = text.split(",").map((one) => one.trim());
  if (!ids.every((id) => /^[1-9]\d{0,14}$/.test(id)))
    throw new InvalidArgumentError('It must be ids of 1 to 15 digits with commas between them, or "*".');
  return ids;
}
