import { type Answer, type FeedLine, restore } from "../../support/api.ts";

export const NOW = "2026-06-01 10:00:00";

/** Restores lines that must be taken. */
export async function mustRestore(lines: readonly FeedLine[]): Promise<Answer> {
  const answer = await restore(lines);
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The line of kind `program`. It sets the clock by which messages get their times, and the horizon. */
export const clockLine = (fields: object = {}) => ({
  record: "program",
  message_stamp: "2026-05-01 10:00:00",
  message_clock_said: "2026-05-01 10:00:00",
  horizon: "2026-04-01 00:00:00",
  retention_steps: 1,
  ...fields,
});
