import { databaseFaultOf } from "../db/errors.ts";
import type { Fault, Kind } from "../db/kind.ts";
import { forbidden, invalid, payloadTooLarge, tooMuchForDatabase } from "../http/errors.ts";
import { ITEM_LIMIT, NAMED_LINES } from "../http/limits.ts";
import { addMessage, type FieldMessages } from "../values/messages.ts";
import { withCommas } from "../values/number.ts";
import type { Report } from "./apply/checks.ts";
import { type Batch, timeFieldOf } from "./kind.ts";

/** Such an event may have been added up and deleted. Sent again, it would count twice (docs/contract/retention.md, 3). */
export const TOO_OLD = "is older than the events that are kept";
export const AHEAD = "is more than a day ahead of the database's clock";

export const TOO_LARGE = "would make a total too large";

export function tooManyItems(count: number) {
  return tooMuch(count, "ids in lists and members of the groups that it touches", ITEM_LIMIT);
}

export function tooMuch(count: number, what: string, limit: number) {
  return payloadTooLarge(`This request holds ${withCommas(count)} ${what}: at most ${withCommas(limit)} are taken.`);
}

export function foreignLines(lines: readonly number[]) {
  return forbidden(
    `${subjectOf(lines)} touch${lines.length === 1 ? "es" : ""} an account that the token does not cover.`,
  );
}

/** For lines of kinds that belong to no account, with a token for some accounts. */
export function linesOfNoAccount(batches: readonly Batch[]) {
  const lines = batches.flatMap(({ all }) => all.map(({ number }) => number));
  const kinds = batches.map(({ kind }) => kind.record).join(", ");
  const [need, belong] = lines.length === 1 ? ["needs", "such a record belongs"] : ["need", "such records belong"];
  return forbidden(
    `${subjectOf(lines)} (${kinds}) ${need} a token with "accounts": "*", because ${belong} to no account.`,
  );
}

/** The first lines as the subject of a sentence: `Line 3`, `Lines 3, 9`. */
function subjectOf(lines: readonly number[]): string {
  const firstLines = lines.toSorted((line, other) => line - other).slice(0, NAMED_LINES);
  return `Line${firstLines.length === 1 ? "" : "s"} ${firstLines.join(", ")}`;
}

/** The fault of a line with the id of another event. `fields`: those that differ; empty: the other event is not to be shown. */
export function takenId(fields: readonly string[]): Omit<Fault, "when"> {
  const differ = fields.length === 1 ? `${fields[0]} differs` : `${new Intl.ListFormat("en").format(fields)} differ`;
  const text =
    fields[0] === "" ? "is taken; begin your ids with something of your own" : `is the id of another event: ${differ}`;
  return { field: "id", text };
}

/** The key of an error in a 422; the field `""` stands for the whole line. */
export function lineField(line: number, field: string): string {
  return field === "" ? `line ${line}` : `line ${line}.${field}`;
}

/**
 * Whether a total is beyond its `CHECK`, or the sum of restored summaries takes more than 64 bits. There is one other `CHECK`, of
 * the id of `program_state`, and no statement writes this id.
 */
export function isTotalTooLarge(error: unknown): boolean {
  return error instanceof Error && /CHECK constraint failed|integer overflow/.test(error.message);
}

/** `lines`: the lines that are added to the total, each with the field of its amount; none: a sum of restored summaries. */
export function totalTooLarge(lines: readonly { number: number; field: string }[]) {
  const named = lines.map(({ number, field }) => [lineField(number, field), [TOO_LARGE]]);
  return invalid(named.length > 0 ? Object.fromEntries(named) : { body: ["a total would be too large"] });
}

/** Turns the database's error into the failure of the request; any other error is returned as it is. */
export function refusalOf(
  error: unknown,
  { faults, batches }: { faults: readonly Fault[]; batches: readonly Batch[] },
): unknown {
  if (databaseFaultOf(error) === "exceeded") return tooMuchForDatabase(error);
  const message = error instanceof Error ? error.message : "";
  const text = /\{"\w+":\[.*\]\}/s.exec(message)?.[0];
  if (text === undefined) return error;
  const { unrestorable, items, horizon, ahead, foreign, faults: lineFaults } = JSON.parse(text) as Partial<Report>;
  if (unrestorable !== undefined)
    return forbidden("A restore token feeds only a database that has been fed by nothing but restores.");
  if (items !== undefined) return tooManyItems(items[0]);
  if (foreign !== undefined) return foreignLines(foreign);
  if (horizon !== undefined)
    return invalid(wrongTimes(batches, TOO_OLD, (time, { retention }) => retention !== undefined && time < horizon[0]));
  if (ahead !== undefined) return invalid(wrongTimes(batches, AHEAD, (time) => time > ahead[0]));
  if (lineFaults === undefined) return error;
  const messages: FieldMessages = {};
  for (const [line, fault] of lineFaults) {
    const named = typeof fault === "string" ? takenId(fault.split(",")) : faults[fault];
    if (named !== undefined) addMessage(messages, lineField(line, named.field), named.text);
  }
  return invalid(messages);
}

/** The errors of the first lines with a wrong time. */
function wrongTimes(
  batches: readonly Batch[],
  text: string,
  isWrong: (time: string, kind: Kind) => boolean,
): FieldMessages {
  const lines = batches.flatMap(({ kind, all }) =>
    all
      .filter(({ time }) => time !== null && isWrong(time, kind))
      .map(({ number }) => ({ number, field: timeFieldOf(kind) })),
  );
  const firstLines = lines.sort((line, other) => line.number - other.number).slice(0, NAMED_LINES);
  return Object.fromEntries(firstLines.map(({ number, field }) => [lineField(number, field), [text]]));
}
