import { PatientClient, parse, refusalOf } from "../lib/patient-client.ts";
import { CommandError } from "../lib/project.ts";

const PATH = "/api/v1/probe";
const ANSWER_WITHIN_MS = 60_000;

/** Calls the probe of a deployment of staging. */
export class ProbeClient {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #client: PatientClient;
  readonly #signal: AbortSignal;

  constructor({ url, token }: { url: string; token: string }, signal: AbortSignal) {
    this.#url = new URL(PATH, url);
    this.#headers = { Authorization: `Bearer ${token}` };
    this.#client = new PatientClient(ANSWER_WITHIN_MS, signal);
    this.#signal = signal;
  }

  /** Runs one measurement. @throws a CommandError if the service refuses, the signal's reason if the command is stopped. */
  async measure<Found>(
    measure: string,
    parameters: Record<string, unknown> = {},
    signal = this.#signal,
  ): Promise<Found> {
    const headers = { ...this.#headers, "Content-Type": "application/json" };
    const body = JSON.stringify({ measure, ...parameters });
    const answer = await this.#client.ask(this.#url, { method: "POST", headers, body, signal });
    signal.throwIfAborted();
    if (answer.status === 404)
      throw new CommandError(
        `There is no probe at ${this.#url.origin}: only staging has one. Deploy it (npm run deploy -- --env staging), or start it here (npm start -- --env staging).`,
      );
    if (answer.status !== 200) throw new CommandError(refusalOf(answer));
    return (parse(answer.bytes.toString()) as { items: Found }).items;
  }

  /** Deletes all data of the probe, also after Ctrl-C. */
  async clean(): Promise<void> {
    await this.measure("clean", {}, AbortSignal.timeout(ANSWER_WITHIN_MS));
  }

  /** A socket at the inbox of the probe. */
  openSocket(): WebSocket {
    // Node's WebSocket takes headers, but the types are those of Workers.
    return new WebSocket(this.#url.href.replace(/^http/, "ws"), { headers: this.#headers } as never);
  }
}
