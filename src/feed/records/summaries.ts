import * as z from "zod";
import { SUMMARY, summaryFormat } from "../../db/select.ts";
import type { FieldMessages } from "../../values/messages.ts";
import { Id, mustBe } from "../../values/text.ts";
import { type Fields, idField, type Kind } from "./kind.ts";

// A summary is a row in a table of events. It adds up old events that were deleted (docs/contract/retention.md, 2), so a total
// is the sum of the stored rows, with retention or without.

/** How old events are added up: one row for each group of events. */
export interface Summary {
  /** The columns that make a group. */
  by: readonly string[];
  /** A condition on the events that count; left out: all do. */
  filter?: string;
  /** The columns that are added up. */
  adds: readonly string[];
  /** The column that gets the number of the step when the row grows; left out: none. */
  grew?: string;
}

/** The id of an event on the wire. */
export const EventId = Id.refine((id) => !isSummary(id), `must not begin with ${SUMMARY}`);

export function isSummary(id: unknown): boolean {
  return String(id).startsWith(SUMMARY);
}

/** An SQL expression for the id of a summary, which is made of its keys. */
export function summaryId(summaries: readonly Summary[], toValue: (key: string) => string): string {
  const keys = keysOf(summaries);
  return `printf(${summaryFormat(keys.length)}, ${keys.map(toValue).join(", ")})`;
}

export function keysOf(summaries: readonly Summary[]): string[] {
  return [...new Set(summaries.flatMap(({ by }) => by))];
}

/**
 * The properties that a kind of events gets from its summaries. A restore also takes the lines of summaries, which have no id.
 * `summaryFields`: the fields that have other limits in a summary.
 */
export function withSummaries(fields: z.ZodRawShape, summaryFields: z.ZodRawShape, summaries: readonly Summary[]) {
  const keyFields = keysOf(summaries).map(idField);
  const restored: Partial<Kind> = {
    fields: z.object({
      sealed: z.literal(true, { error: mustBe("true") }).optional(),
      ...fields,
      id: EventId.optional(),
      ...summaryFields,
    }),
    rules: summaryRules,
    identity: (line) => line.id ?? keyFields.map((field) => line[field]),
    columns: { id: { sql: `coalesce(line.id, ${summaryId(summaries, (key) => `line.${key}`)})`, from: "id" } },
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
