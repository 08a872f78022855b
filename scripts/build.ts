import { buildClient } from "./lib/client-package.ts";
import { newCommand } from "./lib/options.ts";

export const program = newCommand("npm run build")
  .description("Build the package of the typed client in client/, as npm pack -w loyalty-edge does.")
  .action(async () => {
    console.error(`The client is in client/: ${await buildClient()}.`);
  });
