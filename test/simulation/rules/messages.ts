import type { Answer } from "../network.ts";
import type { Instance } from "../platform/sqlite.ts";
import type { World } from "../world.ts";

/** A group as the primary shows it to a customer: the time of the message that it shows. */
export type Shown = ReadonlyMap<string, string>;

// A subscription holds for an hour; clocks are up to two seconds apart.
const SUBSCRIBED_MS = 60 * 60_000 + 4_000;

/** What was read of copies of a database. It stays as it is until the copy has another commit. */
class Remembered<Value> {
  readonly #ofCopies = new WeakMap<Instance, { commit: number; values: Map<string, Value> }>();

  of(copy: Instance, name: string, read: () => Value): Value {
    let remembered = this.#ofCopies.get(copy);
    if (remembered?.commit !== copy.commit) {
      remembered = { commit: copy.commit, values: new Map() };
      this.#ofCopies.set(copy, remembered);
    }
    const value = remembered.values.get(name) ?? read();
    remembered.values.set(name, value);
    return value;
  }
}

const remembered = new Remembered<Shown>();

/** What this copy of a database shows to a customer: messages of the seconds before its last stamp. */
export function shownBy(copy: Instance, customerId: string): Shown {
  return remembered.of(copy, customerId, () => readShown(copy, customerId));
}

function readShown(copy: Instance, customerId: string): Shown {
  const rows = copy.read<{ id: string; at: string }>(
    `SELECT news.group_id AS id, iif(news.newest_at < program_state.stamp, news.newest_at, message_groups.earlier_at) AS at
     FROM message_group_news AS news JOIN message_groups ON message_groups.key = news.group_key CROSS JOIN program_state
     WHERE news.customer_key = (SELECT key FROM customers WHERE id = ?)`,
    customerId,
  );
  return new Map(rows.filter(({ at }) => at !== null && at !== "").map(({ id, at }) => [id, at]));
}

/** What the contract promises of messages: docs/contract/interface.md, 4.2, and docs/contract/live.md, 1. */
export class MessageRules {
  readonly #world: World;
  /** The latest second that anybody has been shown a message of. */
  #shownUpTo = "";
  /** The newest message of each group; null: not looked at since the database is what it is. */
  #newest: string | null = null;
  #joined: ReadonlyMap<string, string> = new Map();
  readonly #unnotified = new Remembered<ReadonlySet<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  checkCommit(): void {
    this.#noteMembers();
    this.#checkSecond();
  }

  /** Whether the customer was in the group already when the message of this time was stored. */
  wasMember({ customerId, groupId }: { customerId: string; groupId: string }, at: string): boolean {
    return (this.#joined.get(`${groupId} ${customerId}`) ?? at) < at;
  }

  /** When each member joined their group, by the primary's clock: what was said before is no news to them. */
  #noteMembers(): void {
    const { primary } = this.#world.database;
    const members = primary.read<{ pair: string; now: string }>(
      `SELECT message_groups.id || ' ' || customers.id AS pair, clock.now
       FROM message_group_members AS member JOIN message_groups ON message_groups.key = member.group_key
       JOIN customers ON customers.key = member.customer_key CROSS JOIN clock`,
    );
    const before = this.#joined;
    this.#joined = new Map(members.map(({ pair, now }) => [pair, before.get(pair) ?? now]));
  }

  /** A second that anybody has been shown gets no more messages. */
  #checkSecond(): void {
    const { primary } = this.#world.database;
    const [newest] = primary.read<{ ids: string; at: string | null }>(
      "SELECT json_group_array(newest_id) AS ids, max(newest_at) AS at FROM message_groups WHERE newest_id IS NOT NULL",
    );
    if (newest === undefined || newest.ids === this.#newest) return;
    const isFirst = this.#newest === null;
    this.#newest = newest.ids;
    const shown = this.#shownUpTo;
    // Once a group is removed, another one has the newest message.
    const isStored = primary.read("SELECT 1 FROM program_state WHERE is_open = 1 AND stamp = ?", newest.at).length > 0;
    if (!isFirst && isStored && (newest.at ?? "") <= shown)
      this.#world.fail("a second that was shown is whole", `${shown} was shown, and ${newest.at} is stored`);
  }

  noteShown({ json }: Answer): void {
    for (const { last_message_time: time } of json?.items ?? []) if (time > this.#shownUpTo) this.#shownUpTo = time;
  }

  /** Whether an inbox may still be subscribed from before the database was set back. */
  mayMiss(): boolean {
    return this.#world.time.now - this.#world.setBackAt < SUBSCRIBED_MS;
  }

  /** What the primary shows to a customer now. */
  shownTo(customerId: string): Shown {
    return shownBy(this.#world.database.primary, customerId);
  }

  /** Whether something that concerns the customer's messages is still to be notified. */
  isUnnotified(customerId: string): boolean {
    const { primary } = this.#world.database;
    const readCustomers = () => {
      const rows = primary.read<{ id: string }>(
        `SELECT DISTINCT given.value AS id FROM outbox CROSS JOIN json_each(outbox.customers) AS given
         WHERE change_kind = 'messages'`,
      );
      return new Set(rows.map(({ id }) => id));
    };
    return this.#unnotified.of(primary, "customers", readCustomers).has(customerId);
  }

  /**
   * An answer of D1 is what the copy that was read shows. One of the inbox misses nothing that the primary showed when it
   * was asked, and went on to show; unless a notification has not got through yet, or the database was set back.
   */
  checkPoll(
    { customerId, checkTime }: { customerId: string; checkTime: string },
    { before, ofCopy, isUnnotified }: { before: Shown; ofCopy: Shown | null; isUnnotified: boolean },
    { status, json }: Answer,
  ): void {
    if (status !== 200 && json?.errorCode !== "NO_ITEMS") return;
    const items: Record<string, string>[] = json.items ?? [];
    const place = `${customerId} since ${checkTime}`;
    if (ofCopy !== null) {
      const answered = items.map((one) => `${one.group_id} ${one.last_message_time}`).sort();
      const expected = [...ofCopy].filter(([, at]) => at > checkTime).map((one) => one.join(" "));
      if (answered.join() !== expected.sort().join())
        this.#world.fail("a poll shows what its copy has", `${place}: ${answered.join()}, not ${expected.join()}`);
      return;
    }
    const after = this.shownTo(customerId);
    const missing = [...before].find(([id, at]) => at > checkTime && (after.get(id) ?? "") >= at);
    if (missing !== undefined && !isUnnotified && !this.mayMiss())
      this.#world.fail("a poll misses nothing", `${place}: ${missing.join(" ")}`);
  }

  forget(): void {
    this.#shownUpTo = "";
    this.#newest = null;
  }
}
