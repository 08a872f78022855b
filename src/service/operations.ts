import { success } from "../http/answer-schema.ts";
import type { Operation } from "../openapi/notes.ts";
import { Health } from "./schema.ts";

export const health: Operation = {
  id: "health",
  summary: "Health",
  description:
    "Whether the database (D1: its primary, and a replica) and the cache (KV) answer within 2.5 seconds each, every " +
    "binding is there, every variable and secret of the operator's is good, and no scheduled job is overdue by half an hour. 503 if not. The result is " +
    "cached for 5 seconds.",
  answer: success(Health),
  failures: ["Unavailable"],
  examples: [
    {
      summary: "All is well",
      answer: {
        status: true,
        items: {
          version: "0.1.0",
          commit: "504a982d9179",
          database: "up",
          cache: "up",
          program: "production",
          database_id: "5d41402abc4b2a76b9719d911017c592",
        },
      },
    },
  ],
};
