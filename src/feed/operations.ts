import * as z from "zod";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT, NDJSON } from "../http/limits.ts";
import type { Operation } from "../openapi/notes.ts";
import { success } from "../openapi/success.ts";
import { inWords } from "../values/number.ts";
import { EXPORTED_KINDS, KINDS } from "./records/index.ts";
import type { Kind } from "./records/kind.ts";
import { Accepted, ProgramLine } from "./schema.ts";

const LINK_EXAMPLE = '<https://loyalty.example/api/v1/feed?after=eyJ3YWxrIjoic3RvcmUgMSJ9>; rel="next"';

export const sendLines: Operation = {
  id: "sendLines",
  tag: "Feed",
  summary: "Feed",
  description:
    `Takes one JSON object a line (NDJSON), each with its kind in \`record\`: at most ${inWords(LINE_LIMIT)} lines, ` +
    `${BODY_LIMIT.name}, and ${inWords(ITEM_LIMIT)} items of \`store_ids\` and \`member_ids\`. ` +
    "All or nothing: 200 means that every line is committed. State is upserted by its key. An event is stored once by " +
    "its `id`, so that a request may be sent again. The schema describes one line.",
  answer: success(Accepted),
  body: { mediaType: NDJSON, schema: z.lazy(() => z.union(KINDS.flatMap(lineSchemas))) },
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
  failures: ["BrokenBody", "RequestTimeout", "PayloadTooLarge", "InvalidLines", "DatabaseFull"],
};

export const exportRecords: Operation = {
  id: "exportRecords",
  tag: "Feed",
  summary: "Export",
  description:
    "Gives everything that was fed, as lines that the feed takes, page by page; the header `Link` leads to the next. " +
    `A page has at most ${inWords(LINE_LIMIT)} lines and ${BODY_LIMIT.name}. What was deleted and still matters ` +
    "comes as its line, and is deleted again on a later page. The schema describes one line.",
  lines: z.lazy(() => z.union([...EXPORTED_KINDS.flatMap(lineSchemas), ProgramLine])),
  examples: () => [
    {
      summary: "Contests",
      query: { record: "eip_campaign" },
      answer: {
        record: "eip_campaign",
        id: "eip-101",
        account_id: "101",
        name: "Upsell league",
        start_date: "2024-01-01",
        end_date: null,
        time_zone: "UTC",
      },
    },
  ],
  headers: {
    Link: { description: "The address of the next page, if there is one (RFC 8288).", example: LINK_EXAMPLE },
    "X-Feed-Version": {
      description:
        "How many feed requests have been committed. The same on all pages: nothing was fed while they were read.",
      example: "1042",
    },
  },
};

function lineSchemas(kind: Kind): z.ZodType[] {
  const name = kind.record.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  // One that says more in an export is another schema.
  const own = KINDS.includes(kind) ? name : `Exported${name}`;
  const record = z.literal(kind.record);
  const write = kind.fields.extend({ record }).meta({ id: `${own}Line` });
  if (kind.type === "event") return [write];
  return [write, kind.keySchema.extend({ record, deleted: z.literal(true) }).meta({ id: `Deleted${name}Line` })];
}
