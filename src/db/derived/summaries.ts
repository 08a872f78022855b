import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import type { FieldMessages } from "../../values/messages.ts";
import { Id, mustBe } from "../../values/text.ts";
import { bySql, VERSION } from "../columns.ts";
import { textOf } from "../dialect.ts";
import type { Fields, Kind, Summary } from "../kind.ts";
import { fieldsIn } from "../record.ts";
import { SUMMARY, summaryFormat } from "../select.ts";

// A summary is a row in a table of events. It adds up old events that were deleted (docs/contract/retention.md, 2), so a total
// is the sum of the stored rows, with retention or without.

/** The id of an event on the wire. */
export const EventId = Id.refine((id) => !isSummary(id), `must not begin with ${SUMMARY}`);

export function isSummary(id: unknown): boolean {
  return String(id).startsWith(SUMMARY);
}

/** An SQL expression for the id of a summary, which is made from its keys. */
export function summaryId(summaries: readonly Summary[], toValue: (key: string) => string): string {
  const keys = keysOf(summaries);
  return `printf(${summaryFormat(keys.length)}, ${keys.map(toValue).join(", ")})`;
}

function keysOf(summaries: readonly Summary[]): string[] {
  return [...new Set(summaries.flatMap(({ by }) => by))];
}

/**
 * The properties that a kind of events gets from its summaries. A restore also takes the lines of summaries, which have no id.
 * `summaryFields`: the fields that have other limits in a summary.
 */
export function withSummaries(
  { columns, fields }: Pick<Kind, "columns"> & { fields: { shape: z.ZodRawShape } },
  summaryFields: z.ZodRawShape,
  summaries: readonly Summary[],
) {
  const keyFields = keysOf(summaries).flatMap((key) => Object.keys(columns[key] ? fieldsIn(key, columns[key]) : {}));
  const id = EventId.optional();
  const onLine = (key: string) => (columns[key]?.value === undefined ? `line.${key}` : textOf(columns[key].value));
  const idInSql = sql.raw(`coalesce(line.id, ${summaryId(summaries, onLine)})`);
  const sealed = z.literal(true, { error: mustBe("true") }).optional();
  const restored: Partial<Kind> = {
    fields: z.object({ sealed, ...fields.shape, id, ...summaryFields }),
    rules: summaryRules,
    write: { identity: (line) => line.id ?? keyFields.map((field) => line[field]) },
    columns: {
      id: bySql(text(), { id }, idInSql),
      request: bySql(integer(), {}, sql`iif(line.id IS NULL, NULL, ${VERSION})`),
    },
  };
  return { retention: { summaries }, restored };
}

function summaryRules({ id, sealed, customer_id, campaign_id }: Fields): FieldMessages {
  // A summary is of a customer or of a campaign.
  const lacksCustomer = customer_id === null && (sealed === undefined || campaign_id === null);
  return {
    ...(id === undefined && sealed === undefined && { id: ["is required, unless the line is sealed"] }),
    ...(id !== undefined && sealed === true && { id: ["must be left out of a line that is sealed"] }),
    ...(lacksCustomer && { customer_id: ["is required"] }),
  };
}
