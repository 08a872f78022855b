import { programState } from "../../db/tables.ts";
import { Count } from "../../values/number.ts";
import { FedTime } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";
import { inTheFuture } from "./faults.ts";

/**
 * The clock of messages, and the horizon. A restore sets them, so that new messages are later than all messages that were
 * shown, and no event that was added up is fed again.
 */
export const program = defineKind(programState, {
  record: "program",
  fields: {
    message_stamp: FedTime.describe("The time of the newest messages."),
    message_clock_said: FedTime.describe("The time by the database's clock when it gave `message_stamp`."),
    horizon: FedTime.describe("Events from before this time are refused."),
    retention_steps: Count.describe("How often old events were added up and deleted."),
  },
  keyFields: [],
  isPermanent: true,
  columns: {
    id: { sql: "1" },
    stamp: { field: "message_stamp" },
    clock_said: { field: "message_clock_said" },
    horizon: greater("horizon"),
    retention_steps: greater("retention_steps"),
    is_open: { sql: "EXISTS (SELECT 1 FROM message_groups WHERE newest_at >= line.message_stamp)" },
  },
  moreLineFields: ["message_stamp", "message_clock_said", "horizon"],
  faults: [inTheFuture("message_stamp"), inTheFuture("message_clock_said"), inTheFuture("horizon")],
});

/** The field, or what is stored if that is greater: the horizon never moves back. */
function greater<Field extends string>(field: Field) {
  return { sql: `max(line.${field}, (SELECT ${field} FROM program_state))`, from: field };
}
