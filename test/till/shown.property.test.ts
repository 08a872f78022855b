import * as fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Row } from "../model/kinds.ts";
import { explain, heldUntil, hindrances } from "../model/till.ts";
import { Trial } from "../programs/trial.ts";
import { as } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { till } from "../support/till.ts";

// docs/contract/till.md, 3 and 4: what a list shows, what an explanation says, and what a till can redeem are one thing.

const STEPS = 5;
const ACTS_A_STEP = 8;
const COUPONS_A_STEP = 6;

const counts: Record<string, number> = {};
const note = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}));

const failed = (checks: Row[] = []) => checks.filter(({ holds }) => !holds).map(({ check }) => check);

/** A random program, with a till at every store. */
class Tills {
  readonly trial: Trial;
  readonly holds = new Map<string, { customer_coupon_id: string; held_until: string }>();
  #acts = 0;

  constructor(name: string) {
    this.trial = new Trial(name, "my-coupons");
  }

  /** Each act is of a till of its own, so that none asks too often. */
  get #till() {
    this.#acts += 1;
    return till({ sub: `till-${this.#acts}` });
  }

  /** The coupons whose customer is there, each with a store of its account. */
  get coupons(): { id: string; customer: string; store: string }[] {
    const { state } = this.trial.model;
    return state.all("customer_coupon").flatMap(({ id, customer_id, campaign_coupon_id }) => {
      const account_id = state.find("coupon", campaign_coupon_id)?.account_id;
      const [store] = state.allShown("store", { account_id });
      return state.current("customer", customer_id) && store ? [{ id, customer: customer_id, store: store.id }] : [];
    });
  }

  /** A till holds or redeems. It can exactly if the model says so, and otherwise hears why not. */
  async act(): Promise<void> {
    const { trial } = this;
    const { state } = trial.model;
    const usable = this.coupons.filter(({ id }) => explain(state, id, trial.now).length === 0);
    const coupon = trial.random.pick(usable.length > 0 && trial.random.next() < 0.7 ? usable : this.coupons);
    const held = [...this.holds].find(([, hold]) => hold.customer_coupon_id === coupon.id);
    const isHold = trial.random.next() < 0.5;
    const id = held !== undefined && !isHold && trial.random.next() < 0.5 ? held[0] : `act-${this.#acts}`;
    const expected = hindrances(trial.model.state, this.holds, { id, coupon: coupon.id }, trial.now);
    const body = { id, customer_coupon_id: coupon.id, store_id: coupon.store };
    const seconds = trial.random.integer(1, 3);
    const answer = isHold
      ? await this.#till.post("/holds", { ...body, seconds })
      : await this.#till.post("/redemptions", body);
    const what = `${isHold ? "hold" : "redemption"}${id === held?.[0] ? " of a hold" : ""}`;
    expect([answer.status, failed(answer.body.checks)], `${what} of ${coupon.id}`).toEqual([
      expected.length === 0 ? 200 : 422,
      expected,
    ]);
    note(`${what} ${answer.status}`);
    if (answer.status !== 200) return;
    if (isHold) {
      const held_until = heldUntil(trial.model.state, coupon.id, seconds, trial.now);
      expect(answer.body.items.held_until).toBe(held_until);
      this.holds.set(id, { customer_coupon_id: coupon.id, held_until });
    } else {
      this.holds.delete(id);
      trial.model.feed([{ record: "redemption", ...body, redeemed_at: trial.now }], { now: trial.now });
    }
  }

  /** The list of the app, the list of the till and the explanation agree on the coupon. */
  async check({ id, customer, store }: { id: string; customer: string; store: string }): Promise<void> {
    const { model, now } = this.trial;
    const expected = explain(model.state, id, now);
    const { body } = await as(customer).get("/api/v1/customer/my-coupons?per_page=100");
    const listed = [...(body.items?.store ?? []), ...(body.items?.mfg ?? [])].some((item: Row) => item.id === id);
    const query = new URLSearchParams({ customer_id: customer, customer_coupon_id: id });
    const explained = (await this.#till.get(`/explanations?${query}`)).body.items;
    const path = `/customers/${encodeURIComponent(customer)}/coupons?${new URLSearchParams({ store_id: store })}`;
    const atTill: Row | undefined = (await this.#till.get(path)).body.items.find((item: Row) => item.id === id);
    const hinders = hindrances(model.state, this.holds, { id: "of nobody", coupon: id }, now);

    expect({ listed, shown: explained.shown, failed: failed(explained.checks) }, id).toEqual({
      listed: expected.length === 0,
      shown: expected.length === 0,
      failed: expected,
    });
    expect(atTill?.redeemable ?? false, `${id} at the till`).toBe(hinders.length === 0);
    if (listed || atTill) expect(failed(atTill?.checks), `${id} at the till`).toEqual(hinders);
    note(`shown ${listed}, redeemable ${hinders.length === 0}`);
  }
}

describe("a coupon of a random program", () => {
  it("is shown, explained and redeemed by the same conditions", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (name) => {
        const tills = new Tills(`tills ${name}`);
        const { trial } = tills;
        await trial.begin();
        for (let step = 0; step < STEPS; step += 1) {
          await trial.change();
          for (let act = 0; act < ACTS_A_STEP; act += 1) await tills.act();
          for (const coupon of trial.random.sample(tills.coupons, COUPONS_A_STEP)) await tills.check(coupon);
          await trial.pass(trial.random.integer(0, 2));
        }
        expect(await differences()).toEqual([]);
      }),
      propertyRuns(2),
    );
  });

  it("is met in every case", () => {
    console.info(JSON.stringify(counts));
    const shown = ["shown true, redeemable true", "shown true, redeemable false", "shown false, redeemable false"];
    const acts = ["hold 200", "hold 422", "redemption 200", "redemption 422", "redemption of a hold 200"];
    for (const outcome of [...shown, ...acts]) expect(counts[outcome], outcome).toBeGreaterThan(0);
  });
});
