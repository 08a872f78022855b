import * as z from "zod";
import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Request } from "./schema.ts";

export const listRequests: Operation = {
  id: "requests",
  summary: "Requests",
  description:
    "Who sent what, and when: the requests that changed the program, oldest first, at most 500 a page. A page looks at 20,000 " +
    "requests, so it may be empty although more pages follow.",
  answer: success(z.array(Request)),
  examples: [
    {
      summary: "The requests of a system",
      query: { subject: "till-3" },
      answer: {
        status: true,
        items: [{ version: 812, at: "2026-11-28 09:00:00", source: "feed", subject: "till-3", lines: 40 }],
      },
    },
  ],
};
