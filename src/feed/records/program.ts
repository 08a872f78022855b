import { programState } from "../../db/tables.ts";
import { FedTime } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";
import { inTheFuture } from "./faults.ts";

/** The clock of messages. A restore sets it, so that new messages are later than all messages that were shown. */
export const program = defineKind(programState, {
  record: "program",
  fields: {
    message_stamp: FedTime.describe("The time of the newest messages."),
    message_clock_said: FedTime.describe("The time by the database's clock when it gave `message_stamp`."),
  },
  keyFields: [],
  isPermanent: true,
  columns: {
    id: { sql: "1" },
    stamp: { field: "message_stamp" },
    clock_said: { field: "message_clock_said" },
    is_open: { sql: "EXISTS (SELECT 1 FROM message_groups WHERE newest_at >= line.message_stamp)" },
  },
  moreLineFields: ["message_stamp", "message_clock_said"],
  faults: [inTheFuture("message_stamp"), inTheFuture("message_clock_said")],
});
