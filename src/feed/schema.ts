import * as z from "zod";
import { named } from "../http/answer-schema.ts";
import { cursorParameter } from "../http/paging.ts";
import { listParameter, wordParameter } from "../values/parameter.ts";
import { codePoints, ID_LIMIT, Id, mustBe } from "../values/text.ts";
import { EXPORTED, type ExportCursor, type ExportScan, SCANS } from "./export/scans.ts";
import { columnType } from "./kind.ts";

const RecordName = wordParameter(EXPORTED, `must be one of ${EXPORTED.join(", ")}`);

const CursorParameter = cursorParameter(
  z
    .object({
      scan: z.string(),
      lastRow: z.array(z.union([z.string(), z.int()])).optional(),
      filter: z.object({ customer: z.string().optional(), request: z.string().optional() }),
      steps: z.int(),
    })
    .transform(({ scan: name, lastRow, ...cursor }): ExportCursor | undefined => {
      const scan = SCANS.find((candidate) => candidate.name === name);
      const isRow = scan !== undefined && (lastRow === undefined || fitsColumns(scan, lastRow));
      return isRow ? { ...cursor, scan, lastRow } : undefined;
    }),
);

/** Whether these values can be from the columns of the scan's order. */
function fitsColumns(scan: ExportScan, values: readonly (string | number)[]): boolean {
  const fits = (value: string | number, column = "") =>
    typeof value === columnType(scan, column) &&
    (typeof value !== "string" || (value !== "" && codePoints(value) <= ID_LIMIT));
  return values.length === scan.order.length && values.every((value, index) => fits(value, scan.order[index]));
}

const Versions = z
  .string({ error: mustBe("a version, or two") })
  .regex(/^\d{1,15}(-\d{1,15})?$/, "must be a version, or two with a hyphen between them");

/** The query of an export (docs/contract/export.md, 1). */
export const ExportQuery = z.object({
  record: listParameter(RecordName).optional().describe("Only records of these kinds; left out, all."),
  customer_id: Id.optional().describe("Only lines about this customer."),
  request: Versions.optional().describe("Only events that these requests stored, such as `812-815`."),
  after: CursorParameter,
});

export const Accepted = named("Accepted", {
  accepted: z.int().meta({ description: "Lines that were taken." }),
  ignored: z.int().meta({ description: "Events already stored, and deletes of records that were not there." }),
  warnings: z
    .array(z.string())
    .optional()
    .describe("The first ten fields that no record of their kind has. Left out if there are none."),
});
export type Accepted = z.output<typeof Accepted>;
