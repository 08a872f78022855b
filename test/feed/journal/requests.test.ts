import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { feed, feedWith, send } from "../../support/api.ts";
import { exportPage, exportPages } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { exportToken, signToken } from "../../support/tokens.ts";

const account = seed.account();
const store = seed.store(account.id);
const customer = seed.customer();
const friend = seed.customer();
const group = seed.group([customer, friend]);

const journal = async (query = "") =>
  send(`/api/v1/feed/requests${query}`, { headers: { Authorization: `Bearer ${await exportToken()}` } });
const feedAs = async (sub: string, ...lines: object[]) =>
  feedWith(await signToken({ scope: "feed", sub, accounts: "*" }), lines as Record<string, unknown>[]);
const versionsIn = ({ body }: { body: { items: { version: number }[] } }) => body.items.map(({ version }) => version);

/** Adds rows to the journal, as old requests would have. */
const addRequests = (first: number, last: number, subject: string) =>
  env.DB.prepare(
    `WITH RECURSIVE n(version) AS (SELECT ? UNION ALL SELECT version + 1 FROM n WHERE version < ?)
     INSERT INTO requests (version, at, source, subject, lines) SELECT version, '2026-01-01 00:00:00', 'feed', ?, 1 FROM n`,
  )
    .bind(first, last, subject)
    .run();

describe("the journal", () => {
  beforeAll(() => freshDatabase("2026-05-01 10:00:00"));

  it("has a row for each committed request, even if it changed nothing, and none for a refused one", async ({
    expect,
  }) => {
    const first = await feedAs("system one", account, store, customer);
    await feedAs("system one", { ...store, latitude: 91 });
    await feedAs("system two", account);

    const { body } = await journal();

    const at = "2026-05-01 10:00:00";
    const version = Number(first.headers.get("X-Feed-Version"));
    expect(body.items).toEqual([
      { version, at, source: "feed", subject: "system one", lines: 3 },
      { version: version + 1, at, source: "feed", subject: "system two", lines: 1 },
    ]);
  });

  it("says which request stored an event, and a repetition changes nothing of it", async ({ expect }) => {
    const [entry, later] = [seed.entry(customer, store, "1.00"), seed.entry(customer, store, "2.00")];
    const { headers } = await feedAs("till", entry, customer);
    await feedAs("till", entry, later);
    const version = headers.get("X-Feed-Version");

    const ofFirst = await exportPages(`/api/v1/feed?request=${version}`);
    const ofBoth = await exportPages(`/api/v1/feed?request=${version}-${Number(version) + 1}`);

    const idsIn = (pages: typeof ofFirst) => pages.flatMap(({ body }) => body).map(({ id }) => id);
    expect(idsIn(ofFirst)).toEqual([entry.id]);
    expect(idsIn(ofBoth).sort()).toEqual([entry.id, later.id].sort());
  });

  it("says it of messages too, also of those that a group shows", async ({ expect }) => {
    const messages = [1, 2, 3].map((hour) =>
      seed.message(group.id, customer.id, { sent_at: `2026-04-01 0${hour}:00:00` }),
    );
    await feed([friend, group]);
    const { headers } = await feed(messages);

    const pages = await exportPages(
      `/api/v1/feed?request=${headers.get("X-Feed-Version")}&record=message,balance_entry`,
    );

    const ids = pages.flatMap(({ body }) => body).map(({ id }) => id);
    expect(ids.sort()).toEqual(messages.map(({ id }) => id).sort());
  });

  it("is asked by time and by system", async ({ expect }) => {
    const all = await journal();
    const ofTwo = await journal("?subject=system%20two");

    expect(ofTwo.body.items).toEqual(
      all.body.items.filter(({ subject }: { subject: string }) => subject === "system two"),
    );
    expect(versionsIn(await journal("?from=2026-05-01T10:00:00Z&to=2026-05-01T10:00:00Z"))).toEqual(versionsIn(all));
    expect(versionsIn(await journal("?to=2026-05-01T09:59:59Z"))).toEqual([]);
    expect(versionsIn(await journal("?from=2026-05-01T10:00:01Z"))).toEqual([]);
    expect((await journal("?from=yesterday&after=1")).status).toBe(422);
    expect((await exportPage("/api/v1/feed?request=1-x")).status).toBe(422);
  });

  it("comes in pages of 500, and a page looks at 20,000 rows", async ({ expect }) => {
    await freshDatabase("2026-05-01 10:00:00");
    await addRequests(1, 600, "old");
    await addRequests(601, 20_600, "other");
    await addRequests(20_601, 20_601, "old");

    const first = await journal("?subject=old");
    const [, second = ""] = /<[^?]*([^>]*)>; rel="next"/.exec(first.headers.get("Link") ?? "") ?? [];
    const next = await journal(second);
    const [, third = ""] = /<[^?]*([^>]*)>; rel="next"/.exec(next.headers.get("Link") ?? "") ?? [];
    const last = await journal(third);

    expect(versionsIn(first)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
    expect(versionsIn(next)).toEqual(Array.from({ length: 100 }, (_, index) => index + 501));
    expect(versionsIn(last)).toEqual([20_601]);
    expect(last.headers.get("Link")).toBeNull();
  });
});
