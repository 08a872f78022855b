import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { isEvent } from "../../src/db/select.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { referenceKey, tableName } from "../../src/feed/records/kind.ts";
import { keysOf } from "../../src/feed/records/summaries.ts";
import { SEALED_KINDS, type SealedKind } from "../../src/history/kinds.ts";
import type { Segment } from "../../src/history/object.ts";
import { toHundredths } from "../../src/values/decimal.ts";
import { type AnyDatabase, askDatabase } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";

/** A line of a segment. Which fields there are depends on the kind. */
export type SegmentLine = Readonly<Record<string, string | number | null>>;

const PAGE = 5_000;

export async function countSegments(where: AnyDatabase): Promise<number> {
  const [[found] = []] = await askDatabase<{ segments: number }>(
    ["SELECT count(*) AS segments FROM history_segments"],
    where,
  );
  return found?.segments ?? 0;
}

/** The segments that a database names, in their order. */
export async function* segmentsOf(where: AnyDatabase): AsyncGenerator<Segment> {
  let after = "('', '', 0)";
  for (let found = PAGE; found === PAGE; ) {
    const query = `SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments
      WHERE (kind, month, number) > ${after} ORDER BY kind, month, number LIMIT ${PAGE}`;
    const [page = []] = await askDatabase<Segment>([query], where);
    yield* page;
    found = page.length;
    const last = page.at(-1);
    after = `('${last?.kind}', '${last?.month}', ${last?.number})`;
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The object of a segment, or in words why it does not match the row. */
export async function readObject(bucket: Bucket, { name, sha256 }: Segment): Promise<Buffer | string> {
  const bytes = await bucket.read(name);
  if (bytes === null) return "is not in the bucket";
  return sha256Of(bytes) === sha256 ? bytes : "has another SHA-256 than the database says";
}

/** The lines of an object. */
export function linesOf(object: Buffer): SegmentLine[] {
  const text = gunzipSync(object).toString();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** What is wrong with the lines of a segment, in words; null if they match the row. */
export function faultOf({ kind, lines, oldest, newest, sums }: Segment, given: readonly SegmentLine[]): string | null {
  const { time = "" } = SEALED_KINDS.find(({ record }) => record === kind) ?? {};
  const times = given.map((line) => String(line[time])).sort();
  if (given.some(({ record }) => record !== kind)) return "has lines of another kind";
  if (given.length !== lines) return `has ${given.length} lines, and the database says ${lines}`;
  if (times[0] !== oldest || times.at(-1) !== newest) return "has events of another time than the database says";
  // As text: a sum may be larger than a number can hold exactly.
  return sums === sumsOf(kind, given) ? null : `adds up to ${sumsOf(kind, given)}, and the database says ${sums}`;
}

/** An amount of an event or of a summary, in hundredths or as a count. */
export interface Addition {
  record: string;
  /** The ids, and the level, that the summary is for. */
  key: readonly unknown[];
  /** The name that a segment's row gives the sum. */
  name: string;
  amount: number;
}

export function additionsOf(line: SegmentLine): Addition[] {
  const { customer_id, store_id, campaign_id, level_no, location_id, eip_campaign_id, employee_id } = line;
  const amountOf = (field: string) => toHundredths(String(line[field]));
  switch (line.record) {
    case "balance_entry": {
      const of = { record: line.record, amount: amountOf("amount") };
      const balance = { ...of, key: [customer_id, store_id, null], name: "balance" };
      const earned = { ...of, key: [null, store_id, campaign_id], name: "earned" };
      return campaign_id !== null && of.amount > 0 ? [balance, earned] : [balance];
    }
    case "token_earning": {
      const of = { record: line.record, key: [customer_id, store_id, level_no] };
      return [{ ...of, name: "tokens", amount: amountOf("tokens") }];
    }
    case "play": {
      const of = { record: line.record, key: [location_id, eip_campaign_id, employee_id] };
      const counts = ["hits", "doubles", "triples"].map((name) => ({ ...of, name, amount: Number(line[name]) }));
      return [{ ...of, name: "runs", amount: amountOf("runs") }, ...counts];
    }
    default:
      return [];
  }
}

/** The kinds that have summaries. */
export const SUMMED_KINDS = SEALED_KINDS.filter(({ summaries }) => summaries.length > 0);

/** A row of `selectSummaries`. */
export type SummaryRow = Readonly<Record<string, string | number | null>>;

/** The next summaries of a kind, in the order of their ids, with the ids of their customers, stores and so on. */
export function selectSummaries({ record, table, summaries }: SealedKind, after = "", limit = -1): string {
  const references = KINDS.find((one) => one.record === record)?.references ?? {};
  const named = new Map(Object.entries(references).map(([field, to]) => [referenceKey(field), tableName(to)]));
  const keys = keysOf(summaries).map((key) =>
    named.has(key) ? `(SELECT id FROM ${named.get(key)} WHERE key = row.${key}) AS ${key}` : key,
  );
  const amounts = new Set(summaries.flatMap(({ sums }) => Object.values(sums)));
  return `SELECT ${["id", ...keys, ...amounts]} FROM ${table} AS row
    WHERE id > '${after}' AND NOT (${isEvent("row")}) ORDER BY id LIMIT ${limit}`;
}

/** The amounts of a summary. */
export function amountsOf({ record, summaries }: SealedKind, row: SummaryRow): Addition[] {
  const key = keysOf(summaries).map((one) => row[one] ?? null);
  return summaries
    .filter(({ by }) => by.every((one) => row[one] !== null))
    .flatMap(({ sums }) => Object.entries(sums))
    .map(([name, column]) => ({ record, key, name, amount: Number(row[column]) }));
}

/** The sums of a segment, as its row has them. */
function sumsOf(kind: string, lines: readonly SegmentLine[]): string {
  const { summaries = [] } = SEALED_KINDS.find(({ record }) => record === kind) ?? {};
  const additions = lines.flatMap(additionsOf);
  const sums = summaries
    .flatMap(({ sums }) => Object.keys(sums))
    .map((name) => {
      const amounts = additions.filter((one) => one.name === name).map(({ amount }) => BigInt(amount));
      return `"${name}":${amounts.reduce((sum, amount) => sum + amount, 0n)}`;
    });
  return `{${sums.join(",")}}`;
}
