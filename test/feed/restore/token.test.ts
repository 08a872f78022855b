import { beforeEach, describe, it } from "vitest";
import { feed, feedWith, mustFeed, restore } from "../../support/api.ts";
import { feedTo, senderTo, sendTo } from "../../support/bindings.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { snapshot, value } from "../../support/state.ts";
import { exportToken, restoreToken, signToken } from "../../support/tokens.ts";
import { clockLine, mustRestore, NOW } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a restore token", () => {
  it("feeds a database that has taken no other feed: empty, restored, or after a refused feed", async ({ expect }) => {
    const first = await restore([seed.customer()]);
    const refusedFeed = await feed([seed.store("1")]);
    const second = await restore([seed.customer()]);

    expect([first.status, refusedFeed.status, second.status]).toEqual([200, 422, 200]);
    expect(second.headers.get("X-Feed-Version")).toBe("2");
  });

  it.for([
    ["lines", [seed.customer()]],
    ["a line that changes nothing", [seed.deleted("customer", { id: "nobody" })]],
    ["no lines", []],
  ] as const)("is refused once the database has taken another feed: %s", async ([, lines], { expect }) => {
    await mustRestore([seed.customer()]);
    await mustFeed(lines);
    const stateBefore = await snapshot();

    const lateRestore = await restore([seed.customer(), clockLine()]);
    const invalidRestore = await restore([seed.customer({ first_name: 1 })]);

    expect([lateRestore.status, invalidRestore.status]).toEqual([403, 422]);
    expect(lateRestore.body).toMatchObject({
      errorCode: "FORBIDDEN",
      message: expect.stringMatching(/^A restore token/),
    });
    expect(await snapshot()).toBe(stateBefore);
  });

  it("is refused once a simultaneous feed has committed", async ({ expect }) => {
    const lines = Array.from({ length: 6 }, () => seed.customer());

    const answers = await Promise.all(lines.map((line, index) => (index === 2 ? feed([line]) : restore([line]))));

    const feedVersion = answers[2]?.headers.get("X-Feed-Version");
    const restoreAnswers = answers.filter((answer, index) => index !== 2 && answer.status === 200);
    expect(restoreAnswers.every(({ headers }) => Number(headers.get("X-Feed-Version")) < Number(feedVersion))).toBe(
      true,
    );
    expect(await value("SELECT version FROM program_state")).toBe(restoreAnswers.length + 1);
  });
});

describe('FEED = "restore"', () => {
  const closed = { FEED: "restore" };

  it("closes the service for every feed but a restore, and for no read", async ({ expect }) => {
    const send = senderTo(closed);
    const restored = await feedWith(await restoreToken(), [seed.customer()], send);
    const fed = await feedTo(closed, [seed.customer()]);
    const undone = await feedWith(await signToken({ scope: "feed export", sub: "tests", accounts: "*" }), [], send);
    const headers = { Authorization: `Bearer ${await exportToken()}` };
    const exported = await sendTo(closed, "/api/v1/feed", { headers });
    const reopened = await feed([seed.customer()]);

    expect([restored, fed, undone, exported, reopened].map(({ status }) => status)).toEqual([200, 503, 503, 200, 200]);
    expect(fed.headers.get("Retry-After")).toBe("60");
    expect(fed.body).toEqual({
      status: false,
      errorCode: "UNAVAILABLE",
      message: "The service takes only a restore now. Send this again later.",
    });
  });
});
