import type { Random } from "../../scripts/program/random.ts";
import { type Field, KINDS, type Kind, type Row } from "../model/kinds.ts";
import { type Call, PARAMETERS } from "../model/parameters.ts";
import { RandomValues } from "./random-values.ts";
import { type Chances, MIXED, type Shape, USUAL_CHANCES } from "./shapes.ts";

// Random programs with few ids, so that lines repeat, contradict each other, or refer to records that are not stored.

const FIRST_ACCOUNT = 165;
const MEMBERS_AT_MOST = 5;
const KINDS_WITHOUT_ACCOUNT = ["customer", "message_group"];
/** Of the events whose id was used: how many are sent again, and how many are other events. The rest get new ids. */
/** The share of redemptions that give a use back, if there is one. */
const REVERSED_SHARE = 0.4;
const REPEATED_SHARE = 0.25;
const TAKEN_SHARE = 0.05;
/** The days between which records run. */
const SPANS = [
  ["campaign_start_date", "campaign_end_date"],
  ["start_date", "end_date"],
] as const;

/** The paths of the endpoints, without `/api/v1/customer/`, if they are more than the endpoint's name. */
const PATHS: Readonly<Record<string, string>> = {
  "near-by-popular-campaigns": "campaigns/near-by-popular-campaigns",
  "team-with-level": "stores/:id/team-with-level",
  leaderboard: "gamification/leaderboard",
  entries: "me/entries",
};
const POSTED = ["near-by-popular-campaigns", "full-search", "leaderboard"];

/** The parameters that are ids, and the kinds of the records that they name. */
const KIND_OF_PARAMETER: Readonly<Record<string, string>> = {
  single_account_id: "account",
  accountId: "account",
  account_id: "account",
  team_member_id: "customer",
  storeId: "store",
  location_id: "store",
  eip_campaign_id: "eip_campaign",
};

export class RandomProgram {
  readonly #ids: Record<string, string[]>;
  readonly #random: Random;
  readonly #shape: Shape;
  readonly #chances: Chances;
  readonly #values: RandomValues;
  /** The endpoint that is called most often. */
  readonly #favourite: string;
  /** The members on the last line of each group, and the lines of all memberships. */
  readonly #groups = new Map<string, string[]>();
  readonly #memberships: Row[] = [];
  /** The first line of each event, by its id. */
  readonly #events = new Map<string, Row>();
  #eventRound = 0;
  #now = "";
  #isGood = true;

  constructor(random: Random, favourite: string, shape: Shape = MIXED, chances: Chances = USUAL_CHANCES) {
    this.#random = random;
    this.#chances = chances;
    this.#favourite = favourite;
    this.#shape = shape;
    this.#values = new RandomValues(random);
    // Capitals, accents and lengths of ids must change nothing but the order.
    const idOf = (record: string, at: number) =>
      record === "account"
        ? `${FIRST_ACCOUNT + at}`
        : `${random.pick(["a", "b", "B", "é", "～", "🍩"])}-${record[0]}${at}`;
    this.#ids = Object.fromEntries(
      Object.entries(shape).map(([record, [count]]) => [
        record,
        Array.from({ length: count }, (_, at) => idOf(record, at)),
      ]),
    );
  }

  idsOf(record: string): readonly string[] {
    return this.#ids[record] ?? [];
  }

  /** Good lines of all records but the last of each kind. */
  beginning(now: string): Row[] {
    this.#now = now;
    this.#isGood = true;
    const lines = KINDS.flatMap((kind) => {
      const ids = this.idsOf(kind.record).slice(0, -1);
      return ids.map((_, at) => (kind.isEvent ? this.#event(this.#line(kind, at)) : this.#note(this.#line(kind, at))));
    });
    this.#isGood = false;
    return lines;
  }

  /** Lines of a request, good or bad, and the accounts of its token. */
  changes(now: string): { lines: Row[]; accounts: readonly string[] | "*" } {
    this.#now = now;
    const isForOneAccount = this.#random.next() < 0.15;
    const lines = Array.from({ length: this.#random.integer(1, 6) }, () => this.#change(isForOneAccount));
    return { lines, accounts: isForOneAccount ? [this.#pick("account")] : "*" };
  }

  /** From now on events have new ids. */
  renameEvents(): void {
    this.#eventRound += 1;
    for (const { record } of KINDS.filter(({ isEvent }) => isEvent))
      this.#ids[record] = this.idsOf(record).map((id) => this.#newIdFor(id));
  }

  /** A random call of a customer. */
  call(now: string): { caller: string; call: Call } {
    this.#now = now;
    const random = this.#random;
    const endpoints = Object.keys(PARAMETERS);
    const isUsual = random.next() < 0.3 && endpoints.includes(this.#favourite);
    const endpoint = isUsual ? this.#favourite : random.pick(endpoints);
    const body: Row = {};
    for (const parameter of PARAMETERS[endpoint] ?? [])
      if (parameter.isRequired || random.next() < 0.3) body[parameter.name] = this.#parameter(parameter);
    const end = (PATHS[endpoint] ?? endpoint).replace(":id", encodeURIComponent(this.#pick("store")));
    const path = `/api/v1/customer/${end}`;
    // The first customers ask often: they have friends and blocks.
    const caller = random.next() < 0.4 ? random.pick(this.idsOf("customer").slice(0, 4)) : this.#pick("customer");
    if (POSTED.includes(endpoint)) return { caller, call: { method: "POST", path, body } };
    return { caller, call: { method: "GET", path: `${path}?${new URLSearchParams(body)}` } };
  }

  #parameter({ name, type }: Field): unknown {
    const record = KIND_OF_PARAMETER[name];
    if (record === undefined) return this.#values.of(type, name, this.#now);
    return type === "ids" ? `${this.#pick(record)}, ${this.#pick(record)}` : this.#pick(record);
  }

  #change(isForOneAccount: boolean): Row {
    const random = this.#random;
    // A token for one account may not write kinds that belong to no account, so such lines are rare.
    const kinds = KINDS.filter(({ ownerField }) => !isForOneAccount || ownerField !== null || random.next() > 0.95);
    const weighted = kinds.flatMap((kind): Kind[] => {
      const [count = 0, weight = 0] = this.#shape[kind.record] ?? [];
      return count > 0 ? Array(weight).fill(kind) : [];
    });
    const kind = random.pick(weighted);
    const { record, key, isEvent } = kind;
    const isDelete = (!isEvent || record === "message") && random.next() < this.#chances.deleteShare;
    const isOfLast = isDelete && this.#chances.keepsOthers && !isEvent && key.includes("id");
    const last = this.idsOf(record).length - 1;
    const line = this.#line(kind, isOfLast ? last : random.integer(0, last));
    if (!isDelete) return isEvent ? this.#event(line) : this.#note(line);
    if (record === "message_group" && this.#groups.size > 1) this.#groups.delete(line.id);
    return { record, ...Object.fromEntries(key.map((name) => [name, line[name]])), deleted: true };
  }

  /** An event with a new id; or one that was sent before, again; or seldom another event with the id of that one. */
  #event(line: Row): Row {
    const earlier = this.#events.get(line.id);
    const chance = this.#random.next();
    if (earlier !== undefined && chance < REPEATED_SHARE) return earlier;
    if (earlier === undefined || chance < REPEATED_SHARE + TAKEN_SHARE) {
      this.#events.set(line.id, earlier ?? line);
      return line;
    }
    this.#eventRound += 1;
    const ids = this.#ids[line.record] ?? [];
    const event = { ...line, id: this.#newIdFor(line.id) };
    ids[ids.indexOf(line.id)] = event.id;
    this.#events.set(event.id, event);
    return event;
  }

  #newIdFor(id: string): string {
    return `${id.replace(/'\d+$/, "")}'${this.#eventRound}`;
  }

  /** Remembers who is a member. */
  #note(line: Row): Row {
    if (line.record === "message_group") this.#groups.set(line.id, line.member_ids);
    if (line.record === "membership") this.#memberships.push(line);
    return line;
  }

  /** A line of a record, by the record's number. */
  #line(kind: Kind, at: number): Row {
    const { record, key, fields } = kind;
    const line: Row = { record };
    const pair = key.length > 1 ? this.#pair(kind, at) : [];
    const owner = this.#owner(record, at);
    const hasAll = fields.every(({ to }) => !to || KINDS_WITHOUT_ACCOUNT.includes(to) || this.#owned(to, owner).length);
    const account = kind.ownerField === "account_id" || hasAll ? owner : this.#owner(record, 0);
    for (const field of fields) {
      const { name, type, isRequired, isKey, to } = field;
      const isLeftOut = !isRequired && this.#random.next() < (to === undefined ? 0.6 : 0.4);
      if (name === "id") line.id = this.idsOf(record)[at];
      else if (name === "member_ids") line.member_ids = this.#members(line.initial_customer_id);
      else if (name === "referrer_id") line.referrer_id = this.#referrer(line);
      else if (name === "reverses") line.reverses = this.#reversed(line);
      else if (name === "store_ids")
        line.store_ids = isLeftOut ? "all" : this.#random.sample(this.#owned("store", account), 3);
      else if (isLeftOut) continue;
      else if (to === undefined) line[name] = this.#value(type, name, line.id);
      else if (this.#rarely()) line[name] = this.#pick(to);
      else line[name] = isKey ? pair[key.indexOf(name)] : this.#reference(kind, field, { at, account });
    }
    if (!this.#rarely()) this.#makeMember(line);
    for (const [beginning, end] of SPANS)
      if (line[end] < line[beginning] && !this.#rarely()) line[end] = line[beginning];
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

  /** The id of another record of the account. A fixed field gets the same id each time. */
  #reference({ record, isEvent }: Kind, { name, to = "", isFixed }: Field, { at, account }: Row): string | undefined {
    if (name === "account_id") return account;
    const ids = KINDS_WITHOUT_ACCOUNT.includes(to) ? this.idsOf(to).slice(0, -1) : this.#owned(to, account);
    const isIssued = record === "customer_coupon" && to === "coupon";
    const fittingIds = isIssued ? ids.filter((id) => this.#kindOf(id) !== "digital") : ids;
    if (fittingIds.length === 0) return undefined;
    return isFixed && !isEvent ? fittingIds[(at * 5 + name.length) % fittingIds.length] : this.#random.pick(fittingIds);
  }

  /** Customers are referred only by earlier customers: the contract does not say which line of a circle is refused. */
  #referrer({ store_id, customer_id }: Row): string | null {
    const customers = this.idsOf("customer");
    const at = customers.indexOf(customer_id);
    const referrer = customers[at % 3 === 2 ? at - 2 : at - 1];
    const hasJoined = this.#memberships.some(
      (membership) => membership.store_id === store_id && membership.customer_id === referrer,
    );
    const isReferred = this.#isGood ? hasJoined : this.#random.next() < 0.4;
    return isReferred ? (referrer ?? null) : null;
  }

  /** The id of an earlier redemption of the coupon; null for most redemptions. */
  #reversed({ customer_coupon_id }: Row): string | null {
    const ofCoupon = [...this.#events.values()].filter((event) => event.customer_coupon_id === customer_coupon_id);
    const reversed = ofCoupon.map(({ reverses }) => reverses);
    const candidates = ofCoupon.filter(({ id, reverses }) => reverses === null && !reversed.includes(id));
    const isReversal = candidates.length > 0 && this.#random.next() < REVERSED_SHARE;
    return isReversal ? this.#random.pick(candidates).id : null;
  }

  /** The two ids of a record whose key is a pair. Successive numbers go through all pairs. */
  #pair({ key, fields }: Kind, at: number): (string | undefined)[] {
    const to = key.map((name) => fields.find((field) => field.name === name)?.to ?? "");
    const [firstIds = [], secondIds = []] = to.map((record) => this.idsOf(record).slice(0, -1));
    const round = Math.floor(at / firstIds.length);
    const areOfOneKind = to[0] === to[1];
    // The two ids of one kind must differ.
    const second = areOfOneKind ? at + 1 + round : round;
    return [firstIds[at % firstIds.length], secondIds[second % secondIds.length]];
  }

  #members(initial: string): string[] {
    const otherIds = this.idsOf("customer").filter((id) => id !== initial);
    const candidates = this.#rarely() ? otherIds : otherIds.slice(0, -1);
    const members = this.#random.sample(candidates, this.#random.integer(1, MEMBERS_AT_MOST));
    members.splice(this.#random.integer(0, members.length), 0, initial);
    return members;
  }

  /** The account of a record: mostly the first account. */
  #owner(record: string, at: number): string {
    const number = at % 4 === 3 ? 1 : 0;
    return this.idsOf("account")[record === "account" ? at : number] ?? "";
  }

  #owned(record: string, owner: string): string[] {
    const isWithLast = !this.#isGood && !this.#chances.keepsOthers;
    const ids = isWithLast ? this.idsOf(record) : this.idsOf(record).slice(0, -1);
    return ids.filter((_, at) => this.#owner(record, at) === owner);
  }

  #kindOf(coupon: string): string {
    return ["store", "mfg", "digital", "store", "store"][this.idsOf("coupon").indexOf(coupon) % 5] ?? "store";
  }

  #value(type: string, name: string, id: string): unknown {
    if (this.#rarely()) return this.#values.bad();
    return type === "kind" ? this.#kindOf(id) : this.#values.of(type, name, this.#now);
  }

  #pick(record: string): string {
    return this.#random.pick(this.idsOf(record));
  }

  #rarely(): boolean {
    return !this.#isGood && this.#random.next() < 1 / this.#chances.badOneIn;
  }
}
