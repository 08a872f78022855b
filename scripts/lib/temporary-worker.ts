import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type Answer, call } from "./call.ts";
import { ask, askOrNull, type Cloudflare, NO_WORKER } from "./cloudflare-api.ts";
import { CommandError, shellVariables, stoppable } from "./project.ts";

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
export const Workers = z.array(z.object({ id: z.string(), created_on: z.iso.datetime({ offset: true }) }));

const TRIES = 120;
const WAIT_MS = 1_000;
// No deployment migrates for so long. An older temporary Worker was left behind, because its deployment was killed.
const RUNS_AT_MOST_MS = 900_000;

/** Runs statements as one transaction. */
type Run = (statements: readonly string[]) => Promise<void>;

/**
 * Deletes temporary Workers that former deployments of a Worker have left behind.
 * @throws a CommandError if another deployment runs, or with `own`, if it began before that temporary Worker was made.
 */
export async function refuseTwoDeployments(cloudflare: Cloudflare, worker: string, own?: string): Promise<void> {
  const workers = await ask(cloudflare, "GET /workers/scripts", Workers);
  const began = ({ id, created_on }: (typeof workers)[number]) => `${new Date(created_on).toISOString()} ${id}`;
  const ownWorker = workers.find(({ id }) => id === own);
  for (const other of workers) {
    if (!isTemporaryWorker(worker, other.id) || (ownWorker !== undefined && began(ownWorker) <= began(other))) continue;
    const endsAt = Date.parse(other.created_on) + RUNS_AT_MOST_MS;
    if (endsAt > Date.now())
      throw new CommandError(`Another deployment of ${worker} runs: it began at ${other.created_on}. If somebody has killed it, deploy after
${new Date(endsAt).toISOString()}, or first: npm run wrangler -- delete --name ${other.id}`);
    await deleteWorker(cloudflare, other.id);
  }
}

export function isTemporaryWorker(worker: string, name: string): boolean {
  return name.startsWith(`${worker}-migrations-`) && /^[0-9a-f]{6}$/.test(name.slice(-6));
}

/** Gives `use` a function that runs statements on a deployed database, through a temporary Worker. */
export function runThroughWorker(
  cloudflare: Cloudflare,
  { worker, databaseId }: { worker: string; databaseId: string },
  use: (run: Run) => Promise<void>,
): Promise<void> {
  const name = `${worker}-migrations-${randomBytes(3).toString("hex")}`;
  return withTemporaryWorker(cloudflare, name, async (address, stop) => {
    const secret = randomBytes(32).toString("base64url");
    const run: Run = (statements) => untilAnswered(address, stop, () => runOnce(address, secret, statements));
    await ask(cloudflare, `PUT /workers/scripts/${name}`, z.unknown(), uploadOf(databaseId, secret));
    const open = { enabled: true, previews_enabled: false };
    await ask(cloudflare, `POST /workers/scripts/${name}/subdomain`, z.unknown(), open);
    // Another deployment may have begun since the first look.
    await refuseTwoDeployments(cloudflare, worker, name);
    // Without statements, this only waits until the Worker answers.
    await run([]);
    await use(run);
  });
}

/** Runs work that uploads a Worker, and deletes the Worker afterwards, even after Ctrl-C. */
export function withTemporaryWorker(
  cloudflare: Cloudflare,
  name: string,
  work: (address: string, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const sayStopping = () => console.error(`Stopping, once the temporary Worker ${name} is deleted …`);
  return stoppable(async (stop) => {
    const { subdomain } = await ask(cloudflare, "GET /workers/subdomain", Subdomain);
    try {
      await work(`https://${name}.${subdomain}.workers.dev`, stop);
      stop.throwIfAborted();
    } finally {
      await deleteWorker(cloudflare, name);
    }
  }, sayStopping);
}

/** A new address at workers.dev begins to answer after a while, and not everywhere at once. So a call is repeated. */
export async function untilAnswered(
  address: string,
  stop: AbortSignal,
  isAnswered: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    stop.throwIfAborted();
    if (await isAnswered()) return;
    await sleep(WAIT_MS);
  }
  throw new CommandError(`The temporary Worker at ${address} does not answer.`);
}

/** Deletes a Worker if it is there. If it cannot be deleted, says so. */
export async function deleteWorker(cloudflare: Cloudflare, name: string): Promise<void> {
  await askOrNull(NO_WORKER, cloudflare, `DELETE /workers/scripts/${name}?force=true`, z.unknown()).catch(
    ({ message }: Error) =>
      console.error(`The Worker ${name} could not be deleted; a later deployment tries again. ${message}`),
  );
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

/** Resolves with false if the Worker does not answer yet. */
async function runOnce(address: string, secret: string, statements: readonly string[]): Promise<boolean> {
  const headers = { Authorization: secret, ...accessHeaders() };
  const answer = await call(address, { headers, body: JSON.stringify(statements) }).catch((error): undefined => {
    // Nobody knows whether the statements have run, so they are not sent again.
    if (statements.length > 0) throw new CommandError(`The temporary Worker was cut off: ${error.message}`);
  });
  refuseAccess(answer);
  const { data: outcome } = Outcome.safeParse(answer?.status === 200 ? answer.body : null);
  if (outcome?.error) throw new CommandError(outcome.error);
  return outcome !== undefined;
}

/** The service token for Cloudflare Access, which may guard the addresses at workers.dev. */
export function accessHeaders(): Record<string, string> {
  const { CLOUDFLARE_ACCESS_CLIENT_ID: id, CLOUDFLARE_ACCESS_CLIENT_SECRET: secret } = shellVariables();
  return id && secret ? { "CF-Access-Client-Id": id, "CF-Access-Client-Secret": secret } : {};
}

/** @throws a CommandError if an answer of a temporary Worker comes from Cloudflare Access. */
export function refuseAccess(answer: Answer | undefined): void {
  const isPage = answer?.status === 403 && answer.text.includes("Cloudflare Access");
  const isRedirect = /^https:\/\/[^/]+\.cloudflareaccess\.com\//.test(answer?.headers.get("Location") ?? "");
  if (isPage || isRedirect)
    throw new CommandError(`Cloudflare Access guards the addresses at workers.dev, so the temporary Worker cannot be reached. Make a service token
that Access lets in (docs/deploying.md), and export CLOUDFLARE_ACCESS_CLIENT_ID and CLOUDFLARE_ACCESS_CLIENT_SECRET.`);
}
