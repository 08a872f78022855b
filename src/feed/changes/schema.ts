import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { cursorParameter } from "../../http/paging.ts";
import { REQUEST_TYPES } from "../../records/customer-request.ts";

/** Where changes go on: after this row of the journal of this database. */
const ChangesCursor = z.object({ database: z.string(), version: z.int(), at: z.string() });
export type ChangesCursor = z.output<typeof ChangesCursor>;

/** The query of the changes (docs/contract/requests.md, 2). */
export const ChangesQuery = z.object({
  after: z
    .union([z.literal("first"), cursorParameter(ChangesCursor)])
    .describe("The cursor of a link; `first`: the oldest change that is kept. Left out: now.")
    .meta({ type: "string" }),
});

export const Change = named("Change", {
  version: z.int().describe("The number of the transaction."),
  at: z.string().describe("When it was stored, in UTC."),
  source: z.enum(["till", "customer"]).describe("Who wrote it."),
  subject: z.string().describe("The `sub` of the till's token, or the customer's id."),
  line: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("The record after the change, as the line that the feed would take."),
  request: z.enum(REQUEST_TYPES).optional().describe("In place of a line: what a customer asked of the operator."),
});
