import { Command } from "commander";
import { buildClient } from "./lib/client-package.ts";
import { main } from "./lib/project.ts";

export const program = new Command("npm run build")
  .description("Build the typed client in dist/client, as a package of its own that can be packed and installed.")
  .action(async () => {
    console.error(`The client is in dist/client: ${await buildClient()}.`);
  });

if (import.meta.main) await main(() => program.parseAsync());
