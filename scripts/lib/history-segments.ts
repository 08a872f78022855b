import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { SEALED_KINDS } from "../../src/history/kinds.ts";
import type { Segment } from "../../src/history/segment.ts";
import { toHundredths } from "../../src/values/decimal.ts";
import { askDatabase, type Where } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";

/** A line of a segment. Which fields there are depends on the kind. */
export type SegmentLine = Readonly<Record<string, string | number | null>>;

const PAGE = 5_000;

export async function countSegments(where: Where): Promise<number> {
  const [[found] = []] = await askDatabase<{ segments: number }>(
    ["SELECT count(*) AS segments FROM history_segments"],
    where,
  );
  return found?.segments ?? 0;
}

/** The segments that a database names, in their order. */
export async function* segmentsOf(where: Where): AsyncGenerator<Segment> {
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

/** The object of a segment, or in words why it is not what the row says. */
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

/** What is wrong with the lines of a segment, in words; null where they are what the row says. */
export function faultOf({ kind, lines, oldest, newest, sums }: Segment, given: readonly SegmentLine[]): string | null {
  const { time = "" } = SEALED_KINDS.find(({ record }) => record === kind) ?? {};
  const times = given.map((line) => String(line[time])).sort();
  if (given.some(({ record }) => record !== kind)) return "has lines of another kind";
  if (given.length !== lines) return `has ${given.length} lines, and the database says ${lines}`;
  if (times[0] !== oldest || times.at(-1) !== newest) return "has events of another time than the database says";
  // As text: a sum may be more than a number tells apart.
  return sums === sumsOf(kind, given) ? null : `adds up to ${sumsOf(kind, given)}, and the database says ${sums}`;
}

/** What an event adds to openings: to which, by the names and ids in its line, in hundredths or as a count. */
export interface Addition {
  opening: string;
  key: readonly string[];
  field: string;
  amount: number;
}

export function additionsOf(line: SegmentLine): Addition[] {
  const ids = (...fields: string[]) => fields.map((field) => String(line[field]));
  const amountOf = (field: string) => toHundredths(String(line[field]));
  switch (line.record) {
    case "balance_entry": {
      const amount = amountOf("amount");
      const entry = { opening: "balance_opening", key: ids("customer_id", "store_id"), field: "amount", amount };
      const earned = { opening: "earned_opening", key: ids("store_id", "campaign_id"), field: "earned", amount };
      return line.campaign_id !== null && amount > 0 ? [entry, earned] : [entry];
    }
    case "token_earning": {
      const key = ids("store_id", "customer_id");
      return [{ opening: "token_opening", key, field: `tokens_${line.level_no}`, amount: amountOf("tokens") }];
    }
    case "play": {
      const key = ids("location_id", "eip_campaign_id", "employee_id");
      const counts = ["hits", "doubles", "triples"].map((field) => ({ field, amount: Number(line[field]) }));
      const measures = [{ field: "runs", amount: amountOf("runs") }, ...counts];
      return measures.map((measure) => ({ opening: "play_opening", key, ...measure }));
    }
    default:
      return [];
  }
}

/** Of each kind, by which name its row has a sum, and of which field of which opening. */
const SUMS: Readonly<Record<string, readonly (readonly [name: string, field: RegExp])[]>> = {
  balance_entry: [
    ["balance", /^amount$/],
    ["earned", /^earned$/],
  ],
  token_earning: [["tokens", /^tokens_/]],
  play: ["runs", "hits", "doubles", "triples"].map((name) => [name, new RegExp(`^${name}$`)] as const),
};

/** The sums of a segment, as its row has them. */
function sumsOf(kind: string, lines: readonly SegmentLine[]): string {
  const additions = lines.flatMap(additionsOf);
  const sums = (SUMS[kind] ?? []).map(([name, field]) => {
    const amounts = additions.filter((one) => field.test(one.field)).map(({ amount }) => BigInt(amount));
    return `"${name}":${amounts.reduce((sum, amount) => sum + amount, 0n)}`;
  });
  return `{${sums.join(",")}}`;
}
