import { withTimeout } from "../values/timeout.ts";
import type { Inbox, Notification, PollAnswer } from "./inbox.ts";
import type { Report } from "./inbox-state.ts";
import { CONNECTION_HEADER, type Connection, writeConnection } from "./socket.ts";

// A poll does not wait longer for its inbox: then D1 answers it.
const ANSWER_WITHIN_MS = 250;
// An app that waits for its socket is told to come back, rather than left waiting.
const CONNECT_WITHIN_MS = 10_000;

/** The way to the inboxes of customers: one object a request. Whose inbox it is comes from the token alone. */
export class Inboxes {
  readonly #namespace: DurableObjectNamespace<Inbox>;
  readonly #environment: string;
  readonly #waitUntil: (work: Promise<unknown>) => void;

  constructor(
    namespace: DurableObjectNamespace<Inbox>,
    environment: string,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#namespace = namespace;
    this.#environment = environment;
    this.#waitUntil = waitUntil;
  }

  /** The inbox's answer to a poll; null where none comes in time. */
  async poll(customerId: string, checkTime: string): Promise<PollAnswer | null> {
    return inTime(() => this.#of(customerId).poll(checkTime));
  }

  /**
   * Reports what a poll has read at D1; where it does not get through, the next poll asks D1 too. It need not be waited
   * for: the request is kept alive until it is done.
   */
  report(customerId: string, report: Report): Promise<void> {
    const work = inTime(async () => this.#of(customerId).report(report)).then(() => {});
    this.#waitUntil(work);
    return work;
  }

  /** @throws when the inbox cannot be reached. */
  async notify(customerId: string, notification: Notification): Promise<void> {
    await this.#of(customerId).notify(notification);
  }

  /**
   * Opens a socket at the customer's inbox.
   * @throws when the inbox cannot be reached, or does not answer for ten seconds.
   */
  connect(connection: Connection): Promise<Response> {
    const header = writeConnection(connection);
    const headers = { Upgrade: "websocket", [CONNECTION_HEADER]: header };
    return withTimeout(CONNECT_WITHIN_MS, this.#of(connection.customerId).fetch("https://inbox/", { headers }));
  }

  #of(customerId: string): DurableObjectStub<Inbox> {
    return this.#namespace.get(this.#namespace.idFromName(JSON.stringify([this.#environment, customerId])));
  }
}

/** An inbox only saves D1 work: where it fails or is slow, that is logged, and D1 answers. */
async function inTime<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await withTimeout(ANSWER_WITHIN_MS, ask());
  } catch (error) {
    console.error(JSON.stringify({ error: "INBOX_UNAVAILABLE", cause: error instanceof Error ? error.name : "" }));
    return null;
  }
}
