import { parse, patientFetch, refusalOf } from "../lib/patient-client.ts";
import { CommandError } from "../lib/project.ts";

const PATH = "/api/v1/probe";
const ANSWER_WITHIN_MS = 60_000;

/** Calls the probe of a deployment of staging. */
export type ProbeClient = ReturnType<typeof openProbe>;

export function openProbe({ url, token }: { url: string; token: string }, stop: AbortSignal) {
  const address = new URL(PATH, url);
  const authorization = { Authorization: `Bearer ${token}` };
  const ask = patientFetch(ANSWER_WITHIN_MS, stop);
  return { measure, clean, openSocket };

  /** Runs one measurement. @throws a CommandError if the service refuses, the signal's reason if the command is stopped. */
  async function measure<Found>(name: string, parameters: Record<string, unknown> = {}, signal = stop): Promise<Found> {
    const headers = { ...authorization, "Content-Type": "application/json" };
    const body = JSON.stringify({ measure: name, ...parameters });
    const answer = await ask(address, { method: "POST", headers, body, signal });
    signal.throwIfAborted();
    if (answer.status === 404)
      throw new CommandError(
        `There is no probe at ${address.origin}: only staging has one. Deploy it (npm run deploy -- --env staging), or start it here (npm start -- --env staging).`,
      );
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    return (parse(answer.bytes.toString()) as { items: Found }).items;
  }

  /** Deletes all data of the probe, also after Ctrl-C. */
  async function clean(): Promise<void> {
    await measure("clean", {}, AbortSignal.timeout(ANSWER_WITHIN_MS));
  }

  /** A socket at the inbox of the probe. */
  function openSocket(): WebSocket {
    // Node's WebSocket takes headers, but the types are those of Workers.
    return new WebSocket(address.href.replace(/^http/, "ws"), { headers: authorization } as never);
  }
}
