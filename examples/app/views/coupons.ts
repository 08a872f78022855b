import type { DigitalCoupon, MyCouponRecord } from "loyalty-edge/client";
import { answerView, readAll } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { barcode } from "../lib/barcode.ts";
import { h, when } from "../lib/dom.ts";

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

  return answerView(endSignal, {
    ask: (signal) => readAll(client.myCoupons.all({}, { signal })),
    show: ({ items }, isFirst) => {
      const all = items.map((coupon) => (coupon.kind === "digital" ? cardOfDigital(coupon) : cardOfRecord(coupon)));
      for (const { id, name } of all.filter((card) => !knownIds.has(card.id))) {
        knownIds.add(id);
        if (isFirst) continue;
        arrivedIds.add(id);
        say(`A new coupon: ${name}`);
      }
      const isNew = ({ id }: Card) => arrivedIds.has(id);
      count("coupons", all.filter(isNew).length, "new");
      const groups = KINDS.map(({ kind, title }) => ({
        title,
        cards: all.filter((card) => card.kind === kind && !isNew(card)),
      }));
      return [{ title: "Just arrived", cards: all.filter(isNew) }, ...groups].flatMap(drawGroup);
    },
    empty: "No coupons yet. The till can issue one.",
  });
}

/** The fields of any coupon that a card shows. */
type Card = ReturnType<typeof cardOf>;

function drawGroup({ title, cards }: { title: string; cards: readonly Card[] }): HTMLElement[] {
  return cards.length === 0 ? [] : [h("h2", {}, title), h("ul", { class: "cards" }, ...cards.map(drawCard))];
}

function drawCard({ company, name, worth, about, end, digits }: Card): HTMLElement {
  const text = h(
    "div",
    {},
    h("p", { class: "hint" }, company),
    h("h3", {}, name),
    h("p", { class: "worth" }, worth),
    h("p", { class: "hint" }, about),
    h("p", { class: "hint" }, end),
  );
  return h("li", { class: "card" }, text, h("figure", {}, barcode(digits), h("figcaption", {}, digits)));
}

function cardOfRecord(coupon: MyCouponRecord & { kind: Kind }): Card {
  // A coupon that was issued to a customer may end before the coupon in general, so this takes the earlier end.
  const ends = [coupon.expected_end_date, coupon.can_expire === 1 ? coupon.expiration_date : null];
  const [end = null] = ends.filter((date) => date !== null).sort();
  const card = cardOf(coupon.kind, coupon, coupon.account.company, end, coupon.barcode);
  return { ...card, end: `${card.end} · ${coupon.remaining_count} left` };
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
  const { id, name, type, value } = coupon;
  const worths: Record<string, string> = {
    Dollar_Off: `$${value} off`,
    Percent_Off: `${Number(value)} % off`,
    Free_Item: "Free",
  };
  const worth = worths[type] ?? type.replaceAll("_", " ");
  const about = coupon.text_lines.join(" · ");
  return { kind, id, company, name, worth, about, end: end === null ? "No end" : `Until ${when(end)}`, digits };
}
