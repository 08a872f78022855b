import * as z from "zod";
import type { Kind } from "../db/kind.ts";
import { success } from "../http/answer-schema.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT, NDJSON } from "../http/limits.ts";
import { pascalCase } from "../openapi/json-schema.ts";
import type { Operation } from "../openapi/notes.ts";
import { EXPORTED_KINDS, KINDS } from "../records/index.ts";
import { program } from "../records/program.ts";
import { withCommas } from "../values/number.ts";
import { isDeletable } from "./kind.ts";
import { Accepted } from "./schema.ts";

export const sendLines: Operation = {
  id: "sendLines",
  summary: "Feed",
  description:
    `Takes one JSON object a line (NDJSON), each with its kind in \`record\`: at most ${withCommas(LINE_LIMIT)} lines, ` +
    `${BODY_LIMIT.name}, and ${withCommas(ITEM_LIMIT)} items of \`store_ids\` and \`member_ids\`. ` +
    "All or nothing: 200 means that every line is committed. A record is written anew by its key. An event (balance entry, " +
    "token earning, play, message) is stored once by its `id`, so that a request may be sent again; a message that is deleted loses its body. The schema describes one line.",
  answer: success(Accepted),
  body: { mediaType: NDJSON, schema: z.union(KINDS.flatMap(lineSchemas)) },
  examples: [
    { summary: "One customer", body: { record: "customer", id: "ada", first_name: "Ada", last_name: "Lovelace" } },
  ],
  headers: ["X-Feed-Version"],
  failures: ["BrokenBody", "RequestTimeout", "PayloadTooLarge", "TooMuchForDatabase", "InvalidLines", "DatabaseFull"],
};

export const exportRecords: Operation = {
  id: "exportRecords",
  summary: "Export",
  description:
    "Gives everything that was fed, as lines that the feed takes, page by page; the header `Link` leads to the next. " +
    `A page has at most ${withCommas(LINE_LIMIT)} lines, ${BODY_LIMIT.name}, and ${withCommas(ITEM_LIMIT)} items of lists. ` +
    "A record that was deleted and still matters comes like any other; a line on a later page deletes it again. The schema describes one line.",
  answer: z.union([...EXPORTED_KINDS, program].flatMap(lineSchemas)),
  answerForm: "lines",
  examples: [{ summary: "Contests of employees", query: { record: "eip_campaign" } }],
  headers: ["X-Feed-Version"],
};

function lineSchemas(kind: Kind): z.ZodType[] {
  const name = pascalCase(kind.record);
  // A line that says more in an export than in a feed has a schema of its own.
  const fed = KINDS.find(({ record }) => record === kind.record) ?? kind;
  const lineName = fed === kind ? name : `Exported${name}`;
  const record = z.literal(kind.record);
  const written = kind.fields.extend({ record }).meta({ id: `${lineName}Line` });
  if (!isDeletable(kind)) return [written];
  const deleted = kind.keySchema.extend({ record, deleted: z.literal(true) }).meta({ id: `Deleted${name}Line` });
  return [written, deleted];
}
