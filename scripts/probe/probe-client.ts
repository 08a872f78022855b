import { call } from "../lib/call.ts";
import { parse, patientFetch } from "../lib/patient-client.ts";
import { CommandError } from "../lib/project.ts";
import { accessHeaders, refuseAccess } from "../lib/temporary-worker.ts";

const ANSWER_WITHIN_MS = 60_000;

/** Calls the Worker of a probe. */
export type ProbeClient = ReturnType<typeof openProbe>;

export function openProbe({ address, token }: { address: string; token: string }, stop: AbortSignal) {
  const headers = { Authorization: `Bearer ${token}`, ...accessHeaders() };
  const ask = patientFetch(ANSWER_WITHIN_MS, stop);
  return { measure, clean, openSocket };

  /** Runs one measurement. @throws a CommandError if the Worker fails, the signal's reason if the command is stopped. */
  async function measure<Found>(name: string, parameters: Record<string, unknown> = {}): Promise<Found> {
    const body = JSON.stringify({ measure: name, ...parameters });
    const { status, bytes } = await ask(new URL(address), { method: "POST", headers, body, signal: stop });
    stop.throwIfAborted();
    if (status !== 200) throw new CommandError(`The probe's Worker at ${address} answers ${status || bytes}.`);
    return parse(bytes.toString()) as Found;
  }

  /** Deletes what the probe has written into the program's inbox, also after Ctrl-C. Resolves with whether it could. */
  async function clean(): Promise<boolean> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await call(address, { headers, body: '{"measure":"clean"}', signal }).catch(() => undefined);
    refuseAccess(answer);
    return answer?.status === 200;
  }

  /** A socket at an object of the Worker's own. */
  function openSocket(): WebSocket {
    // Node's WebSocket takes headers, but the types are those of Workers.
    return new WebSocket(address.replace(/^http/, "ws"), { headers } as never);
  }
}
