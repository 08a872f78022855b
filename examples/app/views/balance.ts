import type { App, View } from "../lib/app.ts";
import { asked } from "../lib/asked.ts";
import { h } from "../lib/dom.ts";

// A search shows twenty customers: of more with the same name, the own record may not be among them.
const UNKNOWN = "–";

/** The customer's balance over all stores, at the head of the page: a search for the own name has it. */
export function createBalance({ client, customer, say, ended }: App): View {
  let known = "";
  return asked(ended, {
    ask: (signal) => client.fullSearch({ query: customer.name, filter: "customers" }, { signal }),
    show: ({ customers }, _, isFirst) => {
      const own = customers.find(({ id }) => id === customer.id);
      const balance = own?.balance.toFixed(2) ?? UNKNOWN;
      if (!isFirst && balance !== known && own !== undefined) say(`Your balance is ${balance} now.`);
      known = balance;
      return [h("strong", {}, balance), h("br"), "points"];
    },
    empty: "",
  });
}
