import type { App, View } from "../lib/app.ts";
import { asked } from "../lib/asked.ts";
import { h } from "../lib/dom.ts";

/** The customer's balance over all stores, at the top of the page. */
export function createBalance({ client, say, ended }: App): View {
  let shownBalance = "";
  return asked(ended, {
    ask: (signal) => client.me({ signal }),
    show: ({ items }, isFirst) => {
      const balance = items.balance.toFixed(2);
      if (!isFirst && balance !== shownBalance) say(`Your balance is ${balance} now.`);
      shownBalance = balance;
      return [h("strong", {}, balance), h("br"), "points"];
    },
    empty: "",
  });
}
