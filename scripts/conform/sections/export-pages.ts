import { expectFailure, expectInvalid, expectThat } from "../expect.ts";
import { exportedLines } from "../http.ts";
import { account } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const FEED = "/api/v1/feed";
const MOST_LINES = 2_000;
const MOST_BYTES = 2 * 1_024 * 1_024;

/** docs/contract/export.md, 1 */
export async function exportPages(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const accountId = suite.accountId();

  const page = async (query = "") => suite.http.send(FEED + query, { token: await suite.tokens.export() });
  return {
    cited: "export, 1",
    reads: {
      "`GET /api/v1/feed` answers one page of an export: NDJSON (`application/x-ndjson`), each line ended by a line feed.":
        async () => {
          const answer = await page();
          expectThat(
            /^application\/x-ndjson/.test(answer.headers.get("Content-Type") ?? ""),
            "the Content-Type is another",
          );
          exportedLines(answer);
          expectThat(answer.text === "" || answer.text.endsWith("\n"), "the last line has no line feed");
        },
      "Any other answers 403.": async () => {
        expectFailure(await suite.http.send(FEED, { token: ann.token }), 403, "FORBIDDEN");
        const limited = await suite.tokens.sign({ scope: "export", sub: "conform", accounts: [accountId] });
        expectFailure(await suite.http.send(FEED, { token: limited }), 403, "FORBIDDEN");
      },
      "**A page** has at most 2,000 lines, 2 MiB and 20,000 items of `store_ids` and `member_ids`, so one feed request takes it.":
        async () => {
          const answer = await page();
          expectThat(exportedLines(answer).length <= MOST_LINES, "a page has more lines");
          expectThat(new TextEncoder().encode(answer.text).length <= MOST_BYTES, "a page has more bytes");
        },
      "Any that is not of such a link is 422, and so is one of other kinds.": async () => {
        expectInvalid(await page("?after=made-up"), "after");
      },
      "An unknown one is 422.": async () => expectInvalid(await page("?record=customer,nothing"), "record"),
      "**`X-Feed-Version`** on each page is how many feed requests the database had committed": async () => {
        const version = (await page("?record=account")).headers.get("X-Feed-Version");
        expectThat(/^\d+$/.test(version ?? ""), `X-Feed-Version is ${version}`);
      },
    },
    lines: [account(accountId)],
    feeds: {
      "**`record=customer,store`** restricts the export to kinds": async () => {
        const kinds = new Set(exportedLines(await page("?record=customer,account")).map(({ record }) => record));
        expectThat(
          [...kinds].every((kind) => kind === "customer" || kind === "account"),
          `it has ${[...kinds].join(", ")}`,
        );
      },
    },
  };
}
