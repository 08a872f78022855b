import type { BalanceEntry } from "loyalty-edge/client";
import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { entry, h, list, when } from "../lib/dom.ts";

/** The newest entries, which explain the balance. */
export function createPoints({ client, endSignal }: App): View {
  return answerView(endSignal, {
    ask: (signal) => client.entries({}, { signal }),
    show: ({ items }) => list(items.map(drawEntry)),
    empty: "No points yet. The till can book some.",
  });
}

function drawEntry(booking: BalanceEntry): HTMLElement {
  const [reason, storeName] = booking.brought_forward
    ? ["Brought forward", "Everything before"]
    : [booking.description || booking.campaign?.name || "Points", booking.store.name];
  const figure = booking.amount.toLocaleString("en", { minimumFractionDigits: 2, signDisplay: "always" });
  return h("li", { class: "row" }, ...entry(reason, `${storeName} · ${when(booking.created_at)}`, figure));
}
