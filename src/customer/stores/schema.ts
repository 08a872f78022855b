import * as z from "zod";
import { isWithinPage, NOT_IN_PAGE, PagingParameters } from "../../http/paging.ts";
import { integerParameter } from "../../values/number.ts";
import { Id } from "../../values/text.ts";

/** The path of a store's team (docs/contract/interface.md, 4.3). */
export const TeamPath = z.object({ id: z.string().describe("The id of the store.") });

/** The query of a store's team (docs/contract/interface.md, 4.3). */
export const TeamQuery = z
  .object({
    ...PagingParameters,
    after: integerParameter({ min: 1, max: 99 })
      .transform((sent) => ({ sent }))
      .optional()
      .describe("Set in links to the rest of a page only."),
    level_no: integerParameter({ min: 1, max: 5 }).optional().describe("Only members at this depth, 1 to 5."),
    team_member_id: Id.optional().describe(
      "The team of this member of the caller's team instead, depths counted from there.",
    ),
  })
  .refine(isWithinPage, NOT_IN_PAGE);
