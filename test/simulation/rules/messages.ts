import type { Row } from "../../model/kinds.ts";
import type { Answer, Call } from "../calls.ts";
import { commitOf } from "../platform/d1.ts";
import type { World } from "../world.ts";
import type { ModelRules } from "./model.ts";
import { POLL, REPLACED } from "./names.ts";

// A bookmark is replaced a minute after it last grew, and calls with bookmarks of the former database may be late.
const HEALED_WITHIN_MS = 150_000;
// A subscription lasts an hour. Clocks differ by up to two seconds.
const SUBSCRIBED_MS = 60 * 60_000 + 4_000;

/** For each group that a customer is shown, by the group's id: the time of the group's last message. */
type ShownGroups = ReadonlyMap<string, string>;

/** What the database had when a poll arrived. */
export interface Poll {
  customer: string;
  shown: ShownGroups;
  /** Whether the outbox still had a notification about the customer's messages. */
  isUnnotified: boolean;
}

/** The promises about inboxes: docs/contract/live.md, 1. */
export class MessageRules {
  readonly #world: World;
  readonly #model: ModelRules;
  #groups: unknown;
  /** When each member joined, by the ids of group and member. */
  #joinTimes: ReadonlyMap<string, string> = new Map();

  constructor(world: World, model: ModelRules) {
    this.#world = world;
    this.#model = model;
  }

  /** Notes when each member joined a group, by the primary's clock. Earlier messages are not news to the member. */
  noteCommit(): void {
    const { state } = this.#model.last;
    if (this.#groups === state.table("message_group")) return;
    this.#groups = state.table("message_group");
    const [clock] = this.#world.database.primary.read<{ now: string }>("SELECT now FROM clock");
    const pairs = state
      .all("message_group")
      .flatMap(({ id, member_ids }) => member_ids.map((member: string) => `${id} ${member}`));
    const joinedEarlier = this.#joinTimes;
    this.#joinTimes = new Map(pairs.map((pair) => [pair, joinedEarlier.get(pair) ?? clock?.now ?? ""]));
  }

  /** Whether the customer joined the group before the message of this time was stored. */
  wasMember({ customerId, groupId }: { customerId: string; groupId: string }, at: string): boolean {
    const joinedAt = this.#joinTimes.get(`${groupId} ${customerId}`);
    return joinedAt !== undefined && joinedAt < at;
  }

  /** Whether an inbox may still have a subscription from before the database was set back. */
  mayMiss(): boolean {
    return this.#world.time.now - this.#world.setBackAt < SUBSCRIBED_MS;
  }

  shownTo(customer: string): ShownGroups {
    const { body = {} } = this.#model.ask({ ...this.#model.last, now: "" }, customer, {
      path: "/api/v1/customer/messages",
    });
    return new Map((body.items ?? []).map((group: Row) => [group.group_id, group.last_message_time]));
  }

  /** Checks that hello has no bookmark of a former database, for which each read would wait. */
  checkFrame(text: string): void {
    const { database, time, setBackAt } = this.#world;
    const { type, bookmark = "0" } = text.startsWith("{") ? JSON.parse(text) : {};
    if (type === "hello" && time.now - setBackAt > HEALED_WITHIN_MS && commitOf(bookmark) > database.primary.commit)
      this.#world.fail(REPLACED, text);
  }

  /** What `check` needs to know from before a poll; null for another request. */
  begin({ customer, path }: Call): Poll | null {
    if (customer === undefined || !path.startsWith("/api/v1/customer/messages")) return null;
    const unnotified = this.#world.database.primary.read(
      `SELECT 1 FROM outbox CROSS JOIN json_each(outbox.customers) AS customer
       WHERE topic = 'messages' AND customer.value = ? LIMIT 1`,
      customer,
    );
    return { customer, shown: this.shownTo(customer), isUnnotified: unnotified.length > 0 };
  }

  /** If an inbox answers that nothing is new, no group may show a newer message both before and after the poll. */
  check({ path }: Call, { customer, shown, isUnnotified }: Poll, { json }: Answer): void {
    if (json?.errorCode !== "NO_ITEMS" || isUnnotified || this.mayMiss()) return;
    const since = new URL(path, "https://any.example").searchParams.get("check_time") ?? "";
    const now = this.shownTo(customer);
    const missingGroup = [...shown].find(([id, at]) => at > since && (now.get(id) ?? "") >= at);
    if (missingGroup !== undefined) this.#world.fail(POLL, `${customer} since ${since}: ${missingGroup.join(" ")}`);
  }
}
