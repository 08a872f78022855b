import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { success } from "../openapi/describe.ts";
import type { Operation } from "../openapi/notes.ts";
import { Health } from "./schema.ts";

export const health: Operation = {
  id: "health",
  tag: "Service",
  summary: "Health",
  description:
    "Whether the database (D1: its primary, and a replica) and the cache (KV) answer within 2.5 seconds each. 503 if one " +
    "does not. An answer is remembered for 5 seconds.",
  answer: success(Health),
  examples: () => [
    {
      summary: "All is well",
      answer: { status: true, items: { version: packageJson.version, database: "up", cache: "up" } },
    },
  ],
};

export const openApi: Operation = {
  id: "openApi",
  tag: "Service",
  summary: "OpenAPI document",
  description: "The OpenAPI document that the reference page shows and that clients are generated from.",
  answer: z.looseObject({
    openapi: z.literal("3.1.0"),
    info: z.looseObject({ title: z.string(), version: z.string() }),
  }),
  examples: () => [
    {
      summary: "Its beginning",
      answer: { openapi: "3.1.0", info: { title: "loyalty-edge", version: packageJson.version } },
    },
  ],
};
