import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { h, points } from "../lib/dom.ts";

/** The customer's balance over all stores, at the top of the page. */
export function createBalance({ client, say, endSignal }: App): View {
  let shownBalance = "";
  return answerView(endSignal, {
    ask: (signal) => client.me({ signal }),
    show: ({ items }, isFirst) => {
      const balance = points(items.balance);
      if (!isFirst && balance !== shownBalance) say(`Your balance is ${balance} now.`);
      shownBalance = balance;
      return [h("strong", {}, balance), h("br"), "points"];
    },
    empty: "",
    skeleton: h("div", { class: "ghost line" }),
  });
}
