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

/** Several uses of one coupon are one card. */
function drawGroup({ title, cards }: { title: string; cards: readonly Card[] }): HTMLElement[] {
  const offers = Map.groupBy(cards, ({ offerId }) => offerId);
  const drawn = [...offers.values()].map(drawOffer);
  return drawn.length === 0 ? [] : [h("h2", {}, title), h("ul", { class: "cards" }, ...drawn)];
}

function drawOffer(cards: readonly Card[]): HTMLElement {
  const [{ id, accountId, company, name, worth, terms, digits }] = cards as [Card];
  const issued = Map.groupBy(cards, ({ place, end }) => `${place} ${end}`);
  const lines = [...issued.values()].map(lineOf);
  const summary = h("summary", { "data-key": `${id}/terms` }, "Terms");
  const more = h("details", { class: "hint" }, summary, ...terms.map((term) => h("p", {}, term)));
  const text = h("div", { class: "offer" }, h("p", { class: "worth" }, worth), h("h3", {}, name), ...lines);
  if (terms.length > 0) text.append(more);
  const code = h("figure", {}, barcode(digits), h("figcaption", {}, digits));
  const head = h("div", { class: "issuer" }, chainBadge(accountId, company), h("strong", {}, company));
  return inColourOf(accountId, h("li", { class: "card" }, head, text, code));
}

/** Where coupons come from, until when they last, and how often they can be used in all. */
function lineOf(cards: readonly Card[]): HTMLElement {
  const [{ place, end }] = cards as [Card];
  const sum = (count: (card: Card) => number) => cards.reduce((total, card) => total + count(card), 0);
  const [left, total] = [sum((card) => card.left), sum((card) => card.total)];
  const uses = left < total ? `${left} of ${total} uses left` : left === 1 ? "1 use" : `${left} uses`;
  // Nobody counts the uses of a digital coupon.
  return h("p", { class: "hint" }, place, h("br"), total === 0 ? end : `${end} · ${uses}`);
}

/** A coupon that was issued to a customer may end before the coupon in general, so this is the earlier end. */
export function endOf(
  coupon: Pick<MyCouponRecord, "can_expire" | "expected_end_date" | "expiration_date">,
): string | null {
  const ends = [coupon.expected_end_date, coupon.can_expire === 1 ? coupon.expiration_date : null];
  return ends.filter((date) => date !== null).sort()[0] ?? null;
}

function cardOfRecord(coupon: MyCouponRecord & { kind: Kind }): Card {
  const { kind, campaign_coupon_id: offerId, store_name, remaining_count: left, total_count: total } = coupon;
  const card = cardOf(kind, coupon, coupon.account.company, endOf(coupon));
  return { ...card, offerId, place: `From ${store_name}`, left, total };
}

function cardOfDigital({ account, coupon }: DigitalCoupon): Card {
  const card = cardOf("digital", coupon, account.company, coupon.can_expire === 1 ? coupon.expiration_date : null);
  const combined =
    coupon.can_combine_with_other === 1 ? "Can be combined with other coupons" : "Not with other coupons";
  return { ...card, terms: [...card.terms, combined] };
}

function cardOf(kind: Kind, coupon: MyCouponRecord | DigitalCoupon["coupon"], company: string, end: string | null) {
  const { id, account_id: accountId, name, type, value, barcode: digits } = coupon;
  const worths: Record<string, string> = {
    Dollar_Off: `$${value} off`,
    Percent_Off: `${Number(value)} % off`,
    Free_Item: "Free",
  };
  const worth = worths[type] ?? type.replaceAll("_", " ");
  const lines = [...coupon.header_lines, ...coupon.text_lines].filter((line) => line !== company);
  const terms = coupon.once_per_sale === 1 ? [...lines, "Once a sale"] : lines;
  const place = "At all stores";
  return {
    kind,
    id,
    offerId: id,
    accountId,
    company,
    place,
    name,
    worth,
    terms,
    end: endText(end),
    left: 0,
    total: 0,
    digits,
  };
}
