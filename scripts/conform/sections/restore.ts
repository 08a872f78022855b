import { expectFailure } from "../expect.ts";
import { customer } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

/** docs/contract/restore.md, 1 */
export async function restore(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const token = (accounts: unknown) => suite.tokens.sign({ scope: "feed restore", sub: "conform", accounts });

  return {
    cited: "restore, 1",
    feeds: {
      "With a list of accounts the answer is 403.": async () => {
        expectFailure(await suite.send([], await token([suite.accountId()])), 403, "FORBIDDEN");
      },
      "Once a request without `restore` is committed, even one without lines, no restore is taken any more.":
        async () => {
          await suite.feed(customer(ann.id));
          expectFailure(await suite.send([customer(ann.id)], await token("*")), 403, "FORBIDDEN");
        },
    },
  };
}
