import { buildClient } from "./lib/client-package.ts";
import { newCommand } from "./lib/options.ts";

export const program = newCommand("npm run build")
  .description("Build the typed client in dist/client, a package that can be packed and installed.")
  .action(async () => {
    console.error(`The client is in dist/client: ${await buildClient()}.`);
  });
