import { ask, askUnless, type Cloudflare } from "./cloudflare-api.ts";
import { CommandError, Interrupted } from "./project.ts";

const NO_SUCH_WORKER = 10007;

export interface Upload {
  name: string;
  /** An ES module without imports. */
  code: string;
  bindings: readonly object[];
}

/**
 * Uploads a Worker and deletes it when `use` has ended: also after Ctrl-C, which `use` is told of when it calls
 * `goOn`. What is under way is waited for, so that nothing arrives after the deletion.
 */
export async function withTemporaryWorker<Result>(
  cloudflare: Cloudflare,
  { name, code, bindings }: Upload,
  use: (goOn: () => void) => Promise<Result>,
): Promise<Result> {
  let stopped: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    stopped = signal;
    console.error(`Stopping, once the temporary Worker ${name} is deleted …`);
  };
  const goOn = () => {
    if (stopped !== undefined) throw new Interrupted(stopped);
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    await ask(cloudflare, "PUT", `/workers/scripts/${name}`, formOf(code, bindings));
    goOn();
    const result = await use(goOn);
    goOn();
    return result;
  } finally {
    await remove(cloudflare, name);
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

async function remove(cloudflare: Cloudflare, name: string): Promise<void> {
  try {
    await askUnless(NO_SUCH_WORKER, cloudflare, "DELETE", `/workers/scripts/${name}?force=true`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(
      `The temporary Worker ${name} is left: delete it in the dashboard, or deploy again. ${error.message}`,
    );
  }
}

function formOf(code: string, bindings: readonly object[]): FormData {
  const metadata = { main_module: "worker.js", compatibility_date: "2026-10-20", bindings };
  const form = new FormData();
  form.set("metadata", JSON.stringify(metadata));
  form.set("worker.js", new Blob([code], { type: "application/javascript+module" }), "worker.js");
  return form;
}
