import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ask, type Cloudflare } from "./cloudflare-api.ts";
import { CommandError } from "./project.ts";
import { withTemporaryWorker } from "./temporary-worker.ts";

/** Runs statements as one transaction: a binding takes each as it is, and splits nothing. */
const CODE = `export default {
  async fetch(request, { DB, SECRET }) {
    if (request.headers.get("Authorization") !== SECRET) return new Response(null, { status: 403 });
    const statements = await request.json();
    try {
      if (statements.length > 0) await DB.batch(statements.map((statement) => DB.prepare(statement)));
      return Response.json({ error: null });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};`;

const Ran = z.object({ error: z.string().nullable() });
const Subdomain = z.object({ subdomain: z.string() });

// A new address at workers.dev answers after a while, and not everywhere at once.
const TRIES = 120;
const WAIT_MS = 1_000;

/** Runs statements on a deployed database through a Worker that is there only meanwhile. */
export async function runThroughWorker(
  cloudflare: Cloudflare,
  name: string,
  databaseId: string,
  use: (run: (statements: readonly string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const secret = randomBytes(32).toString("base64url");
  const { subdomain } = Subdomain.parse(await ask(cloudflare, "GET", "/workers/subdomain"));
  const bindings = [
    { type: "d1", name: "DB", id: databaseId },
    { type: "secret_text", name: "SECRET", text: secret },
  ];
  await withTemporaryWorker(cloudflare, { name, code: CODE, bindings }, async (stop) => {
    const open = { enabled: true, previews_enabled: false };
    await ask(cloudflare, "POST", `/workers/scripts/${name}/subdomain`, open);
    const run = async (statements: readonly string[]) => {
      const request = { method: "POST", headers: { Authorization: secret }, body: JSON.stringify(statements) };
      for (let tries = 1; tries <= TRIES; tries += 1) {
        stop.throwIfAborted();
        const response = await fetch(`https://${name}.${subdomain}.workers.dev`, {
          ...request,
          redirect: "manual",
        }).catch((error) => {
          // Whether the statements have run is not known then.
          if (statements.length > 0) throw new CommandError(`The temporary Worker was cut off: ${error.message}`);
        });
        const ran = response?.status === 200 ? Ran.safeParse(await response.json().catch(() => null)).data : undefined;
        if (ran?.error) throw new CommandError(ran.error);
        if (ran !== undefined) return;
        await sleep(WAIT_MS);
      }
      throw new CommandError(`The temporary Worker ${name} does not answer at workers.dev.`);
    };
    await run([]);
    await use(run);
  });
}
