import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { cursorParameter } from "../../http/paging.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";

/** The query of the journal (docs/contract/requests.md, 2). */
export const RequestsQuery = z.object({
  from: FedTime.optional().describe("Only requests from this time on, in UTC."),
  to: FedTime.optional().describe("Only requests up to this time, in UTC."),
  subject: Id.optional().describe("Only requests of this system, or of this customer."),
  after: cursorParameter(z.object({ version: z.int() })),
});

export const Request = named("Request", {
  version: z.int().describe("The number of the request."),
  at: z.string().describe("When it was stored, in UTC."),
  source: z.enum(["feed", "restore", "till", "customer", "retention"]).describe("What it was."),
  subject: z.string().describe("The `sub` of the token, or the customer's id; empty for a step of retention."),
  lines: z.int().describe("How many lines it had, or how many events a step of retention deleted."),
});
export type Request = z.output<typeof Request>;
