import type { Random } from "../../scripts/program/random.ts";
import { type Field, KINDS, type Kind, type Row } from "./kinds.ts";
import { type Call, toQuery } from "./parameters.ts";
import { RandomValues } from "./random-values.ts";
import { RandomWords } from "./random-words.ts";
import { type Chances, MIXED, type Shape, USUAL_CHANCES } from "./shapes.ts";
import { addSeconds } from "./time.ts";

// Random programs with few ids, so that lines repeat, contradict each other, or refer to records that are not stored.

const FIRST_ACCOUNT = 165;
const MEMBERS_AT_MOST = 5;

export class RandomProgram {
  readonly ids: Record<string, readonly string[]>;
  readonly #random: Random;
  readonly #shape: Shape;
  readonly #chances: Chances;
  #eventRound = 0;
  readonly #words: RandomWords;
  readonly #values: RandomValues;
  /** The members on the last line of each group, and the lines of all memberships. */
  readonly #groups = new Map<string, string[]>();
  readonly #memberships: Row[] = [];
  /** The endpoint that is called most often. */
  readonly #favourite: string;
  #now = "";
  #isGood = true;

  constructor(random: Random, name: string, shape: Shape = MIXED, chances: Chances = USUAL_CHANCES) {
    this.#random = random;
    this.#chances = chances;
    this.#favourite = name;
    this.#shape = shape;
    this.#words = new RandomWords(random);
    this.#values = new RandomValues(random, this.#words);
    // Capitals, accents and lengths of ids must change nothing but the order.
    const idsOf = ([record, [count]]: readonly [string, readonly [number, number]]) =>
      Array.from({ length: count }, (_, at) =>
        record === "account"
          ? `${FIRST_ACCOUNT + at}`
          : `${random.pick(["a", "b", "B", "é", "～", "🍩"])}-${record[0]}${at}`,
      );
    this.ids = Object.fromEntries(Object.entries(shape).map((one) => [one[0], idsOf(one)]));
  }

  /** Good lines of all records but the last of each kind. */
  beginning(now: string): Row[] {
    this.#now = now;
    this.#isGood = true;
    const lines = KINDS.flatMap((kind) =>
      (this.ids[kind.record] ?? []).slice(0, -1).map((_, at) => this.#note(this.#line(kind, at))),
    );
    this.#isGood = false;
    return lines.filter((line) => line.referrer_id === undefined || line.referrer_id !== line.customer_id);
  }

  /** Lines of a request, good or bad, and the accounts of its token. */
  changes(now: string): { lines: Row[]; accounts: readonly string[] | "*" } {
    this.#now = now;
    const random = this.#random;
    const isNarrow = random.next() < 0.15;
    const lines = Array.from({ length: random.integer(1, 6) }, () => this.#change(isNarrow));
    return { lines, accounts: isNarrow ? [this.#pick("account")] : "*" };
  }

  /** From now on events have new ids. */
  renameEvents(): void {
    this.#eventRound += 1;
    for (const { record } of KINDS.filter(({ isEvent }) => isEvent))
      this.ids[record] = (this.ids[record] ?? []).map((id) => `${id.replace(/'\d+$/, "")}'${this.#eventRound}`);
  }

  /** A random call of a customer. */
  call(now: string): { caller: string; call: Call } {
    this.#now = now;
    const random = this.#random;
    const some = <Value>(value: () => Value) => (random.next() < 0.3 ? value() : undefined);
    const page = { page: some(() => random.integer(1, 3)), per_page: some(() => random.pick([1, 2, 3, 7, 0])) };
    const flag = () => random.pick(["true", "0", "1", "FALSE"]);
    const search = some(() => this.#words.part());
    const store = this.#pick("store");
    const calls: Readonly<Record<string, readonly [path: string, given: Row]>> = {
      "nearby campaigns": [
        "campaigns/near-by-popular-campaigns",
        {
          ...this.#values.place(),
          single_account_id: this.#pick("account"),
          count: some(() => random.pick([1, 2, "3"])),
        },
      ],
      messages: ["messages", { ...page, check_time: some(() => addSeconds(now, random.pick([0, -1, -2, -3_601]))) }],
      teams: [
        `stores/${encodeURIComponent(store)}/team-with-level`,
        { ...page, level_no: some(() => random.integer(1, 6)), team_member_id: some(() => this.#pick("customer")) },
      ],
      "coupon list": [
        "coupons",
        {
          ...{
            includemfg: some(flag),
            include_images: some(flag),
            search,
            accountId: some(() => this.#pick("account")),
          },
          type: some(() => this.#values.couponType().toUpperCase()),
        },
      ],
      coupons: [
        "my-coupons",
        {
          ...{ ...page, digitalonly: some(() => some(flag)), includemfg: some(flag), search },
          type: some(() => random.pick(["store", "mfg"])),
          storeId: some(() => `${store}, ${this.#pick("store")}`),
        },
      ],
      search: [
        "full-search",
        {
          query: this.#words.query(),
          filter: some(() => random.pick(["stores", "customers,stores", ""])),
          typos: some(() => false),
        },
      ],
      boards: [
        "gamification/leaderboard",
        {
          location_id: store,
          eip_campaign_id: some(() => this.#pick("eip_campaign")),
          rank_on: some(() => random.pick(["run", "hit", "double", "triple", "hits"])),
        },
      ],
      me: ["me", {}],
      entries: [
        "me/entries",
        { limit: some(() => random.pick([1, 2, 5])), account_id: some(() => this.#pick("account")) },
      ],
    };
    const isUsual = random.next() < 0.3 && this.#favourite in calls;
    const [end = "", given = {}] = calls[isUsual ? this.#favourite : random.pick(Object.keys(calls))] ?? [];
    const path = `/api/v1/customer/${end}`;
    const isPost = /near-by|search|leaderboard/.test(path);
    const call: Call = isPost
      ? { method: "POST", path, body: given }
      : { method: "GET", path: `${path}?${toQuery(given)}` };
    // The first customers ask often: they have friends and blocks.
    const caller = random.next() < 0.4 ? random.pick((this.ids.customer ?? []).slice(0, 4)) : this.#pick("customer");
    return { caller, call };
  }

  #change(isNarrow: boolean): Row {
    const random = this.#random;
    const weights = KINDS.filter(
      ({ record, ownerField }) =>
        (this.#shape[record]?.[0] ?? 0) > 0 && !(isNarrow && ownerField === null && random.next() < 0.95),
    );
    const all = weights.flatMap((kind) => Array(this.#shape[kind.record]?.[1]).fill(kind) as Kind[]);
    const kind = random.pick(all);
    const ids = this.ids[kind.record] ?? [];
    const isRemovable = !kind.isEvent || kind.record === "message";
    const isDelete = isRemovable && random.next() < this.#chances.deleteShare;
    const isOfLast = isDelete && this.#chances.keepsOthers && !kind.isEvent && kind.key.includes("id");
    const line = this.#line(kind, isOfLast ? ids.length - 1 : random.integer(0, ids.length - 1));
    if (!isDelete) return this.#note(line);
    if (kind.record === "message_group" && this.#groups.size > 1) this.#groups.delete(line.id);
    return { record: line.record, ...Object.fromEntries(kind.key.map((name) => [name, line[name]])), deleted: true };
  }

  /** Remembers who is a member. */
  #note(line: Row): Row {
    if (line.record === "message_group") this.#groups.set(line.id, line.member_ids);
    if (line.record === "membership") this.#memberships.push(line);
    return line;
  }

  /** A line of a record, by the record's number. */
  #line(kind: Kind, at: number): Row {
    const { record, key } = kind;
    const line: Row = { record };
    const owned = kind.fields.map(
      ({ to }) =>
        to === undefined ||
        ["customer", "message_group"].includes(to) ||
        this.#owned(to, this.#owner(record, at)).length > 0,
    );
    const owner =
      kind.ownerField === "account_id" || owned.every(Boolean) ? this.#owner(record, at) : this.#owner(record, 0);
    const pair = key.length > 1 ? this.#pair(kind, at) : [];
    for (const field of kind.fields) {
      const { name, type, isRequired, to } = field;
      const isKey = key.includes(name);
      if (name === "id") line.id = this.ids[record]?.[at];
      else if (to === undefined) {
        if (isRequired || this.#random.next() < 0.4) line[name] = this.#value(type, name, line.id);
      } else if (isKey) line[name] = this.#rarely() ? this.#pick(to) : pair[key.indexOf(name)];
      else if (name === "referrer_id") line.referrer_id = this.#referrer(line);
      else if (name === "member_ids") line.member_ids = this.#members(line.initial_customer_id);
      else if (name === "store_ids")
        line.store_ids = this.#random.next() < 0.4 ? "all" : this.#random.sample(this.#owned("store", owner), 3);
      else if (isRequired || this.#random.next() < 0.6) line[name] = this.#reference(kind, field, to, { at, owner });
    }
    if (!this.#rarely()) this.#makeMember(line);
    if (line.usage_count > (line.total_count ?? 1) && !this.#rarely()) line.total_count = line.usage_count;
    return line;
  }

  /** Gives a line that needs a member a customer who is a member. */
  #makeMember(line: Row): void {
    if (line.record === "message" || line.record === "message_state") {
      const [group, members] = this.#random.pick([...this.#groups]);
      Object.assign(line, { group_id: group, customer_id: this.#random.pick(members) });
    }
    if (line.record === "token_earning") {
      const { store_id, customer_id } = this.#random.pick(this.#memberships);
      Object.assign(line, { store_id, customer_id });
    }
  }

  /** The id of another record. A fixed field gets mostly the same id each time. */
  #reference(
    kind: Kind,
    { name, isFixed: isOfOne }: Field,
    to: string,
    { at, owner }: { at: number; owner: string },
  ): string | undefined {
    if (name === "account_id") return this.#rarely() ? this.#pick(to) : owner;
    if (this.#rarely()) return this.#pick(to);
    const all = ["customer", "message_group"].includes(to) ? (this.ids[to] ?? []).slice(0, -1) : this.#owned(to, owner);
    const fitting =
      kind.record === "customer_coupon" && to === "coupon" ? all.filter((id) => this.#kindOf(id) !== "digital") : all;
    const isFixed = isOfOne && !kind.isEvent;
    return isFixed
      ? fitting[(at * 5 + name.length) % Math.max(1, fitting.length)]
      : fitting.length > 0
        ? this.#random.pick(fitting)
        : undefined;
  }

  /** Customers are referred only by earlier customers: the contract does not say which line of a circle is refused. */
  #referrer({ store_id, customer_id }: Row): string | null {
    const customers = this.ids.customer ?? [];
    const at = customers.indexOf(customer_id);
    if (at < 1 || (!this.#isGood && this.#random.next() < 0.6)) return null;
    const joined = customers.slice(0, at).findLast((_, index) => (index + at) % 3 !== 0 || index === 0);
    return this.#isGood && !this.#hasJoined(store_id, joined) ? null : (joined ?? null);
  }

  /** The two ids of a record whose key is a pair. Successive numbers go through all pairs. */
  #pair({ key, fields }: Kind, at: number): (string | undefined)[] {
    const to = key.map((name) => fields.find((field) => field.name === name)?.to ?? "");
    const [ones = [], others = []] = to.map((record) => (this.ids[record] ?? []).slice(0, -1));
    const round = Math.floor(at / ones.length);
    const isOfAlike = to[0] === to[1];
    return [ones[at % ones.length], others[(isOfAlike ? at + 1 + round : round) % others.length]];
  }

  /** Whether the customer joins the store in the beginning. */
  #hasJoined(store: string, customer = ""): boolean {
    const [stores, customers, memberships] = [this.ids.store ?? [], this.ids.customer ?? [], this.ids.membership ?? []];
    return customers.indexOf(customer) * (stores.length - 1) + stores.indexOf(store) < memberships.length - 1;
  }

  #members(initial: string): string[] {
    const others = (this.ids.customer ?? []).filter((id) => id !== initial).slice(0, this.#rarely() ? undefined : -1);
    const members = this.#random.sample(others, this.#random.integer(1, MEMBERS_AT_MOST));
    members.splice(this.#random.integer(0, members.length), 0, initial);
    return members;
  }

  /** The account of a record: mostly the first account. */
  #owner(record: string, at: number): string {
    const accounts = this.ids.account ?? [];
    return accounts[record === "account" ? at : at % 4 === 3 ? 1 : 0] ?? "";
  }

  #owned(record: string, owner: string): string[] {
    const ids = this.ids[record] ?? [];
    const isWithLast = !this.#isGood && !this.#chances.keepsOthers;
    return ids.filter((_, at) => this.#owner(record, at) === owner && (isWithLast || at < ids.length - 1));
  }

  #kindOf(coupon: string): string {
    return ["store", "mfg", "digital", "store", "store"][(this.ids.coupon ?? []).indexOf(coupon) % 5] ?? "store";
  }

  #value(type: string, name: string, id: string): unknown {
    if (this.#rarely()) return this.#values.bad();
    return type === "kind" ? this.#kindOf(id) : this.#values.of(type, name, this.#now);
  }

  #pick(record: string): string {
    return this.#random.pick(this.ids[record] ?? []);
  }

  #rarely(): boolean {
    return !this.#isGood && this.#random.next() < 1 / this.#chances.badOneIn;
  }
}
