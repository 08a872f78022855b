import * as z from "zod";
import { EventId } from "../db/derived/summaries.ts";
import { IdInBody, inBody } from "../values/parameter.ts";

/** The id of a write, which the till makes: the same id again is answered with what is stored (docs/contract/till.md, 1). */
export const WriteId = inBody(EventId).describe(
  "An id that the till makes, such as `till-3-0815`. The same request again, with the same id, is done once.",
);

export const StoreIdInBody = IdInBody.describe("The store where the till stands.");

export const Repeated = z.boolean().describe("Whether the id was used before: then nothing was done now.");
