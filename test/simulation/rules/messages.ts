import type { Row } from "../../model/kinds.ts";
import type { Answer, Call } from "../network.ts";
import type { World } from "../world.ts";
import type { ModelRules } from "./model.ts";
import { POLL } from "./names.ts";

// A subscription holds for an hour; clocks are up to two seconds apart.
const SUBSCRIBED_MS = 60 * 60_000 + 4_000;

/** The groups that are shown to a customer, each with the time of the message that it shows. */
export type Shown = ReadonlyMap<string, string>;

/** What was so when a poll arrived. */
export interface Poll {
  customer: string;
  shown: Shown;
  /** Whether something that concerns the customer's messages was still to be notified. */
  isUnnotified: boolean;
}

/** What the contract promises of inboxes: docs/contract/live.md, 1. */
export class MessageRules {
  readonly #world: World;
  readonly #model: ModelRules;
  #groups: unknown;
  #joined: ReadonlyMap<string, string> = new Map();

  constructor(world: World, model: ModelRules) {
    this.#world = world;
    this.#model = model;
  }

  /** Notes when each member joined their group, by the primary's clock: what was said before is no news to them. */
  noteCommit(): void {
    const { state } = this.#model.last;
    if (this.#groups === state.table("message_group")) return;
    this.#groups = state.table("message_group");
    const [clock] = this.#world.database.primary.read<{ now: string }>("SELECT now FROM clock");
    const pairs = state
      .all("message_group")
      .flatMap(({ id, member_ids }) => member_ids.map((member: string) => `${id} ${member}`));
    const before = this.#joined;
    this.#joined = new Map(pairs.map((pair) => [pair, before.get(pair) ?? clock?.now ?? ""]));
  }

  /** Whether the customer was in the group already when the message of this time was stored. */
  wasMember({ customerId, groupId }: { customerId: string; groupId: string }, at: string): boolean {
    const joinedAt = this.#joined.get(`${groupId} ${customerId}`);
    return joinedAt !== undefined && joinedAt < at;
  }

  /** Whether an inbox may still be subscribed from before the database was set back. */
  mayMiss(): boolean {
    return this.#world.time.now - this.#world.setBackAt < SUBSCRIBED_MS;
  }

  /** What the primary shows to a customer now. */
  shownTo(customer: string): Shown {
    const { body = {} } = this.#model.ask(this.#model.last, customer, { path: "/api/v1/customer/messages" });
    return new Map((body.items ?? []).map((one: Row) => [one.group_id, one.last_message_time]));
  }

  begin({ customer, path }: Call): Poll | null {
    if (customer === undefined || !path.startsWith("/api/v1/customer/messages")) return null;
    const unnotified = this.#world.database.primary.read(
      `SELECT 1 FROM outbox CROSS JOIN json_each(outbox.customers) AS given
       WHERE change_kind = 'messages' AND given.value = ? LIMIT 1`,
      customer,
    );
    return { customer, shown: this.shownTo(customer), isUnnotified: unnotified.length > 0 };
  }

  /** An inbox that says that nothing is new misses nothing that was shown when it was asked, and still is. */
  check({ path }: Call, { customer, shown, isUnnotified }: Poll, { json }: Answer): void {
    if (json?.errorCode !== "NO_ITEMS" || isUnnotified || this.mayMiss()) return;
    const since = new URL(path, "https://any.example").searchParams.get("check_time") ?? "";
    const now = this.shownTo(customer);
    const missing = [...shown].find(([id, at]) => at > since && (now.get(id) ?? "") >= at);
    if (missing !== undefined) this.#world.fail(POLL, `${customer} since ${since}: ${missing.join(" ")}`);
  }
}
