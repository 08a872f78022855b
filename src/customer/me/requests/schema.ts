import * as z from "zod";
import { named } from "../../../http/answer-schema.ts";
import { REQUEST_TYPES } from "../../../records/customer-request.ts";
import { wordParameter } from "../../../values/parameter.ts";

const TYPES = REQUEST_TYPES.join(" or ");

export const RequestBody = z.object({
  type: wordParameter(REQUEST_TYPES, `must be ${TYPES}`).describe(
    "`data`: a copy of one's data; `erasure`: one's erasure.",
  ),
});

export const CustomerRequest = named("CustomerRequest", {
  type: z.enum(REQUEST_TYPES).describe("What was asked for."),
  requested_at: z.string().describe("When it was first asked for, in UTC."),
});
export type CustomerRequest = z.output<typeof CustomerRequest>;
