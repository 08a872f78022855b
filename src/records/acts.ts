import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../db/compile.ts";
import type { Total } from "../db/derived/totals.ts";
import type { Kind } from "../db/kind.ts";
import { columnNames, jsonOf, NOW, pick } from "../db/select.ts";
import { outbox, requests } from "../db/tables.ts";
import { programState } from "./program.ts";

// An act is the write of a till or a customer: one transaction, which changes something or nothing (docs/contract/requests.md, 1).
// Its first statement takes the next version if what is asked is possible, and marks the version with the id of the act. All
// others do nothing unless the current version has this mark. So an act that is refused, or that repeats an earlier one, leaves
// the version alone, has no row in the journal, adds nothing to a total, and finds nobody to notify: also if the act that it
// repeats is the transaction just before it. The statements are sent once for each id (`Database.act`).

/** Who acts: the subject of a till's token, or the customer's id. */
export interface Actor {
  source: "till" | "customer";
  subject: string;
}

/** What a statement of each act returns; no row if the act has changed nothing. */
export interface ChangesOfAct {
  changes: string;
}

const { act, version } = programState;

/** The version that the act has taken; NULL if it has taken none. */
export const versionOf = (id: Placeholder): SQL<number | null> =>
  sql<number | null>`(SELECT ${version} FROM ${programState} WHERE ${act} = ${id})`;

/** Whether the act has taken or marked the current version, so that it changes something. For a `WHERE` on `program_state`. */
export const isTakenBy = (placeholder: PlaceholderOf<"act">): SQL => sql`${act} = ${placeholder("act")}`;

/** For the answer: whether the act has changed something. */
export const isNew = (id: Placeholder): SQL<0 | 1> => sql<0 | 1>`${versionOf(id)} IS NOT NULL`;

/**
 * Takes the next version if the condition holds. `tables`: a `WITH` clause that the condition reads. A restore is taken no more,
 * because it would find other records than it has.
 */
export function takeVersion(id: Placeholder, when: SQL, tables = sql``): SQL {
  const { restorable } = programState;
  return sql`${tables} UPDATE ${programState}
    SET ${columnNames(version)} = ${version} + 1, ${columnNames(act)} = ${id}, ${columnNames(restorable)} = 0 WHERE ${when}`;
}

/** Marks the current version, for an act that changes nothing that an export gives: it takes no version. */
export function markVersion(id: Placeholder, when: SQL, tables = sql``): SQL {
  return sql`${tables} UPDATE ${programState} SET ${columnNames(act)} = ${id} WHERE ${when}`;
}

/** The changes of an act for which this holds, as JSON: of whom to tell what (`Change` of src/inbox/outbox.ts). */
export function changesWhere(which: SQL): SQL<string> {
  const change = {
    ...pick(outbox, "version", "topic"),
    customers: sql`json(${outbox.customers})`,
    newestAt: outbox.newest_at,
    storedAt: outbox.stored_at,
  };
  return sql`(SELECT json_group_array(${jsonOf(change)}) FROM ${outbox} WHERE ${which})`;
}

/**
 * Writes the act into the journal. Its row has the changes of the act, so it comes after all statements that change something.
 * @param line the whole record after the change, as JSON: the line that the feed would take.
 * @param from a join to the record that the line shows.
 */
export function journalAct(
  placeholder: PlaceholderOf<"act" | keyof Actor>,
  line: SQL,
  from = sql``,
): SQL<ChangesOfAct> {
  const { at, source, subject, lines, line: text } = requests;
  return sql<ChangesOfAct>`
    INSERT INTO ${requests} (${columnNames(requests.version, at, source, subject, lines, text)})
    SELECT ${version}, ${NOW}, ${placeholder("source")}, ${placeholder("subject")}, 1, ${line}
    FROM ${programState} ${from} WHERE ${isTakenBy(placeholder)}
    RETURNING ${changesWhere(sql`${outbox.version} = ${requests.version}`)} AS changes`;
}

/**
 * The statements that add the event of this `id` to the totals of its kind, if the act has stored it. `besides`: totals to which
 * the event adds nothing.
 */
export function upkeepOfActs({ record, table, write }: Kind) {
  const totals: readonly Pick<Total, "addTo">[] = [
    ...(write?.upkeep ?? []).map((addTo) => ({ addTo })),
    ...(write?.totals ?? []),
  ];
  const compiled = totals.map((total, index) => {
    const addEvent = compileOnce(`acts/${record}-${index + 1}`, (placeholder: PlaceholderOf<"act" | "id">) => {
      const isStored = sql`${table}.id = ${placeholder("id")} AND ${table}.request = ${versionOf(placeholder("act"))}`;
      return total.addTo(sql`WITH ${sql.identifier(record)} AS (SELECT * FROM ${table} WHERE ${isStored})`);
    });
    return { total, addEvent };
  });
  return (values: { act: string; id: string }, besides: readonly Pick<Total, "addTo">[] = []) =>
    compiled.filter(({ total }) => !besides.includes(total)).map(({ addEvent }) => addEvent(values));
}
