import { type Answer, as, type FeedLine, restore } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

export const NOW = "2026-06-01 10:00:00";
export const LONG_AGO = "0000-01-01 00:00:00";

/** Restores lines that must be taken. */
export async function mustRestore(lines: readonly FeedLine[]): Promise<Answer> {
  const answer = await restore(lines);
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The line of kind `program`. It sets the clock by which messages get their times. */
export const clockLine = (fields: object = {}) => ({
  record: "program",
  message_stamp: "2026-05-01 10:00:00",
  message_clock_said: "2026-05-01 10:00:00",
  ...fields,
});

/** Three customers, and a group of the first two. */
export function groupAndCustomers() {
  const customers = [seed.customer(), seed.customer(), seed.customer()] as const;
  const [a, b, stranger] = [customers[0].id, customers[1].id, customers[2].id];
  const group = seed.group([a, b]);
  return { customers, a, b, stranger, group };
}

export const groupsOf = async (customerId: string) =>
  (await as(customerId).get("/api/v1/customer/messages")).body.items ?? [];

export const messagesStored = () => rows("SELECT id, sent_at FROM messages ORDER BY id");
export const programState = () => rows("SELECT stamp, clock_said FROM program_state");
