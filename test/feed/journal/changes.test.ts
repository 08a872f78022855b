import { env } from "cloudflare:workers";
import { beforeEach, describe, it } from "vitest";
import { Database } from "../../../src/db/database.ts";
import { removeOldLines } from "../../../src/feed/changes/removal.ts";
import { feed, send } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { exportPage, nextPage } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { signToken } from "../../support/tokens.ts";

const CHANGES = "/api/v1/feed/changes";
const [account, otherAccount] = [seed.account(), seed.account()];
const [store, otherStore] = [seed.store(account.id), seed.store(otherAccount.id)];

async function changes(path: string, accounts: readonly unknown[] | "*" = "*") {
  const token = await signToken({ scope: "export", sub: "follower", accounts });
  return send(path, { headers: { Authorization: `Bearer ${token}` } });
}

/** Writes a row of the journal with a line, as a till or a customer will. */
async function write(source: "till" | "customer", line: object): Promise<number> {
  const [, inserted] = await env.DB.batch<{ version: number }>([
    env.DB.prepare("UPDATE program_state SET version = version + 1"),
    env.DB.prepare(
      `INSERT INTO requests (version, at, source, subject, lines, line)
       SELECT version, (SELECT now FROM clock), ?, 'somebody', 1, ? FROM program_state RETURNING version`,
    ).bind(source, JSON.stringify(line)),
  ]);
  return Number(inserted?.results[0]?.version);
}

const entryAt = (place: { id: string }, id: string) => ({
  record: "balance_entry",
  id,
  store_id: place.id,
  amount: "1.00",
});
const linesIn = ({ body }: { body: { line: { id: string } }[] }) => body.map(({ line }) => line.id);

describe("the changes", () => {
  beforeEach(async () => {
    await freshDatabase("2026-05-01 10:00:00");
    await feed([account, otherAccount, store, otherStore]);
  });

  it("begin now, and go on by the cursor in each answer", async ({ expect }) => {
    await write("till", entryAt(store, "before"));
    const start = await changes(CHANGES);
    const version = await write("till", entryAt(store, "one"));
    await feed([store]);
    await write("customer", { record: "block", customer_id: "a", blocked_id: "b" });

    const page = await changes(nextPage(start) ?? "");
    const none = await changes(nextPage(page) ?? "");

    expect(start.body).toEqual([]);
    expect(page.body[0]).toEqual({
      version,
      at: "2026-05-01 10:00:00",
      source: "till",
      subject: "somebody",
      line: entryAt(store, "one"),
    });
    expect(page.body).toHaveLength(2);
    expect(none.body).toEqual([]);
    expect((await changes(nextPage(none) ?? "")).status).toBe(200);
  });

  it("begin at the oldest line that is kept", async ({ expect }) => {
    await write("till", entryAt(store, "one"));
    await write("till", entryAt(store, "two"));

    expect(linesIn(await changes(`${CHANGES}?after=first`))).toEqual(["one", "two"]);
  });

  it("begin at the last row of the journal, even if the last request has none", async ({ expect }) => {
    await write("till", entryAt(store, "before"));
    await env.DB.prepare("UPDATE program_state SET version = version + 1").run();
    const [start, ofExport] = [await changes(CHANGES), await exportPage("/api/v1/feed?record=store")];
    await write("till", entryAt(store, "later"));
    const link = /<https?:\/\/[^/]+([^>]*)>; rel="changes"/.exec(ofExport.headers.get("Link") ?? "")?.[1] ?? "";

    expect(linesIn(await changes(nextPage(start) ?? ""))).toEqual(["later"]);
    expect(linesIn(await changes(link))).toEqual(["later"]);
  });

  it("of some accounts are the lines that name their stores", async ({ expect }) => {
    await write("till", entryAt(store, "own"));
    await write("till", entryAt(otherStore, "foreign"));
    await write("customer", { record: "message_state", group_id: "g", customer_id: "c" });

    const own = await changes(`${CHANGES}?after=first`, [account.id]);

    expect(linesIn(own)).toEqual(["own"]);
  });

  it("have at most 2,000 lines a page", async ({ expect }) => {
    await env.DB.prepare(
      `WITH RECURSIVE n(version) AS (SELECT 100 UNION ALL SELECT version + 1 FROM n WHERE version < 2_200)
       INSERT INTO requests (version, at, source, subject, lines, line)
       SELECT version, '2026-05-01 10:00:00', 'till', '', 1, json_object('id', 'l' || version) FROM n`,
    ).run();

    const first = await changes(`${CHANGES}?after=first`);
    const second = await changes(nextPage(first) ?? "");

    expect(first.body).toHaveLength(2_000);
    expect(linesIn(second)).toEqual(Array.from({ length: 101 }, (_, index) => `l${index + 2_100}`));
  });

  it("go on from the first page of an export", async ({ expect }) => {
    const page = await exportPage("/api/v1/feed?record=store,customer");
    const link = /<https?:\/\/[^/]+([^>]*)>; rel="changes"/.exec(page.headers.get("Link") ?? "")?.[1] ?? "";
    await write("till", entryAt(store, "later"));

    expect(linesIn(await changes(link))).toEqual(["later"]);
  });

  it.for<[what: string, change: string]>([
    ["another database", "UPDATE program_state SET database_id = 'another'"],
    ["a version that time travel has undone", "DELETE FROM requests WHERE version > 1"],
    ["a version of another time", "UPDATE requests SET at = '2026-05-02 10:00:00'"],
    ["a time before the lines that are kept", "UPDATE program_state SET changes_removed = version + 1"],
  ])("are answered 410 after a cursor of %s", async ([, change], { expect }) => {
    await write("till", entryAt(store, "one"));
    const start = await changes(CHANGES);
    await env.DB.prepare(change).run();

    const { status, body } = await changes(nextPage(start) ?? "");

    expect([status, body.errorCode]).toEqual([410, "START_AGAIN"]);
  });

  it("are kept for CHANGES_DAYS, and the rows of tills for ever", async ({ expect }) => {
    await write("customer", { record: "block", customer_id: "a", blocked_id: "b" });
    await write("till", entryAt(store, "old"));
    await write("customer", { record: "block", customer_id: "c", blocked_id: "d" });
    const follower = await changes(`${CHANGES}?after=first`);
    await setClock("2026-05-11 10:00:01");
    const recent = await write("till", entryAt(store, "recent"));

    const outcome = await removeOldLines(new Database(env.DB, "first-primary"), 10);

    expect(outcome).toEqual({ removed: 3, isDone: true });
    const left = await rows(
      "SELECT source, line IS NULL AS is_empty FROM requests WHERE source <> 'feed' ORDER BY version",
    );
    expect(left).toEqual([
      { source: "till", is_empty: 1 },
      { source: "customer", is_empty: 1 },
      { source: "till", is_empty: 0 },
    ]);
    const first = await changes(`${CHANGES}?after=first`);
    expect(first.body.map(({ version }: { version: number }) => version)).toEqual([recent]);
    expect((await changes(nextPage(first) ?? "")).status).toBe(200);
    expect((await changes(nextPage(follower) ?? "")).body.length).toBe(1);
    await setClock("2026-06-30 10:00:00");
    await write("till", entryAt(store, "last"));
    await removeOldLines(new Database(env.DB, "first-primary"), 10);
    expect((await changes(nextPage(follower) ?? "")).status).toBe(410);
  });

  it("need a token that exports", async ({ expect }) => {
    const token = await signToken({ scope: "feed", sub: "feeder", accounts: "*" });
    const { status } = await send(CHANGES, { headers: { Authorization: `Bearer ${token}` } });

    expect(status).toBe(403);
    expect((await changes(`${CHANGES}?after=made-up`)).status).toBe(422);
  });
});
