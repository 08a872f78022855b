import { expectThat } from "../expect.ts";
import { account } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

/** docs/contract/live.md, 4 */
export async function liveVersion(suite: Suite): Promise<Section> {
  const accountId = suite.accountId();
  const fed = async () => Number((await suite.feed(account(accountId))).headers.get("X-Feed-Version") ?? Number.NaN);

  return {
    cited: "live, 4",
    feeds: {
      "Each feed request that is committed adds one to the feed version. Every 200 of the feed has it in the header `X-Feed-Version`.":
        async () => {
          const [first, second] = [await fed(), await fed()];
          // Other clients may feed meanwhile.
          expectThat(second > first, `X-Feed-Version was ${first}, then ${second}`);
        },
    },
  };
}
