import { Command, InvalidArgumentError } from "commander";
import { devCustomerToken, devFeedToken } from "./lib/dev-token.ts";
import { main } from "./lib/project.ts";

const program = new Command("npm run token --")
  .description("Print a token for the development server, signed with the JWT_SECRET in .dev.vars.")
  .showHelpAfterError("Try: npm run token -- --help");

program
  .command("customer")
  .description("a token that reads as one customer")
  .argument("<id>", "the customer's id, 1 to 64 characters")
  .option("--days <n>", "days until it expires", wholeDays, 30)
  .action(async (id: string, { days }: { days: number }) => console.log(await devCustomerToken(id, days)));

program
  .command("feed")
  .description("a token that feeds")
  .argument("<accounts>", 'the accounts that it covers: ids with commas between them, or "*" for all')
  .option("--days <n>", "days until it expires", wholeDays, 30)
  .action(async (accounts: string, { days }: { days: number }) =>
    console.log(await devFeedToken(accounts === "*" ? "*" : accounts.split(",").map((one) => one.trim()), days)),
  );

await main(async () => {
  await program.parseAsync();
});

function wholeDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("It must be a whole number of days, 1 or more.");
  return Number(text);
}
