import { linkOf } from "../../lib/call.ts";
import { expectFailure, expectInvalid, expectSame, expectThat } from "../expect.ts";
import { exportedLines, itemsOf } from "../http.ts";
import { section } from "../suite.ts";

const FEED = "/api/v1/feed";

export const requests = section("requests, 2", ({ suite, ann, seedChain, make, it }) => {
  const { shop } = seedChain(ann);
  const ask = async (query: string) => suite.http.send(FEED + query, { token: await suite.tokens.export() });

  it("`GET /api/v1/feed/requests` gives who sent what, and when.", async () => {
    const { headers } = await suite.feed(make.entry(ann, shop, "1.00"), make.entry(ann, shop, "2.00"));
    const version = Number(headers.get("X-Feed-Version"));
    const after = encodeURIComponent(JSON.stringify({ version: version - 1 }));
    const row = itemsOf(await ask(`/requests?after=${after}`)).find((item) => item.version === version);
    expectSame([row?.source, row?.lines], ["feed", 2]);
    expectThat(typeof row?.at === "string" && row.subject !== "", "the row does not say who sent it, and when");
  });
  it("`GET /api/v1/feed?request=812-815` gives the events that these requests stored.", async () => {
    const entry = make.entry(ann, shop, "3.00");
    const version = (await suite.feed(entry, shop)).headers.get("X-Feed-Version");
    const pages = await suite.pages(`${FEED}?request=${version}-${version}`, await suite.tokens.export());
    expectSame(
      pages.flatMap(exportedLines).map(({ id }) => id),
      [entry.id],
    );
  });
  it("`GET /api/v1/feed/changes` always has the next cursor.", async () => {
    const answer = await ask("/changes");
    exportedLines(answer);
    const next = new URL(linkOf(answer) ?? "");
    exportedLines(await ask(`/changes${next.search}`));
  });
  it("A cursor after which lines may be missing is 410.", async () => {
    const cursor = JSON.stringify({ database: "another", version: 0, at: "" });
    expectFailure(await ask(`/changes?after=${encodeURIComponent(cursor)}`), 410, "START_AGAIN");
    expectInvalid(await ask("/changes?after=made-up"), "after");
  });
  it("The first page of an export has the cursor to go on from.", async () => {
    const cursor = linkOf(await ask("?record=account"), "changes");
    exportedLines(await ask(`/changes${new URL(cursor ?? "").search}`));
  });
  it("They need a token with `export` in its `scope`.", async () => {
    for (const path of ["/requests", "/changes"])
      expectFailure(await suite.http.send(FEED + path, { token: ann.token }), 403, "FORBIDDEN");
  });
});
