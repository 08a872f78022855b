import { buildClient } from "./lib/client-package.ts";
import { edgeCommand } from "./lib/options.ts";

export const program = edgeCommand("build").action(async () => {
  console.error(`The package is in client/: ${await buildClient()}.`);
});
