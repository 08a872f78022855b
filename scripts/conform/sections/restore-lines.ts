import { expectInvalid } from "../expect.ts";
import type { Section, Suite } from "../suite.ts";

const PROGRAM = { record: "program", message_stamp: "2026-01-01 00:00:00", message_clock_said: "2026-01-01 00:00:00" };

/** docs/contract/restore.md, 2 */
export async function restoreLines(suite: Suite): Promise<Section> {
  return {
    cited: "restore, 2",
    feeds: {
      "Without `restore` these fields have the meaning that the feed gives them, and there is no record `program`.":
        async () => expectInvalid(await suite.send([PROGRAM]), "line 1.record"),
    },
  };
}
