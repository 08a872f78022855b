import type { Expected } from "../../model/expected.ts";
import type { Row } from "../../model/kinds.ts";
import { Model } from "../../model/model.ts";
import { writeBlock, writeMessageState } from "../../model/own-state.ts";
import type { State } from "../../model/state.ts";
import { differenceOf, seenAs } from "../../support/compare.ts";
import type { Answer, Moment } from "../calls.ts";
import { current, type SentRequest } from "../platform/invocation.ts";
import type { World } from "../world.ts";
import type { ModelRules } from "./model.ts";
import { OWN_CHANGES, OWN_JOURNAL, OWN_ONCE, OWN_QUIET, OWN_STATE } from "./names.ts";

/** The ids of all customers with devices begin so. Only their devices, and the feeder of these, write their records. */
export const DEVICES = "devices ";

/** The records that customers write, as lines name their fields. */
const STORED = {
  message_state: `SELECT 'message_state' AS record, message_groups.id AS group_id, customers.id AS customer_id, read_at,
      notifications_disabled
    FROM message_states JOIN message_groups ON message_groups.key = group_key JOIN customers ON customers.key = customer_key`,
  block: `SELECT 'block' AS record, customers.id AS customer_id, others.id AS blocked_id
    FROM blocks JOIN customers ON customers.key = customer_key JOIN customers AS others ON others.key = blocked_key`,
};

type Sent = { method?: string; path: string; body?: string | undefined; customer?: string | undefined };

/** A write of a customer: the record that it is about, and what the model does. */
interface Write {
  caller: string;
  record: keyof typeof STORED;
  key: Readonly<Record<string, string>>;
  apply: (state: State, now: string) => Expected;
}

/** What a request has applied: a line of a customer, or the lines of a feed. */
interface Applied {
  version: number;
  at: string;
  lines: readonly Row[];
}

/** A line of the changes. */
export interface Change {
  version: number;
  at: string;
  source: "till" | "customer";
  line: Row;
}

/** The promises about what customers write: docs/contract/interface.md, 4.10. */
export class OwnStateRules {
  readonly #world: World;
  readonly #model: ModelRules;
  #version = 0;
  #feeds: Applied[] = [];
  /** What the follower of the changes has read, since it last began. */
  #changes: Applied[] = [];

  constructor(world: World, model: ModelRules) {
    this.#world = world;
    this.#model = model;
    const { onCall } = world.objects;
    world.objects.onCall = (method) => {
      onCall(method);
      this.#checkQuiet(method);
    };
  }

  /** Call it before the model takes the commit. */
  noteCommit(): void {
    const [now] = this.#world.database.primary.read<{ version: number; at: string }>(
      "SELECT version, now AS at FROM program_state CROSS JOIN clock",
    );
    const isNew = now !== undefined && now.version !== this.#version;
    this.#version = now?.version ?? 0;
    const request = current.getStore()?.request ?? null;
    if (request === null) return;
    if (isNew && request.lines !== undefined) {
      const lines = request.lines.split("\n").map((line) => JSON.parse(line) as Row);
      this.#feeds.push({ ...now, lines: lines.filter(isOwn) });
    }
    const write = writeOf(request);
    if (write !== null) this.#checkWrite(request, write, isNew);
  }

  #checkWrite(request: SentRequest, write: Write, isNew: boolean): void {
    const { primary } = this.#world.database;
    const { state: before, stamp } = this.#model.last;
    const { state, answer } = applied(write, before, stamp);
    const was = recordOf(before, write);
    // A commit without a version is one of the background work, which comes when others may have written since.
    const expected = isNew ? recordOf(state, write) : was;
    const names = Object.keys(write.key).map((name) => `${name} = ?`);
    const sql = `SELECT * FROM (${STORED[write.record]}) WHERE ${names.join(" AND ")}`;
    const [stored = null] = primary.read<Row>(sql, ...Object.values(write.key));
    const difference = differenceOf(stored, expected);
    if (difference !== null) this.#world.fail(OWN_STATE, `${request.path} stores ${difference}`);
    if (!isNew) return;
    if (differenceOf(was, expected) === null) this.#world.fail(OWN_ONCE, request.path);
    request.committed = { commit: primary.commit, answer };
    const [row] = primary.read<Row>("SELECT source, subject, line FROM requests WHERE version = ?", this.#version);
    const seen = { ...row, line: JSON.parse(row?.line ?? "null") };
    const line = stored ?? { record: write.record, ...write.key, deleted: true };
    const fault = differenceOf(seen, { source: "customer", subject: write.caller, line });
    if (fault !== null) this.#world.fail(OWN_JOURNAL, fault);
  }

  /** Checks an answer: of the commit, or, if the write changed nothing, of what the service read. */
  check(sent: Sent, answer: Answer, committed: SentRequest["committed"]): void {
    const write = writeOf(sent);
    if (write === null || ![200, 404].includes(answer.status)) return;
    const read = answer.reads.at(-1);
    const isOfRead = read !== undefined && read.commit >= (committed?.commit ?? 0);
    const expected = isOfRead ? applied(write, read.state, read.stamp).answer : committed?.answer;
    if (expected === undefined) return;
    const seen = seenAs(expected, { ...answer, body: structuredClone(answer.json) });
    const difference = differenceOf(seen, expected);
    if (difference !== null) this.#world.fail(OWN_STATE, `${sent.path} is answered ${difference}`);
  }

  #checkQuiet(method: string): void {
    const request = current.getStore()?.request ?? null;
    if (request === null || !method.startsWith("notify") || request.committed !== null) return;
    if (writeOf(request) !== null) this.#world.fail(OWN_QUIET, request.path);
  }

  noteChange({ version, at, line }: Change): void {
    const last = this.#changes.at(-1)?.version ?? 0;
    if (version <= last) this.#world.fail(OWN_CHANGES, `${version} comes after ${last}`);
    this.#changes.push({ version, at, lines: [line] });
  }

  /** The follower of the changes begins with the oldest line that is kept. */
  beginChanges(): void {
    this.#changes = [];
  }

  /** Call it after the last change was read. */
  checkChanges(): void {
    const sql = Object.values(STORED).map((all) => `SELECT * FROM (${all}) WHERE customer_id GLOB '${DEVICES}*'`);
    const stored = sql.flatMap((one) => this.#world.database.primary.read<Row>(one));
    const [seen, expected] = [stored, replay([...this.#feeds, ...this.#changes])].map((rows) =>
      rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
    );
    const difference = differenceOf(seen, expected);
    if (difference !== null) this.#world.fail(OWN_CHANGES, difference);
  }

  /** The database was set back to this moment. */
  forget({ version }: Moment): void {
    this.#feeds = this.#feeds.filter((feed) => feed.version <= version);
  }
}

function writeOf({ method, path, body, customer: caller }: Sent): Write | null {
  const [, kind, text = ""] = /^\/api\/v1\/customer\/(messages|blocks)\/([^/]+)/.exec(path) ?? [];
  if (kind === undefined || caller === undefined) return null;
  const id = decodeURIComponent(text);
  if (kind === "messages")
    return {
      caller,
      record: "message_state",
      key: { group_id: id, customer_id: caller },
      apply: (state, now) => writeMessageState(state, caller, id, JSON.parse(body ?? "{}"), now),
    };
  return {
    caller,
    record: "block",
    key: { customer_id: caller, blocked_id: id },
    apply: (state) => writeBlock(state, caller, id, method === "PUT"),
  };
}

/** The model's answer, and its state after the write. */
function applied({ apply }: Write, before: State, now: string): { state: State; answer: Expected } {
  const model = new Model(before);
  const answer = model.write((state) => apply(state, now));
  return { state: model.state, answer };
}

function recordOf(state: State, { record, key }: Write): Row | null {
  const row = state.find(record, ...Object.values(key));
  if (row === undefined) return null;
  const { read_at = null, notifications_disabled = 0 } = row;
  return { record, ...key, ...(record === "message_state" && { read_at, notifications_disabled }) };
}

function isOwn({ record, customer_id: id }: Row): boolean {
  return record in STORED && id.startsWith(DEVICES);
}

function nameOf({ record, customer_id: customer, group_id, blocked_id }: Row): string {
  return JSON.stringify([record, customer, group_id ?? blocked_id]);
}

/** The records that a system has that applies all lines in the order of their versions, from before the first. */
function replay(all: readonly Applied[]): Row[] {
  const records = new Map<string, Row>();
  for (const { at, lines } of all.toSorted((one, other) => one.version - other.version))
    for (const line of lines) {
      const name = nameOf(line);
      const mark = records.get(name)?.read_at ?? "";
      if (line.deleted) records.delete(name);
      else if (line.record === "block") records.set(name, line);
      else records.set(name, { ...line, read_at: line.read_at && later(mark, earlier(line.read_at, at)) });
    }
  return [...records.values()];
}

const earlier = (one: string, other: string) => (one < other ? one : other);
const later = (one: string, other: string) => (one > other ? one : other);
