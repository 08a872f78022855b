import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { EXPORT, exportPage, exportPages, nextPage } from "../support/exporting.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { sendTo } from "../support/stalling.ts";
import { exportToken } from "../support/tokens.ts";

const LOST = new Error("D1_ERROR: Network connection lost.");
const session = Object.getPrototypeOf(env.DB.withSession());
const stored = program("faults");

beforeAll(() => mustFeed(stored.lines));
afterEach(() => vi.restoreAllMocks());

describe("an export", () => {
  it("goes on where the connection to the database is lost between two pages and comes back", async ({ expect }) => {
    const whole = await exportPages();
    const first = await exportPage();
    vi.spyOn(session, "batch").mockRejectedValueOnce(LOST).mockRejectedValueOnce(LOST);

    const second = await exportPage(nextPage(first));

    expect(second.status).toBe(200);
    expect(second.body).toEqual(whole[1]?.body);
  });

  it("says when to come back while the database is away, and the same cursor then goes on", async ({ expect }) => {
    const first = await exportPage();
    const away = vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));

    const refused = await exportPage(nextPage(first));
    away.mockRestore();
    const second = await exportPage(nextPage(first));

    expect([refused.status, refused.headers.get("Retry-After"), refused.body.errorCode]).toEqual([
      503,
      "2",
      "UNAVAILABLE",
    ]);
    expect(second.status).toBe(200);
  });

  it("takes the cursor of another deployment as a place, which X-Feed-Version tells apart", async ({ expect }) => {
    const cursor = encodeURIComponent(JSON.stringify({ scan: "store 1", after: [999_999_999] }));

    const { status, body, headers } = await exportPage(`${EXPORT}?after=${cursor}`);

    expect([status, body]).toEqual([200, []]);
    expect(Number(headers.get("X-Feed-Version"))).toBeGreaterThan(0);
  });

  it("has at most four pages made at a time", async ({ expect }) => {
    let [running, most] = [0, 0];
    const DB = databaseThrough(async ({ send }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return send();
    });
    const headers = { Authorization: `Bearer ${await exportToken()}` };

    const pages = await Promise.all(Array.from({ length: 10 }, () => sendTo({ DB }, EXPORT, { headers })));

    expect(pages.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(most).toBe(4);
  });

  it("gives whole pages of one state each while something is fed", async ({ expect }) => {
    const store = seed.store(stored.account.id);
    const people = Array.from({ length: 200 }, () => seed.customer());
    await mustFeed([store]);
    const feeding = Array.from({ length: 10 }, (_, index) => {
      const some = people.slice(index * 20, index * 20 + 20);
      return [...some, ...some.map(({ id }) => seed.membership(store.id, id))];
    });

    const [pages] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => exportPage(`${EXPORT}?record=membership`))),
      feeding.reduce((before, lines) => before.then(() => mustFeed(lines)), Promise.resolve<unknown>(undefined)),
    ]);

    const members = pages.map(({ body }) => body.filter((line: { store_id: unknown }) => line.store_id === store.id));
    expect(members.map(({ length }) => length % 20)).toEqual(members.map(() => 0));
    expect(pages.every(({ status }) => status === 200)).toBe(true);
  });
});
