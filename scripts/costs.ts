import { Command } from "commander";
import { costTables } from "./costs/tables.ts";
import { main } from "./lib/project.ts";

const program = new Command("npm run costs")
  .description("Print the tables of docs/costs.md, from Cloudflare's prices and the loads that the page describes.")
  .action(() => console.log(costTables().join("\n\n")));

await main(() => program.parseAsync());
