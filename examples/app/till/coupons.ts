import type { Check, TillCoupon } from "loyalty-edge/till";
import { answerView, readAll, skeletonOf } from "../lib/answer-view.ts";
import type { View } from "../lib/app.ts";
import { type Child, dayOf, endText, h, list } from "../lib/dom.ts";
import { endOf } from "../views/coupons.ts";
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

  function drawCoupon(coupon: TillCoupon): HTMLElement {
    const { id, name, redeemable, remaining_count, store_name } = coupon;
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
    const about = [`From ${store_name}`, h("br"), `${remaining_count} left · ${endText(endOf(coupon))}`];
    const text = h("div", {}, h("strong", {}, name), h("p", {}, ...about));
    return h("li", {}, h("div", { class: "row" }, text, h("div", { class: "acts" }, ...buttons)), reasons);
  }

  return { element: h("div", {}, status, coupons.element), refresh: coupons.refresh };
}

/** What is the matter if a condition does not hold. The service's detail says the rest. */
const REASONS: Record<string, string> = {
  not_used_up: "Already used",
  own_end_not_passed: "Over",
  coupon_end_not_passed: "Over",
};
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;

/** The conditions of a coupon that do not hold, with the reason; folded below them, those that hold. */
function drawChecks(checks: readonly Check[]): Child[] {
  const [failed, passed] = [false, true].map((holds) => checks.filter((check) => check.holds === holds));
  const draw = (shown: readonly Check[] = []) => list(shown.map(drawCheck));
  const summary = h("summary", {}, `${passed?.length} conditions hold`);
  return [...draw(failed), h("details", {}, summary, ...draw(passed))];
}

function drawCheck({ check, holds, detail }: Check): HTMLElement {
  const said = detail.replace(TIME, dayOf);
  if (holds) return h("li", { class: "hint" }, `✓ ${said}`);
  const reason = REASONS[check];
  return h(
    "li",
    { class: "fault" },
    reason === undefined ? `✗ ${said}` : `✗ ${reason} (${said.replace(/ uses$/, "")})`,
  );
}
