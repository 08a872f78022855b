import { beforeEach, describe, it } from "vitest";
import { feed, feedWith, mustFeed, restore } from "../../support/api.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { snapshot, value } from "../../support/state.ts";
import { restoreToken, signToken } from "../../support/tokens.ts";
import { clock, messagesStored, mustRestore, NOW, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a restore token", () => {
  it("feeds an empty database, and one that was only restored", async ({ expect }) => {
    const first = await restore([seed.customer()]);
    const second = await restore([seed.customer()]);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get("X-Feed-Version")).toBe("2");
  });

  it.for([
    ["lines", [seed.customer()]],
    ["a line that changes nothing", [seed.deleted("customer", { id: "nobody" })]],
    ["no lines", []],
  ] as const)("feeds no database that was fed otherwise: %s", async ([, lines], { expect }) => {
    await mustRestore([seed.customer()]);
    await mustFeed(lines);
    const before = await snapshot();

    const refused = await restore([seed.customer(), clock()]);

    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ errorCode: "FORBIDDEN", message: expect.stringMatching(/^A restore token/) });
    expect(await snapshot()).toBe(before);
  });

  it("feeds a database for which every other request was refused", async ({ expect }) => {
    expect((await feed([seed.store("1")])).status).toBe(422);

    expect((await restore([seed.customer()])).status).toBe(200);
  });

  it("is told of bad lines before the database is asked", async ({ expect }) => {
    await mustFeed([]);

    expect((await restore([seed.customer({ first_name: 1 })])).status).toBe(422);
  });

  it("must cover all accounts", async ({ expect }) => {
    const token = await restoreToken({ accounts: ["1"] });

    const answer = await feedWith(token, [seed.account({ id: "1" })]);

    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain('"accounts": "*"');
  });

  it("needs the word feed too", async ({ expect }) => {
    const token = await signToken({ scope: "restore", sub: "tests", accounts: "*" });

    expect((await feedWith(token, [seed.customer()])).status).toBe(403);
  });

  it("wins no race against another feed", async ({ expect }) => {
    const lines = Array.from({ length: 6 }, () => seed.customer());

    const answers = await Promise.all(lines.map((line, at) => (at === 2 ? feed([line]) : restore([line]))));

    const live = answers[2]?.headers.get("X-Feed-Version");
    const restored = answers.filter((answer, at) => at !== 2 && answer.status === 200);
    expect(restored.every(({ headers }) => Number(headers.get("X-Feed-Version")) < Number(live))).toBe(true);
    expect(await value("SELECT version FROM program_state")).toBe(restored.length + 1);
  });
});

describe("without restore", () => {
  it("a recent time of a message is that of storing it, and its customer a member", async ({ expect }) => {
    const { customers, a, stranger, group } = talk();
    await mustFeed([...customers, group]);

    const refused = await feed([seed.message(group.id, stranger)]);
    await mustFeed([seed.message(group.id, a, { id: "m", sent_at: "2026-06-01 09:59:00" })]);

    expect(refused.body.messages).toEqual({ "line 1.customer_id": ["must be a member of the group"] });
    expect(await messagesStored()).toEqual([{ id: "m", sent_at: NOW }]);
  });

  it.for([[["a"]], [[]]])("a group has two members or more: %j", async ([member_ids], { expect }) => {
    const answer = await feed([seed.group(["a", "b"], { member_ids })]);

    expect(answer.body.messages["line 1.member_ids"]).toContain("must be 2 to 100 customers");
  });

  it("there is no record program", async ({ expect }) => {
    const answer = await feed([clock()]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.record"]);
  });
});
