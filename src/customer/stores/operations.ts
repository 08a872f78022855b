import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { TeamMember } from "./schema.ts";

export const teamWithLevel: Operation = {
  id: "teamWithLevel",
  summary: "Team with level",
  description:
    "The members of a store whom the customer has referred, and those whom they have referred, down to depth 5, each with " +
    "the sizes and tokens of the member's own team. Order: depth, then name. If the customer has no team, `items` is empty.",
  answer: success(z.array(TeamMember)),
  examples: [{ summary: "The first of a team", path: { id: "s101-1-6" }, query: { per_page: "1" } }],
  parameters: { in: "path", schema: z.object({ id: z.string().describe("The id of the store.") }) },
  failures: ["NotFound"],
};
