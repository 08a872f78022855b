import { experimental_getWranglerCommands as wranglerCommands } from "wrangler";
import { environmentNames, PRODUCTION } from "./lib/environments.ts";
import { stateFolder } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { runWrangler, runWranglerFor } from "./lib/wrangler.ts";

// `npm run wrangler -- …` runs the wrangler of the lock file with the configuration of a program: that of `--env`, or
// production's. wrangler itself would read only wrangler.toml, which has no settings of the operator.
export const program = {
  async parseAsync(args: readonly string[]) {
    const { env, others } = takeEnv(args);
    if (!environmentNames().includes(env))
      throw new CommandError(`There is no program ${env}: it must be ${environmentNames().join(" or ")}.`);
    const hasConfig = args.some((arg) => /^(-c|--config)(=|$)/.test(arg));
    const { status } = await (hasConfig ? runWrangler(args) : run(env, others));
    process.exitCode = status;
  },
};

function run(env: string, args: readonly string[]) {
  if (!usesLocalData(args)) return runWranglerFor(env, args);
  const hasFolder = args.some((arg) => arg.startsWith("--persist-to"));
  return runWranglerFor(env, hasFolder ? args : [...args, "--persist-to", stateFolder(env)], { place: "local" });
}

/** Commands that have local data use them, unless `--remote` is given. */
function usesLocalData(args: readonly string[]): boolean {
  const words = args.filter((arg) => !arg.startsWith("-"));
  let node = wranglerCommands().registry.subtree.get(words.shift() ?? "");
  while (node?.subtree.has(words[0] ?? "")) node = node.subtree.get(words.shift() ?? "");
  const definition = node?.definition;
  return definition?.type === "command" && "persist-to" in (definition.args ?? {}) && !args.includes("--remote");
}

/** Separates `--env NAME`, `--env=NAME` and `-e NAME` from the other arguments. An empty name means production. */
function takeEnv(args: readonly string[]): { env: string; others: string[] } {
  const at = args.findIndex((arg) => /^(-e|--env)(=|$)/.test(arg));
  if (at === -1) return { env: PRODUCTION, others: [...args] };
  const [, name = args[at + 1] ?? ""] = /=(.*)$/.exec(args[at] ?? "") ?? [];
  const others = args.toSpliced(at, args[at]?.includes("=") ? 1 : 2);
  return { env: name || PRODUCTION, others };
}
