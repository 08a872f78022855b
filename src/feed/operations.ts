import * as z from "zod";
import { success } from "../openapi/describe.ts";
import type { Operation } from "../openapi/notes.ts";
import { inWords } from "../values/number.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "./limits.ts";
import { KINDS } from "./records/index.ts";
import type { Kind } from "./records/kind.ts";
import { Accepted } from "./schema.ts";

export const sendLines: Operation = {
  id: "sendLines",
  tag: "Feed",
  summary: "Feed records",
  description:
    `Takes one JSON object a line (NDJSON), each with its kind in \`record\`: at most ${inWords(LINE_LIMIT)} lines, ` +
    `${BODY_LIMIT.name}, and ${inWords(ITEM_LIMIT)} items of \`store_ids\` and \`member_ids\`. ` +
    "All or nothing: 200 means that every line is committed. State is upserted by its key. An event is stored once by " +
    "its `id`, so that a request may be sent again. The schema describes one line.",
  answer: success(Accepted),
  body: { mediaType: "application/x-ndjson", schema: z.lazy(() => z.union(KINDS.flatMap(lineSchemas))) },
  examples: () => [
    {
      summary: "One customer",
      body: { record: "customer", id: "ada", first_name: "Ada", last_name: "Lovelace" },
      answer: { status: true, items: { accepted: 1, ignored: 0 } },
    },
  ],
  headers: {
    "X-Feed-Version": {
      description: "How many feed requests have been committed, with this one.",
      example: "1042",
    },
  },
  failures: ["BrokenBody", "PayloadTooLarge", "InvalidLines"],
};

function lineSchemas(kind: Kind): z.ZodType[] {
  const name = kind.record.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  const record = z.literal(kind.record);
  const write = kind.fields.extend({ record }).meta({ id: `${name}Line` });
  if (kind.type === "event") return [write];
  const key = kind.fields.pick(Object.fromEntries(kind.keyFields.map((field) => [field, true])) as never);
  return [write, key.extend({ record, deleted: z.literal(true) }).meta({ id: `Deleted${name}Line` })];
}
