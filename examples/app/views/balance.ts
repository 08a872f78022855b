import type { App, View } from "../lib/app.ts";
import { asked } from "../lib/asked.ts";
import { h } from "../lib/dom.ts";

/** The customer's balance over all stores, at the head of the page: a search for the own name has it. */
export function createBalance({ client, customer, say }: App): View {
  let known = "";
  return asked({
    ask: (signal) => client.fullSearch({ query: customer.name, filter: "customers" }, { signal }),
    show: ({ customers }, _, isFirst) => {
      const balance = customers.find(({ id }) => id === customer.id)?.balance.toFixed(2) ?? "0.00";
      if (!isFirst && balance !== known) say(`Your balance is ${balance} now.`);
      known = balance;
      return [h("strong", {}, balance), h("br"), "points"];
    },
    empty: "",
  });
}
