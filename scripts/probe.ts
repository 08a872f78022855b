import { InvalidArgumentError } from "commander";
import { STAGING } from "./lib/environments.ts";
import { newCommand, type ServiceAccess, withService } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { stoppable } from "./lib/stoppable.ts";
import { isLocal, tokenFor } from "./lib/tokens.ts";
import { measureDeployment } from "./probe/deployment.ts";
import { type Finding, MEASUREMENTS } from "./probe/measurements.ts";
import { ProbeClient } from "./probe/probe-client.ts";

interface Options extends ServiceAccess {
  deploy?: boolean;
}

export const program = withService(newCommand("npm run probe"), "an export token")
  .description(
    "Measure at a deployment of staging what only Cloudflare shows, and compare it with what the project assumes. It takes ten minutes, and leaves no data behind.",
  )
  .option("--env <name>", "the environment of wrangler.toml", stagingName, STAGING)
  .option("--deploy", "deploy staging during the last measurement, instead of asking you to")
  .addHelpText("after", "\nTo try it on this machine: npm start -- --env staging. More: docs/deploying.md")
  .action(run);

async function run({ deploy = false, ...service }: Options): Promise<void> {
  const isServiceLocal = isLocal(service.url);
  if (isServiceLocal && deploy)
    throw new CommandError(
      "--deploy is for a service at Cloudflare, and this address is this machine's: leave it out, or change --url.",
    );
  const token = await tokenFor(service, "export");
  await stoppable(async (stop) => {
    const client = new ProbeClient({ url: service.url, token }, stop);
    await client.clean();
    const measuring = measureAll(client, stop);
    await measuring.finally(() => client.clean());
  });

  async function measureAll(client: ProbeClient, stop: AbortSignal): Promise<void> {
    let wrongAssumptions = 0;
    if (isServiceLocal)
      console.log("This service runs on this machine, which shows nothing of Cloudflare: nothing is judged.\n");
    for (const { name, assumed, measure } of MEASUREMENTS) {
      console.error(`${name} …`);
      wrongAssumptions += printFinding(name, assumed, await measure(client, stop));
    }
    const name = "A deployment, at an open socket's object";
    console.error(`${name} …`);
    const finding = isServiceLocal
      ? ({ measured: "no deployment happened", verdict: "not measured" } as const)
      : await measureDeployment(client, { deploys: deploy, env: service.env, say: console.error }, stop);
    wrongAssumptions += printFinding(
      name,
      "at most 300 s with its former code, which is max_delay in wrangler.toml",
      finding,
    );
    if (!isServiceLocal)
      console.log(wrongAssumptions === 0 ? "No assumption is wrong." : `${wrongAssumptions} assumptions are wrong.`);
    if (wrongAssumptions > 0) process.exitCode = 1;
  }

  /** Prints a figure. Returns 1 if its assumption is wrong, otherwise 0. */
  function printFinding(name: string, assumed: string, { measured, verdict }: Finding): number {
    const shownVerdict = isServiceLocal && verdict !== "not measured" ? "not judged" : verdict;
    console.log(`${name}\n  measured  ${measured}\n  assumed   ${assumed}\n  so        ${shownVerdict}\n`);
    return shownVerdict.startsWith("wrong") ? 1 : 0;
  }
}

function stagingName(text: string): string {
  if (text !== STAGING) throw new InvalidArgumentError(`Only ${STAGING} has a probe.`);
  return text;
}
