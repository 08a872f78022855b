import { coupon, customerCoupon } from "./coupon-kinds.ts";
import type { ModelKind, ModelLine, Request } from "./kind.ts";
import { block, friendship, message, messageGroup, messageState } from "./message-kinds.ts";
import {
  account,
  balanceEntry,
  campaign,
  customer,
  membership,
  registration,
  store,
  tokenEarning,
} from "./program-kinds.ts";
import { emptyTables, endErased, type Tables } from "./tables.ts";

// The rules of docs/contract/feed.md, 1 and 2, one by one, for the kinds whose state others lean on: slow, simple, and
// in memory.

export type Token = readonly string[] | "*";

export interface Expected {
  answer: { status: number; accepted?: number; ignored?: number };
  badFields: string[];
}

/** What others refer to comes first. */
const KINDS: Readonly<Record<string, ModelKind>> = {
  account,
  store,
  campaign,
  customer,
  membership,
  token_earning: tokenEarning,
  registration,
  friendship,
  block,
  coupon,
  customer_coupon: customerCoupon,
  message_group: messageGroup,
  message_state: messageState,
  balance_entry: balanceEntry,
  message,
};
const ORDER = Object.keys(KINDS);

function kindOf({ record }: ModelLine): ModelKind {
  const kind = KINDS[record];
  if (kind === undefined) throw new Error(`The model knows no ${record}.`);
  return kind;
}

export class FeedModel {
  #tables: Tables = emptyTables();

  get tables(): Tables {
    return this.#tables;
  }

  /** Applies a request at a second, `YYYY-MM-DD HH:MM:SS`: all of it, or nothing. */
  apply(lines: readonly ModelLine[], token: Token, now: string): Expected {
    const before = this.#tables;
    const request: Request = { lines, before, after: structuredClone(before), now };
    const { writes, deletes, repeated } = deduplicate(lines, before);
    for (const { line } of writes) kindOf(line).write(line, request);
    const removed = deletes.filter((line) => kindOf(line).remove?.(line, request.after));
    endErased(request.after);

    if (token !== "*" && lines.some((line) => isForeign(line, token, request)))
      return { answer: { status: 403 }, badFields: [] };
    const badFields = writes.flatMap(({ line, number }) =>
      kindOf(line)
        .badFields(line, request, number)
        .map((field) => `line ${number}.${field}`),
    );
    if (badFields.length > 0) return { answer: { status: 422 }, badFields };

    this.#tables = request.after;
    const ignored = deletes.length - removed.length + repeated;
    return { answer: { status: 200, accepted: lines.length - ignored, ignored }, badFields: [] };
  }
}

/**
 * The last line of each state record; of each event the first that deletes it, and the first if it is not stored yet.
 * What refers to others is written after them, and deleted before them; records of a kind are written in the order of
 * their first lines.
 */
function deduplicate(lines: readonly ModelLine[], before: Tables) {
  const byRecord = Map.groupBy(
    lines.map((line, index) => ({ line, number: index + 1 })),
    ({ line }) => JSON.stringify([line.record, kindOf(line).keyOf(line), kindOf(line).isEvent && line.deleted]),
  );
  const counting = [...byRecord.values()].flatMap((same) => {
    const one = kindOf(same[0]?.line as ModelLine).isEvent ? same[0] : same.at(-1);
    return one === undefined ? [] : [{ ...one, order: same.find(({ line }) => !line.deleted)?.number ?? one.number }];
  });
  const rank = ({ record }: ModelLine) => ORDER.indexOf(record);
  const sorted = counting.sort((one, other) => rank(one.line) - rank(other.line) || one.order - other.order);
  const writes = sorted.filter(({ line }) => !line.deleted && !isStored(line, before));
  const deletes = sorted.filter(({ line }) => line.deleted);
  const countEvents = (some: readonly { line: ModelLine }[]) => some.filter(({ line }) => kindOf(line).isEvent).length;
  return {
    writes,
    deletes: deletes.map(({ line }) => line).reverse(),
    repeated: countEvents(lines.map((line) => ({ line }))) - countEvents(writes) - countEvents(deletes),
  };
}

/** Whether a line is an event that is stored. */
function isStored({ record, id }: ModelLine, { entries, earnings, bodies }: Tables): boolean {
  if (record === "balance_entry") return entries.has(String(id));
  if (record === "token_earning") return earnings.has(String(id));
  return record === "message" && bodies.has(String(id));
}

/** Whether a line touches an account that the token does not cover. */
function isForeign(line: ModelLine, token: readonly string[], request: Request): boolean {
  const { isGlobal, accounts } = kindOf(line);
  const touched = accounts?.(line, request) ?? [];
  return isGlobal === true || touched.some((account) => account !== undefined && !token.includes(account));
}
