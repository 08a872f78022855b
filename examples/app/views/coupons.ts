import type { DigitalCoupon, MyCouponRecord } from "loyalty-edge/client";
import { answerView, readAll, skeletonOf } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { barcode } from "../lib/barcode.ts";
import { chainBadge, inColourOf } from "../lib/chain.ts";
import { endText, h } from "../lib/dom.ts";

const KINDS = [
  { kind: "store", title: "From the stores" },
  { kind: "mfg", title: "From the manufacturers" },
  { kind: "digital", title: "For every member" },
] as const;
type Kind = (typeof KINDS)[number]["kind"];

/** The customer's usable coupons, by type. Coupons that arrive while the page is open come first. */
export function createCoupons({ client, say, count, endSignal }: App): View {
  const knownIds = new Set<string>();
  const arrivedIds = new Set<string>();
  const seenIds = new Set<string>();

  const coupons = answerView(endSignal, {
    ask: (signal) => readAll(client.myCoupons.all({}, { signal })),
    show: ({ items }, isFirst) => {
      const all = items.map((coupon) => (coupon.kind === "digital" ? cardOfDigital(coupon) : cardOfRecord(coupon)));
      for (const { id, name } of all.filter((card) => !knownIds.has(card.id))) {
        knownIds.add(id);
        if (isFirst) continue;
        arrivedIds.add(id);
        say(`A new coupon: ${name}`);
      }
      countUnseen();
      const isNew = ({ id }: Card) => arrivedIds.has(id);
      const groups = KINDS.map(({ kind, title }) => ({
        title,
        cards: all.filter((card) => card.kind === kind && !isNew(card)),
      }));
      return [{ title: "Just arrived", cards: all.filter(isNew) }, ...groups].flatMap(drawGroup);
    },
    empty: "Coupons that stores give you will be here. The till can issue one.",
    skeleton: skeletonOf("card", 6),
  });

  /** Coupons that arrive while the customer looks at the list are seen at once. */
  function countUnseen(): void {
    if (coupons.element.isConnected) for (const id of arrivedIds) seenIds.add(id);
    count("coupons", arrivedIds.size - seenIds.size, "new");
  }

  return { ...coupons, onShown: countUnseen };
}

/** The fields of any coupon that a card shows. */
type Card = ReturnType<typeof cardOf>;

function drawGroup({ title, cards }: { title: string; cards: readonly Card[] }): HTMLElement[] {
  return cards.length === 0 ? [] : [h("h2", {}, title), h("ul", { class: "cards" }, ...cards.map(drawCard))];
}

function drawCard({ accountId, company, place, name, worth, about, end, digits }: Card): HTMLElement {
  const issuer = h("div", {}, h("strong", {}, company), h("p", { class: "hint" }, place));
  const text = h(
    "div",
    { class: "offer" },
    h("p", { class: "worth" }, worth),
    h("h3", {}, name),
    h("p", { class: "hint" }, about),
    h("p", { class: "hint end" }, end),
  );
  const code = h("figure", {}, barcode(digits), h("figcaption", {}, digits));
  const head = h("div", { class: "issuer" }, chainBadge(accountId, company), issuer);
  return inColourOf(accountId, h("li", { class: "card" }, head, text, code));
}

function cardOfRecord(coupon: MyCouponRecord & { kind: Kind }): Card {
  // A coupon that was issued to a customer may end before the coupon in general, so this takes the earlier end.
  const ends = [coupon.expected_end_date, coupon.can_expire === 1 ? coupon.expiration_date : null];
  const [end = null] = ends.filter((date) => date !== null).sort();
  const left = coupon.remaining_count === 1 ? "1 use" : `${coupon.remaining_count} uses`;
  const card = cardOf(coupon.kind, coupon, coupon.account.company, end, coupon.barcode);
  return { ...card, place: coupon.store_name, end: `${card.end} · ${left}` };
}

function cardOfDigital({ account, coupon }: DigitalCoupon): Card {
  const end = coupon.can_expire === 1 ? coupon.expiration_date : null;
  return cardOf("digital", coupon, account.company, end, coupon.barcode);
}

function cardOf(
  kind: Kind,
  coupon: MyCouponRecord | DigitalCoupon["coupon"],
  company: string,
  end: string | null,
  digits: string,
) {
  const { id, account_id: accountId, name, type, value } = coupon;
  const worths: Record<string, string> = {
    Dollar_Off: `$${value} off`,
    Percent_Off: `${Number(value)} % off`,
    Free_Item: "Free",
  };
  const worth = worths[type] ?? type.replaceAll("_", " ");
  const about = coupon.text_lines.join(" · ");
  return { kind, id, accountId, company, place: "All stores", name, worth, about, end: endText(end), digits };
}
