import { sha256Of } from "../values/sha256.ts";
import { withTimeout } from "../values/timeout.ts";
import {
  type Call,
  type CallsOutcome,
  CONNECTION_HEADER,
  type Connection,
  type Notification,
  type PollAnswer,
  type Subscription,
  writeConnection,
} from "./protocol.ts";

// If an inbox takes longer to answer a poll, D1 answers it.
const ANSWER_WITHIN_MS = 250;
// If opening a socket takes longer, the app is told to come back later.
const CONNECT_WITHIN_MS = 10_000;

/** Calls the inboxes of customers, and the fan-out objects, which notify many inboxes. */
export class Inboxes {
  /** Calls of notifications that have not been answered. */
  readonly underWay = new Set<Promise<void>>();
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** The inbox's answer to a poll; null if it fails or is slow, which is logged. Then D1 answers. */
  async poll(customerId: string, checkTime: string): Promise<PollAnswer | null> {
    const ask = async () => (await this.#inboxOf(customerId)).poll(checkTime);
    try {
      return await withTimeout(ANSWER_WITHIN_MS, ask());
    } catch (error) {
      console.error(JSON.stringify({ error: "INBOX_UNAVAILABLE", cause: error instanceof Error ? error.name : "" }));
      return null;
    }
  }

  /** This and the methods below throw if the inbox cannot be reached. */
  async subscribe(customerId: string, subscription: Subscription): Promise<void> {
    await (await this.#inboxOf(customerId)).subscribe(subscription);
  }

  async notify(customerId: string, notification: Notification): Promise<void> {
    await (await this.#inboxOf(customerId)).notify(notification);
  }

  /** Opens a socket at the customer's inbox. */
  connect(connection: Connection): Promise<Response> {
    const headers = { Upgrade: "websocket", [CONNECTION_HEADER]: writeConnection(connection) };
    const ask = async () => (await this.#inboxOf(connection.customerId)).fetch("https://inbox/", { headers });
    return withTimeout(CONNECT_WITHIN_MS, ask());
  }

  /** Has a fan-out object make these calls, until `endsAt`. */
  async fanOut(name: string, calls: readonly Call[], endsAt: number): Promise<CallsOutcome> {
    const fanOuts = inJurisdiction(this.#env, this.#env.FAN_OUTS);
    return fanOuts.get(fanOuts.idFromName(name)).notify(calls, endsAt);
  }

  async #inboxOf(customerId: string) {
    const inboxes = inJurisdiction(this.#env, this.#env.INBOXES);
    return inboxes.get(inboxes.idFromName(await inboxName(this.#env.ENVIRONMENT, customerId)));
  }
}

/** The name is a hash, because dashboards show the names of objects, which must not reveal customers' ids. */
export function inboxName(environment: string, customerId: string): Promise<string> {
  return sha256Of(JSON.stringify([environment, customerId]));
}

/** The jurisdictions in which Cloudflare can keep inboxes and databases. */
export const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

/**
 * The objects in the operator's jurisdiction. If none is set, an object is near its first caller. Each jurisdiction has its
 * own objects, so a change of the jurisdiction loses the former inboxes.
 */
export function inJurisdiction<T extends Rpc.DurableObjectBranded>(
  { JURISDICTION }: Pick<Env, "JURISDICTION">,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  if (!JURISDICTION) return namespace;
  const known = JURISDICTIONS.find((candidate) => candidate === JURISDICTION);
  if (known === undefined) throw new Error(`There is no jurisdiction ${JURISDICTION}.`);
  return namespace.jurisdiction(known);
}
