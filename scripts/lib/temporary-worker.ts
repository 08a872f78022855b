import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ask, askOrNull, type Cloudflare, NO_WORKER } from "./cloudflare-api.ts";
import { CommandError, stoppable } from "./project.ts";

/**
 * The code of a Worker that runs statements as one transaction. A binding takes each statement as it is, but
 * Cloudflare's API would split their texts by rules of its own.
 */
const WORKER_CODE = `export default {
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

const Outcome = z.object({ error: z.string().nullable() });
const Subdomain = z.object({ subdomain: z.string() });

// A new address at workers.dev begins to answer after a while, and not everywhere at once. So a request is repeated.
const TRIES = 120;
const WAIT_MS = 1_000;

/** Runs statements as one transaction. */
type Run = (statements: readonly string[]) => Promise<void>;

/**
 * Gives `use` a function that runs statements on a deployed database, through a Worker that is deleted afterwards. After
 * Ctrl-C the Worker is deleted too.
 */
export function runThroughWorker(
  cloudflare: Cloudflare,
  { name, databaseId }: { name: string; databaseId: string },
  use: (run: Run) => Promise<void>,
): Promise<void> {
  const sayStopping = () => console.error(`Stopping, once the temporary Worker ${name} is deleted …`);
  return stoppable(async (stop) => {
    const { subdomain } = await ask(cloudflare, "GET /workers/subdomain", Subdomain);
    const secret = randomBytes(32).toString("base64url");
    const address = `https://${name}.${subdomain}.workers.dev`;
    const run: Run = (statements) => runStatements(statements, { address, secret, stop });
    try {
      await ask(cloudflare, `PUT /workers/scripts/${name}`, z.unknown(), uploadOf(databaseId, secret));
      await ask(cloudflare, `POST /workers/scripts/${name}/subdomain`, z.unknown(), {
        enabled: true,
        previews_enabled: false,
      });
      // Without statements, this only waits until the Worker answers.
      await run([]);
      await use(run);
      stop.throwIfAborted();
    } finally {
      await askOrNull(NO_WORKER, cloudflare, `DELETE /workers/scripts/${name}?force=true`, z.unknown()).catch(
        ({ message }: Error) =>
          console.error(`The temporary Worker ${name} is left: delete it in the dashboard. ${message}`),
      );
    }
  }, sayStopping);
}

function uploadOf(databaseId: string, secret: string): FormData {
  const bindings = [
    { type: "d1", name: "DB", id: databaseId },
    { type: "secret_text", name: "SECRET", text: secret },
  ];
  const form = new FormData();
  form.set("metadata", JSON.stringify({ main_module: "worker.js", compatibility_date: "2026-10-20", bindings }));
  form.set("worker.js", new Blob([WORKER_CODE], { type: "application/javascript+module" }), "worker.js");
  return form;
}

async function runStatements(
  statements: readonly string[],
  { address, secret, stop }: { address: string; secret: string; stop: AbortSignal },
): Promise<void> {
  const headers = { Authorization: secret };
  const request: RequestInit = { method: "POST", headers, body: JSON.stringify(statements), redirect: "manual" };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    stop.throwIfAborted();
    const response = await fetch(address, request).catch((error) => {
      // Nobody knows whether the statements have run, so they are not sent again.
      if (statements.length > 0) throw new CommandError(`The temporary Worker was cut off: ${error.message}`);
    });
    const answer = response?.status === 200 ? await response.json().catch(() => null) : null;
    const { data: outcome } = Outcome.safeParse(answer);
    if (outcome?.error) throw new CommandError(outcome.error);
    if (outcome !== undefined) return;
    await sleep(WAIT_MS);
  }
  throw new CommandError(`The temporary Worker at ${address} does not answer.`);
}
