import type { Check, TillCoupon } from "loyalty-edge/till";
import { answerView, readAll, skeletonOf } from "../lib/answer-view.ts";
import type { View } from "../lib/app.ts";
import { type Child, endText, h, list } from "../lib/dom.ts";
import { outcomeOf } from "./outcome.ts";
import type { Visit } from "./till.ts";

/** The customer's coupons of the store's chain: redeem them, take a redemption back, or ask why one cannot be used. */
export function createTillCoupons({ till, holder, storeId, signal }: Visit): View {
  /** The latest redemption of each coupon in this visit, which can be reversed. */
  const redemptionIds = new Map<string, string>();
  const status = h("p", { class: "outcome", role: "status" });

  const coupons = answerView(signal, {
    ask: (call) => readAll(till.coupons.all(holder.id, { store_id: storeId }, { signal: call })),
    show: ({ items }) => {
      const isRedeemed = ({ id }: TillCoupon) => Number(redemptionIds.has(id));
      const redeemedFirst = items.toSorted((first, second) => isRedeemed(second) - isRedeemed(first));
      return list(redeemedFirst.map(drawCoupon));
    },
    empty: "The coupons that this customer can use at this chain will be here.",
    skeleton: skeletonOf("line", 3),
  });

  async function act(done: string, run: () => Promise<string | { remaining_count: number }>): Promise<void> {
    const outcome = await run();
    if (signal.aborted) return;
    status.replaceChildren(
      typeof outcome === "string" ? `Refused: ${outcome}` : `${done} ${outcome.remaining_count} left.`,
    );
    await coupons.refresh();
  }

  const redeem = (couponId: string) =>
    act("Redeemed.", async () => {
      const outcome = await outcomeOf(till.redeem({ customer_coupon_id: couponId, store_id: storeId }));
      if (typeof outcome !== "string") redemptionIds.set(couponId, outcome.redemption.id);
      return outcome;
    });
  const reverse = (couponId: string, redemption_id: string) =>
    act("Given back.", async () => {
      const outcome = await outcomeOf(till.reverse({ redemption_id, store_id: storeId }));
      if (typeof outcome !== "string") redemptionIds.delete(couponId);
      return outcome;
    });

  function drawCoupon({ id, name, redeemable, remaining_count, expected_end_date, expiration_date }: TillCoupon) {
    const redemptionId = redemptionIds.get(id);
    const reasons = h("div", { class: "reasons" });
    const explain = async () => {
      const outcome = await outcomeOf(till.explain({ customer_id: holder.id, customer_coupon_id: id }));
      reasons.replaceChildren(...(typeof outcome === "string" ? [outcome] : drawChecks(outcome.checks)));
    };
    const button = (act: string, label: string, click: () => unknown) =>
      h("button", { type: "button", "aria-label": `${label} ${name}`, "data-key": `${id}/${act}`, click }, label);
    const buttons = [
      ...(redemptionId === undefined ? [] : [button("reverse", "Reverse", () => reverse(id, redemptionId))]),
      redeemable ? button("use", "Redeem", () => redeem(id)) : button("use", "Why not?", explain),
    ];
    const about = `${remaining_count} left · ${endText(expected_end_date ?? expiration_date)}`;
    const text = h("div", {}, h("strong", {}, name), h("p", {}, about));
    return h("li", {}, h("div", { class: "row" }, text, h("div", { class: "acts" }, ...buttons)), reasons);
  }

  return { element: h("div", {}, status, coupons.element), refresh: coupons.refresh };
}

/** The conditions of a coupon: first those that do not hold, with the reason. */
function drawChecks(checks: readonly Check[]): Child[] {
  const failedFirst = checks.toSorted((first, second) => Number(first.holds) - Number(second.holds));
  return list(
    failedFirst.map(({ check, holds, detail }) => {
      const text = `${holds ? "✓" : "✗"} ${check.replaceAll("_", " ")}${detail === "" ? "" : `: ${detail}`}`;
      return h("li", { class: holds ? "hint" : "fault" }, text);
    }),
  );
}
