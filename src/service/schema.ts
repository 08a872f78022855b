import * as z from "zod";
import { named } from "../http/answer-schema.ts";

/** The state of a healthy service. */
export const Health = named("Health", {
  version: z.string().describe("The version of loyalty-edge."),
  commit: z.string().describe("The commit that was deployed, with a plus sign if files had changed; empty if unknown."),
  database: z.literal("up").describe("D1 answers: its primary, and a replica."),
  cache: z.literal("up").describe("KV answers."),
  program: z.string().describe("The name of the program: `ENVIRONMENT`."),
  database_id: z.string().describe("Tells the database of the program from all others. It is not D1's id."),
});
