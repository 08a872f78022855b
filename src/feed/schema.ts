import * as z from "zod";
import { listParameter } from "../values/parameter.ts";
import { CursorParameter } from "./export/cursor.ts";
import { EXPORTED, PROGRAM } from "./export/walks.ts";

const RecordName = z.enum(EXPORTED, { error: `must be one of ${EXPORTED.join(", ")}` });

/** The query of an export (docs/contract/export.md, 1). */
export const ExportQuery = z.object({
  record: listParameter(RecordName).optional().describe("Only records of these kinds; left out, all."),
  after: CursorParameter.optional().describe("Set in links to a next page only."),
});

/** The last line of an export: the clock of messages, which a restored program goes on from. */
export const ProgramLine = z
  .object({
    record: z.literal(PROGRAM),
    message_stamp: z.string().describe("The time of the newest messages."),
    message_clock_said: z.string().describe("What the database's clock said then."),
  })
  .meta({ id: "ProgramLine" });

/** What a feed request has come to. */
export const Accepted = z.object({
  accepted: z.int().meta({ description: "Lines that were taken." }),
  ignored: z.int().meta({ description: "Lines that changed nothing, such as a stored event." }),
});
export type Accepted = z.output<typeof Accepted>;
