import { expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import { customer, group, message } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "messages";
const QUIET_WITHIN_SECONDS = 5;

const isQuiet = ({ headers }: Answer) => /trips;desc="?0"?/.test(headers.get("Server-Timing") ?? "");

/** docs/contract/live.md, 1 */
export async function livePolls(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const talk = suite.id("talk");
  const newest = "2026-01-05 09:00:00";
  const poll = (caller = ann, check_time = newest) => suite.get(caller, PATH, { check_time });

  return {
    cited: "live, 1",
    lines: [
      customer(ann.id),
      customer(ben.id),
      group(talk, [ann.id, ben.id]),
      message(suite.id("message"), talk, ben.id, "old", { sent_at: newest }),
    ],
    feeds: {
      "`Server-Timing` says 0 round trips.": async () => {
        await suite.until(() => poll(), isQuiet, QUIET_WITHIN_SECONDS);
        await suite.until(() => suite.get(eve, PATH), isQuiet, QUIET_WITHIN_SECONDS);
      },
      "From then on the inbox leaves polls to the database until their `check_time` has reached the message.":
        async () => {
          await suite.until(() => poll(), isQuiet, QUIET_WITHIN_SECONDS);
          const text = suite.id("news");
          await suite.feed(message(suite.id("message"), talk, ben.id, text));
          const next = await poll();
          expectThat(next.text.includes(text) || !isQuiet(next), "the poll after a new message is quiet");
          await suite.until(
            () => poll(),
            (answer) => answer.text.includes(text),
            15,
          );
        },
    },
  };
}
