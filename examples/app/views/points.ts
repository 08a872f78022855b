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

function drawEntry({ amount, description, store, campaign, created_at, brought_forward }: BalanceEntry): HTMLElement {
  const reason = brought_forward ? "Brought forward" : description || campaign?.name || "Points";
  const storeName = store?.name ?? "Everything before";
  const figure = amount.toLocaleString("en", { minimumFractionDigits: 2, signDisplay: "always" });
  return h("li", { class: "row" }, ...entry(reason, `${storeName} · ${when(created_at)}`, figure));
}
