import * as z from "zod";
import { LINK_NOTE } from "../../http/paging.ts";
import { success } from "../../openapi/describe.ts";
import type { Operation } from "../../openapi/notes.ts";
import { TeamMember } from "./schema.ts";

export const teamWithLevel: Operation = {
  id: "teamWithLevel",
  tag: "Customer",
  summary: "Team of a store, with levels",
  description:
    "The members of a store whom the customer has referred, and those whom they have referred, down to depth 5, each with " +
    "what the member's own team has earned. By depth, then name. A customer who has no team: no items.",
  answer: success(z.array(TeamMember)),
  examples: () => [],
  failures: ["NotFound"],
  headers: { Link: LINK_NOTE },
};
