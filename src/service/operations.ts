import * as z from "zod";
import type { Operation } from "../openapi/notes.ts";
import { named, success } from "../openapi/success.ts";

/** The state of a healthy service. */
const Health = named("Health", {
  version: z.string().describe("The version of loyalty-edge."),
  database: z.literal("up").describe("D1 answers: its primary, and a replica."),
  cache: z.literal("up").describe("KV answers."),
});

export const health: Operation = {
  id: "health",
  summary: "Health",
  description:
    "Whether the database (D1: its primary, and a replica) and the cache (KV) answer within 2.5 seconds each, every " +
    "variable of the operator's is good, and no scheduled job is overdue by half an hour. 503 if not. The result is " +
    "cached for 5 seconds.",
  answer: success(Health),
  failures: ["Unavailable"],
  examples: [{ summary: "All is well" }],
};
