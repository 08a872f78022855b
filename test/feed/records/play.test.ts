import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage, rows } from "../../support/state.ts";

beforeAll(createPublicViews);

async function chain() {
  const account = seed.account();
  const [store, campaign, employee] = [seed.store(account.id), seed.eipCampaign(account.id), seed.employee(account.id)];
  return { account, store, campaign, employee, lines: [account, store, campaign, employee] };
}

async function row(table: string, id: unknown) {
  return env.DB.prepare(`SELECT * FROM public_${table} WHERE id = ?`).bind(id).first();
}

describe("the feed's employee, eip_campaign and play", () => {
  it("store what a line says, and the defaults for what it leaves out", async ({ expect }) => {
    await setClock("2026-05-10 12:00:00");
    const { account, store, campaign, employee, lines } = await chain();
    const bare = seed.play(campaign.id, store.id, employee.id);
    const given = { runs: "-1.5", hits: 4, doubles: 3, triples: 2, played_at: "2025-01-01 00:00:00" };
    const full = seed.play(campaign.id, store.id, employee.id, given);
    await mustFeed([bare, full, ...lines]);

    expect(await row("employees", employee.id)).toEqual({
      key: expect.any(Number),
      id: employee.id,
      account_key: expect.any(Number),
      account_id: account.id,
      name: "Babe Ruth",
      avatar: "",
      deleted: 0,
    });
    expect(await row("eip_campaigns", campaign.id)).toMatchObject({ start_date: "2020-01-01", end_date: null });
    expect(await row("plays", bare.id)).toMatchObject({
      runs: 0,
      hits: 0,
      doubles: 0,
      triples: 0,
      played_at: "2026-05-10 12:00:00",
    });
    expect(await row("plays", full.id)).toMatchObject({ ...given, runs: -150 });
  });

  it("count a play once by its id, in a request and over requests", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    const play = seed.play(campaign.id, store.id, employee.id, { hits: 2 });

    expect((await mustFeed([...lines, play, { ...play, hits: 5 }])).body.items).toEqual({ accepted: 5, ignored: 1 });
    expect((await mustFeed([{ ...play, eip_campaign_id: "none" }])).body.items).toEqual({ accepted: 0, ignored: 1 });
    const { results } = await env.DB.prepare("SELECT hits FROM public_play_totals WHERE location_id = ?")
      .bind(store.id)
      .all();
    expect(results).toEqual([{ hits: 2 }]);
  });

  it("correct a wrong play by one with negative counts and runs", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    const largest = { runs: "999999999999.99", hits: 999_999_999, doubles: 999_999_999, triples: 999_999_999 };
    const opposite = Object.entries(largest).map(([field, count]) => [
      field,
      typeof count === "string" ? `-${count}` : -count,
    ]);
    const add = (fields: object) => mustFeed([seed.play(campaign.id, store.id, employee.id, fields)]);
    const totals = () =>
      rows("SELECT runs, hits, doubles, triples FROM public_play_totals WHERE location_id = ?", store.id);
    await mustFeed(lines);

    await add(largest);
    await add(Object.fromEntries(opposite));
    const corrected = await totals();
    await add({ runs: "-0.5", hits: -1, doubles: -2, triples: -3 });

    expect(corrected).toEqual([{ runs: 0, hits: 0, doubles: 0, triples: 0 }]);
    expect(await totals()).toEqual([{ runs: -50, hits: -1, doubles: -2, triples: -3 }]);
  });

  it("touch a total once a request, however many plays there are", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    await mustFeed(lines);
    const plays = (count: number) =>
      Array.from({ length: count }, () => seed.play(campaign.id, store.id, employee.id, { hits: 1 }));
    const written = async (lines: Record<string, unknown>[]) => (await feedUsage(lines)).rowsWritten;

    const first = plays(500);
    expect(await written(first)).toBe(501);
    expect(await written(first)).toBe(0);
    expect(await written(plays(500))).toBe(501);
  });

  it("name a reference that is not stored, and a play's reference to another account other than the store", async ({
    expect,
  }) => {
    const [one, other] = [await chain(), await chain()];
    await mustFeed([...one.lines, ...other.lines]);

    const answer = await feed([
      seed.play("none", one.store.id, "none"),
      seed.play(one.campaign.id, "none", one.employee.id),
      seed.play(other.campaign.id, one.store.id, other.employee.id),
      seed.play(one.campaign.id, one.store.id, other.employee.id),
    ]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages).sort()).toEqual([
      "line 1.eip_campaign_id",
      "line 1.employee_id",
      "line 2.location_id",
      "line 3.eip_campaign_id",
      "line 3.employee_id",
      "line 4.employee_id",
    ]);
  });

  it("keep their account once written", async ({ expect }) => {
    const { campaign, employee, lines } = await chain();
    const other = seed.account();
    await mustFeed([...lines, other]);

    const answer = await feed([
      { ...employee, account_id: other.id },
      { ...campaign, account_id: other.id },
    ]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.account_id", "line 2.account_id"]);
  });

  it("are refused to a token that does not cover every account that they touch", async ({ expect }) => {
    const [one, other] = [await chain(), await chain()];
    const play = seed.play(one.campaign.id, one.store.id, one.employee.id);
    await mustFeed([...one.lines, ...other.lines, play]);
    const covered = [String(one.account.id)];
    const foreign = [
      other.employee,
      other.campaign,
      { ...other.employee, account_id: one.account.id },
      seed.play(other.campaign.id, one.store.id, one.employee.id),
      seed.deleted("employee", { id: other.employee.id }),
    ];

    expect((await feed([one.employee, one.campaign, play], covered)).status).toBe(200);
    for (const line of foreign) expect((await feed([line], covered)).status).toBe(403);
    expect((await feed([play], [String(other.account.id)])).status).toBe(403);
  });

  it("come back under their old totals when they are written again after a delete", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    await mustFeed([...lines, seed.play(campaign.id, store.id, employee.id, { hits: 1 })]);
    const deletes = [employee, campaign].map(({ record, id }) => seed.deleted(record, { id }));

    expect((await mustFeed(deletes)).body.items).toEqual({ accepted: 2, ignored: 0 });
    expect((await mustFeed(deletes)).body.items).toEqual({ accepted: 0, ignored: 2 });
    // What is soft-deleted still counts as stored, so that a late retry is not refused.
    await mustFeed([seed.play(campaign.id, store.id, employee.id, { hits: 2 })]);
    await mustFeed([employee, campaign]);
    const { results } = await env.DB.prepare("SELECT hits FROM public_play_totals WHERE location_id = ?")
      .bind(store.id)
      .all();
    expect(results).toEqual([{ hits: 3 }]);
  });

  it.for([
    [{ runs: 5 }, "runs"],
    [{ runs: "1.234" }, "runs"],
    [{ hits: -1_000_000_000 }, "hits"],
    [{ doubles: 1.5 }, "doubles"],
    [{ triples: "2" }, "triples"],
    [{ hits: 1_000_000_000 }, "hits"],
    [{ played_at: "2026-02-30 00:00:00" }, "played_at"],
    [{ employee_id: undefined }, "employee_id"],
    [{ deleted: true }, "deleted"],
  ] as const)("name the bad field of a play with %j", async ([fields, field], { expect }) => {
    const answer = await feed([seed.play("p", "s", "e", fields)]);

    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it.for([
    ["employee", { name: undefined }, "name"],
    ["employee", { avatar: 7 }, "avatar"],
    ["eip_campaign", { start_date: undefined }, "start_date"],
    ["eip_campaign", { end_date: "2026-13-01" }, "end_date"],
  ] as const)("name the bad field of an %s with %j", async ([record, fields, field], { expect }) => {
    const line = record === "employee" ? seed.employee("1", fields) : seed.eipCampaign("1", fields);

    expect(Object.keys((await feed([line])).body.messages)).toEqual([`line 1.${field}`]);
  });
});
