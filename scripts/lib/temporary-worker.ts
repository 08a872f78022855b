import { ask, askUnless, type Cloudflare } from "./cloudflare-api.ts";
import { CommandError } from "./project.ts";
import { stoppable } from "./stoppable.ts";

const NO_SUCH_WORKER = 10007;

export interface Upload {
  name: string;
  /** An ES module without imports. */
  code: string;
  bindings: readonly object[];
}

/** Uploads a Worker, and deletes it once `use` has ended. Ctrl-C aborts the signal that `use` gets; then it is deleted too. */
export function withTemporaryWorker<Result>(
  cloudflare: Cloudflare,
  { name, code, bindings }: Upload,
  use: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const sayStopping = () => console.error(`Stopping, once the temporary Worker ${name} is deleted …`);
  return stoppable(async (stop) => {
    try {
      await ask(cloudflare, "PUT", `/workers/scripts/${name}`, formOf(code, bindings));
      stop.throwIfAborted();
      const result = await use(stop);
      stop.throwIfAborted();
      return result;
    } finally {
      await remove(cloudflare, name);
    }
  }, sayStopping);
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
