import { program as deployCommand } from "./deploy.ts";
import { STAGING } from "./lib/environments.ts";
import { edgeCommand, withService } from "./lib/options.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { isLocal, tokenFor } from "./lib/tokens.ts";
import { measureDeployment } from "./probe/deployment.ts";
import { type Finding, MEASUREMENTS, type Measurement } from "./probe/measurements.ts";
import { openProbe, type ProbeClient } from "./probe/probe-client.ts";

interface Options {
  url: string;
  token?: string;
  deploy?: boolean;
}

const DEPLOYMENT: Measurement = {
  name: "A deployment, at an open socket's object",
  assumed: "at most 300 s with its former code, which is max_delay in wrangler.toml",
  measure: (client, signal) =>
    measureDeployment(client, () => deployCommand.parseAsync(["--env", STAGING], { from: "user" }), signal),
};

export const program = withService(edgeCommand("probe"), "an export token")
  .option("--deploy", "also deploy staging, and measure how long a Durable Object runs its former code")
  .addHelpText("after", "\nIt takes a minute, with --deploy up to ten, and leaves no data behind.")
  .addHelpText("after", "To try it on this machine: npm start -- --env staging. More: docs/deploying.md")
  .action(run);

async function run({ url, token, deploy = false }: Options): Promise<void> {
  const isServiceLocal = isLocal(url);
  if (isServiceLocal && deploy)
    throw new CommandError(
      "--deploy is for a service at Cloudflare, and this address is this machine's: leave it out, or change --url.",
    );
  const access = { url, token: await tokenFor({ url, env: STAGING, ...(token && { token }) }, "export") };
  await stoppable(async (stop) => {
    const client = openProbe(access, stop);
    await client.clean();
    await measureAll(client, stop).finally(() => client.clean());
  });

  async function measureAll(client: ProbeClient, stop: AbortSignal): Promise<void> {
    let wrongAssumptions = 0;
    if (isServiceLocal)
      console.log("This service runs on this machine, which shows nothing of Cloudflare: nothing is judged.\n");
    for (const { name, assumed, measure } of deploy ? [...MEASUREMENTS, DEPLOYMENT] : MEASUREMENTS) {
      console.error(`${name} …`);
      const { measured, verdict } = await measure(client, stop);
      const shownVerdict: Finding["verdict"] | "not judged" =
        isServiceLocal && verdict !== "not measured" ? "not judged" : verdict;
      if (shownVerdict.startsWith("wrong")) wrongAssumptions += 1;
      console.log(`${name}\n  measured  ${measured}\n  assumed   ${assumed}\n  so        ${shownVerdict}\n`);
    }
    if (!isServiceLocal)
      console.log(wrongAssumptions === 0 ? "No assumption is wrong." : `${wrongAssumptions} assumptions are wrong.`);
    if (wrongAssumptions > 0) process.exitCode = 1;
  }
}
