import { experimental_getWranglerCommands as wranglerCommands } from "wrangler";
import { PRODUCTION } from "./lib/environments.ts";
import { environmentName, newCommand, stateFolder } from "./lib/options.ts";
import { runWrangler, runWranglerFor } from "./lib/wrangler.ts";

// `npm run wrangler -- …` runs the wrangler of the lock file with the configuration of a program: that of `--env`, or
// production's. wrangler itself would read only wrangler.toml, which has no settings of the operator.
export const program = newCommand("npm run wrangler")
  .option("-e, --env <name>", "which program", (name) => environmentName(name || PRODUCTION), PRODUCTION)
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async ({ env }: { env: string }) => {
    const hasConfig = program.args.some((arg) => /^(-c|--config)(=|$)/.test(arg));
    const { status } = await (hasConfig ? runWrangler(program.args) : run(env, program.args));
    process.exitCode = status;
  });

function run(env: string, args: readonly string[]) {
  if (!usesLocalData(args)) return runWranglerFor(env, args);
  const has = (flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const folder = has("--persist-to") ? [] : ["--persist-to", stateFolder(env)];
  // Only `dev` takes a folder without this flag.
  const local = args.includes("dev") || has("--local") ? [] : ["--local"];
  return runWranglerFor(env, [...args, ...local, ...folder], { place: "local" });
}

/** Commands that have local data use them, unless `--remote` is given. */
function usesLocalData(args: readonly string[]): boolean {
  const words = args.filter((arg) => !arg.startsWith("-"));
  let node = wranglerCommands().registry.subtree.get(words.shift() ?? "");
  while (node?.subtree.has(words[0] ?? "")) node = node.subtree.get(words.shift() ?? "");
  const definition = node?.definition;
  return definition?.type === "command" && "persist-to" in (definition.args ?? {}) && !args.includes("--remote");
}
