import { linkOf } from "../../lib/call.ts";
import { expectFailure, expectInvalid, expectSame, expectThat } from "../expect.ts";
import { exportedLines, type Item } from "../http.ts";
import { deletionOf, type Line } from "../lines.ts";
import { section } from "../suite.ts";

const FEED = "/api/v1/feed";
const MOST_LINES = 2_000;
const MOST_BYTES = 2 * 1_024 * 1_024;

export const exportPages = section("export, 1", ({ suite, ann, ben, seed, seedChain, it }) => {
  const exportPage = async (query = "") => suite.http.send(FEED + query, { token: await suite.tokens.export() });

  it("`GET /api/v1/feed` answers one page of an export: NDJSON (`application/x-ndjson`).", async () => {
    const answer = await exportPage();
    const contentType = answer.headers.get("Content-Type") ?? "";
    expectThat(/^application\/x-ndjson/.test(contentType), `the Content-Type is ${contentType}`);
    exportedLines(answer);
    expectThat(answer.text === "" || answer.text.endsWith("\n"), "the last line has no line feed");
  });
  it("A token without the scope `export` gets 403.", async () => {
    expectFailure(await suite.http.send(FEED, { token: ann.token }), 403, "FORBIDDEN");
    const limited = await suite.tokens.signMachine({ scope: "export", accounts: [suite.accountId()] });
    expectFailure(await suite.http.send(FEED, { token: limited }), 403, "FORBIDDEN");
  });
  it("A page has at most 2,000 lines, 2 MiB and 20,000 items of `store_ids` and `member_ids`.", async () => {
    const answer = await exportPage();
    expectThat(exportedLines(answer).length <= MOST_LINES, "a page has more lines");
    expectThat(new TextEncoder().encode(answer.text).length <= MOST_BYTES, "a page has more bytes");
  });
  it("An `after` that is not of a link is 422.", async () =>
    expectInvalid(await exportPage("?after=made-up"), "after"));
  it("An unknown kind is 422.", async () => expectInvalid(await exportPage("?record=customer,nothing"), "record"));
  it("`X-Feed-Version` on each page is how many feed requests the database had committed.", async () => {
    const version = (await exportPage("?record=account")).headers.get("X-Feed-Version");
    expectThat(/^\d+$/.test(version ?? ""), `X-Feed-Version is ${version}`);
  });

  const { shop } = seedChain(ann, ben);
  for (const caller of [ann, ben]) {
    seed.membership(shop, caller);
    seed.entry(caller, shop, "1.00", { description: "Welcome" });
  }
  seed.block(ben, ann);
  const talk = seed.group([ben, ann]);
  seed.message(talk, ann, "Hello");
  seed.message(talk, ben, "Hi");

  it("`customer_id` restricts the export to the lines about one customer.", async () => {
    const pages = await suite.pages(`${FEED}?customer_id=${ann.id}`, await suite.tokens.export());
    const exported = pages.flatMap(exportedLines);
    const kinds = ["customer", "membership", "message_group", "message", "balance_entry"].sort();
    expectSame(exported.map(({ record }) => record).sort(), kinds);
    const isAboutAnn = ({ id, customer_id, member_ids }: Item) => [id, customer_id, member_ids].flat().includes(ann.id);
    expectThat(exported.every(isAboutAnn), "a line is about somebody else");
  });
  it("A cursor of another customer is 422.", async () => {
    const next = new URL(linkOf(await exportPage(`?customer_id=${ann.id}`)) ?? "");
    next.searchParams.set("customer_id", ben.id);
    expectInvalid(await exportPage(next.search), "after");
  });
  it("`record` restricts the export to kinds.", async () => {
    const exported = exportedLines(await exportPage("?record=customer,account"));
    const otherLine = exported.find(({ record }) => record !== "customer" && record !== "account");
    expectSame(otherLine?.record, undefined);
  });
});

/** Some kinds of record, in the order of an export. */
const KIND_ORDER = ["account", "store", "campaign", "customer", "coupon", "employee", "eip_campaign", "message_group"];

export const exportOrder = section("export, 2", ({ suite, seed, it }) => {
  it("Records come kind by kind, those that others refer to first.", async () => {
    const answer = await suite.http.send(FEED, { token: await suite.tokens.export() });
    const kinds = [...new Set(exportedLines(answer).map(({ record }) => String(record)))];
    const expected = KIND_ORDER.filter((kind) => kinds.includes(kind));
    const actual = kinds.filter((kind) => KIND_ORDER.includes(kind));
    expectSame(actual, expected);
  });

  const chain = seed.account();
  const [player, league] = [seed.employee(chain, "Ada"), seed.eipCampaign(chain)];

  it("It is deleted again on a later page, after all lines of records, because nothing may refer to an erased customer. The kinds come in reversed order. No page has both lines of records and lines that delete.", async () => {
    await suite.feed(deletionOf(player), deletionOf(league));
    const answers = await suite.pages(`${FEED}?record=employee,eip_campaign`, await suite.tokens.export());
    const pages = answers.map(exportedLines);
    const ownLines = pages.flat().filter(({ id }) => id === player.id || id === league.id);
    const actual = ownLines.map(({ id, deleted: deletes = false }) => ({ id, deletes }));
    expectSame(actual, [
      { id: player, deletes: false },
      { id: league, deletes: false },
      { id: league, deletes: true },
      { id: player, deletes: true },
    ]);
    for (const page of pages) {
      const deletions = page.filter((line) => "deleted" in line).length;
      expectThat(deletions === 0 || deletions === page.length, "a page has lines of records and deletions");
    }
  });
});

export const exportLines = section("export, 3", ({ suite, seed, make, it }) => {
  const chain = seed.account();

  /** The exported line of an eip_campaign. There are few records of this kind, so the export is short. */
  const exportedLeague = async ({ id }: Line): Promise<Line | undefined> => {
    const pages = await suite.pages(`${FEED}?record=eip_campaign`, await suite.tokens.export());
    return pages.flatMap(exportedLines).find((line) => line.id === id) as Line | undefined;
  };

  it("A line has every field of its kind, whether it was fed or filled in by default, in the order of its schema. So the same record gives the same bytes.", async () => {
    const league = make.eipCampaign(chain, { name: "Café" });
    await suite.feed(league);
    const line = await exportedLeague(league);
    const { record, time_zone, ...fields }: Item = line ?? {};
    const { record: _, ...fedFields } = league;
    expectSame(fields, { ...fedFields, end_date: null });
    if (line !== undefined) await suite.feed(line);
    expectSame(JSON.stringify(await exportedLeague(league)), JSON.stringify(line));
  });
});

export const restore = section("restore, 1", ({ suite, ann, make, it }) => {
  const token = (accounts: unknown, scope = "feed restore") => suite.tokens.signMachine({ scope, accounts });

  it('The token has both words `feed restore` in its `scope`, and `"accounts": "*"`.', async () =>
    expectFailure(await suite.send([], await token("*", "restore")), 403, "FORBIDDEN"));
  it("With a list of accounts the answer is 403.", async () =>
    expectFailure(await suite.send([], await token([suite.accountId()])), 403, "FORBIDDEN"));
  it("Once a request without `restore` is committed, even one without lines, no restore is taken.", async () => {
    await suite.feed(make.caller(ann));
    expectFailure(await suite.send([make.caller(ann)], await token("*")), 403, "FORBIDDEN");
  });
});

const PROGRAM_LINE = {
  record: "program",
  message_stamp: "2026-01-01 00:00:00",
  message_clock_said: "2026-01-01 00:00:00",
  horizon: "2026-01-01 00:00:00",
  retention_steps: 0,
};

export const restoreLines = section("restore, 2", ({ suite, it }) => {
  it("A feed takes no record `program`.", async () => expectInvalid(await suite.send([PROGRAM_LINE]), "line 1.record"));
});
