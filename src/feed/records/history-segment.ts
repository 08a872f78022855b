import * as z from "zod";
import { historySegments } from "../../db/tables.ts";
import { mustBe } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";
import { inTheFuture } from "./faults.ts";

const text = (pattern: RegExp, what: string) => z.string({ error: mustBe(what) }).regex(pattern, `must be ${what}`);
const size = z.int({ error: mustBe("a whole number") }).min(1, "must be at least 1");

/** A segment of history (docs/contract/history.md, 2). Only a restore may send it; `npm run history` copies its object. */
export const historySegment = defineKind(historySegments, {
  record: "history_segment",
  fields: {
    kind: z.enum(["balance_entry", "token_earning", "play", "message"], { error: mustBe("a kind of event") }),
    month: text(/^\d{4}-\d{2}$/, "a month, YYYY-MM"),
    segment_no: size,
    name: text(/^[a-z_]+\/\d{4}-\d{2}\/\d+\.ndjson\.gz$/, "the name of a segment's object"),
    lines: size,
    bytes: size,
    sha256: text(/^[0-9a-f]{64}$/, "a SHA-256 in hexadecimal"),
    oldest: Datetime,
    newest: Datetime,
    // Texts, because a JavaScript number is not exact for the sum of a thousand of the largest amounts.
    sums: z.record(z.string(), text(/^-?\d{1,18}$/, "a whole number as a string"), { error: mustBe("an object") }),
  },
  rules: ({ kind, month, segment_no, name }) =>
    name === `${kind}/${month}/${segment_no}.ndjson.gz` ? {} : { name: ["must be made of its kind, month and number"] },
  key: ["kind", "month", "number"],
  keyFields: ["kind", "month", "segment_no"],
  isPermanent: true,
  columns: {
    number: { field: "segment_no" },
    sums: {
      sql: "(SELECT json_group_object(key, CAST(value AS INTEGER)) FROM json_each(line.sums))",
      from: "sums",
    },
  },
  moreLineFields: ["oldest", "newest"],
  faults: [inTheFuture("month"), inTheFuture("oldest"), inTheFuture("newest")],
  readBack: {
    sums: {
      sql: "(SELECT json_group_object(key, CAST(value AS TEXT)) FROM json_each(history_segments.sums))",
      isJson: true,
    },
  },
});
