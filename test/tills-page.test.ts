import { beforeAll, describe, it } from "vitest";
import page from "../docs/tills.md?raw";
import { demoLines } from "../scripts/program/program.ts";
import { type Answer, as, feed, mustFeed } from "./support/api.ts";
import { curlCommands, sendCurl } from "./support/curl.ts";
import * as seed from "./support/seed.ts";
import { till } from "./support/till.ts";
import { exportToken, tillToken } from "./support/tokens.ts";

// The commands and the lines of docs/tills.md, in their order, on the demo program.

const TILL = { sub: "till-3", stores: ["s101-1-1"] };

beforeAll(() => mustFeed(demoLines()));

describe("docs/tills.md", () => {
  it("shows commands that are all answered as it says", async ({ expect }) => {
    const tillAnswers: Answer[] = [];
    for (const command of curlCommands(page)) {
      const isTill = command.includes("$TOKEN");
      const answer = await sendCurl(command, isTill ? await tillToken(TILL) : await exportToken());
      if (isTill) tillAnswers.push(answer);
      else expect(answer.status, command).toBe(200);
    }

    const [holders, coupons, redeemed, booked, reversed, held, freed, explained] = tillAnswers.map(
      ({ body }) => body.items,
    );
    expect(holders).toMatchObject([{ id: "c1" }]);
    expect(coupons.find(({ id }: { id: string }) => id === "cc0-1-pastry")).toMatchObject({ redeemable: true });
    expect(coupons.find(({ redeemable }: { redeemable: boolean }) => !redeemable).checks).not.toEqual([]);
    expect(redeemed).toMatchObject({ redemption: { id: "till-3-0815" }, remaining_count: 1, repeated: false });
    expect(booked).toMatchObject({ entry: { amount: "4.50" }, repeated: false });
    expect(reversed).toMatchObject({ redemption: { reverses: "till-3-0815" }, remaining_count: 2 });
    expect(held).toMatchObject({ id: "order-77", repeated: false });
    expect(freed).toEqual({ freed: true, redeemed: false });
    expect(explained).toMatchObject({
      shown: false,
      checks: expect.arrayContaining([expect.objectContaining({ holds: false })]),
    });
  });

  it("shows lines that count once, whether a till or a backend sends them first", async ({ expect }) => {
    const [block = ""] = /(?<=```ndjson\n)[\s\S]*?(?=```)/.exec(page) ?? [];
    const [redemption, entry] = block
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { record: _, ...sent } = redemption;

    const online = await till(TILL).post("/redemptions", sent);
    const fed = await feed([redemption, entry]);
    const again = await till(TILL).post("/redemptions", sent);

    expect(online.body.items).toMatchObject({ remaining_count: 1, repeated: false });
    expect(fed.body.items).toEqual({ accepted: 1, ignored: 1 });
    expect(again.body.items).toMatchObject({ remaining_count: 1, repeated: true });
  });

  it("counts a use once: what a till redeemed is left out of the fed `usage_count`", async ({ expect }) => {
    const rows = page.split("\n").filter((line) => /^\| (?:your own|a till|you feed) /.test(line));
    const account = seed.account();
    const [store, coupon] = [seed.store(account.id), seed.coupon(account.id)];
    const customer = seed.customer({ id: "counted" });
    await mustFeed([account, store, customer, coupon]);
    const issued = seed.customerCoupon(customer.id, coupon.id, store.id, { total_count: 3 });
    const redemption = { customer_coupon_id: issued.id, store_id: store.id };
    let redeemed = 0;

    for (const row of rows) {
      const [usage_count, redemptions, shown, left] = row.split("|").slice(2).map(Number);
      await mustFeed([{ ...issued, usage_count }]);
      for (; redeemed < (redemptions ?? 0); redeemed += 1)
        expect((await till().post("/redemptions", { id: `use ${redeemed}`, ...redemption })).status).toBe(200);
      const { body } = await as(customer.id).get("/api/v1/customer/coupons");
      const counts = body.items?.map((item: object) => ({ ...item })) ?? [];

      if (left === 0) expect(body.errorCode, row).toBe("NO_ITEMS");
      else expect(counts, row).toMatchObject([{ usage_count: shown, remaining_count: left }]);
    }
    expect(rows).toHaveLength(4);
  });
});
