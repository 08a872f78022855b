import { expectSame } from "../expect.ts";
import { type Answer, exportedLines, type Item, linkOf } from "../http.ts";
import { account, eipCampaign } from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

/** docs/contract/export.md, 3 */
export async function exportLines(suite: Suite): Promise<Section> {
  const accountId = suite.accountId();

  /** The exported line of an eip_campaign: of these there are few. */
  const exported = async (id: string): Promise<Line | undefined> => {
    for (let address: string | undefined = "/api/v1/feed?record=eip_campaign"; address !== undefined; ) {
      const answer: Answer = await suite.http.send(address, { token: await suite.tokens.export() });
      const found = exportedLines(answer).find((line: Item) => line.id === id);
      if (found !== undefined) return found as Line;
      address = linkOf(answer, "next");
    }
    return undefined;
  };

  return {
    cited: "export, 3",
    lines: [account(accountId)],
    feeds: {
      "A line has every field of its kind, whether it was fed or filled in by default, in the order of its schema. So the same record gives the same bytes.":
        async () => {
          const id = suite.id("league");
          await suite.feed(eipCampaign(id, accountId, { name: "Café" }));
          const line = await exported(id);
          const { time_zone, ...fields }: Item = line ?? {};
          const whole = {
            record: "eip_campaign",
            id,
            account_id: accountId,
            name: "Café",
            start_date: "2020-01-01",
            end_date: null,
          };
          expectSame(fields, whole, "the line of an eip_campaign");
          if (line !== undefined) await suite.feed(line);
          expectSame(JSON.stringify(await exported(id)), JSON.stringify(line), "the line once it is fed again");
        },
    },
  };
}
