import type { SearchCampaign, SearchCustomer, SearchStore } from "loyalty-edge/client";
import { inAddress, putInAddress } from "../lib/address.ts";
import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { entry, h, initials, list, when } from "../lib/dom.ts";

const SHORTEST_QUERY = 3;
/** The wait after a key press before the search is sent. */
const PAUSE_MS = 200;

/** Searches stores, customers and campaigns while the customer types. */
export function createSearch({ client, endSignal }: App): View {
  let pause = 0;
  const input = h("input", {
    type: "search",
    value: inAddress("query"),
    maxlength: 100,
    autocomplete: "off",
    placeholder: "blue har, goran, double points …",
    input: () => {
      clearTimeout(pause);
      pause = setTimeout(search, PAUSE_MS);
    },
  });
  const search = () => {
    putInAddress("query", input.value);
    void results.refresh();
  };
  const resultCount = h("p", { class: "hint", role: "status" });

  const results = answerView(endSignal, {
    ask: (signal) => {
      const query = input.value.trim();
      resultCount.textContent = "";
      return [...query].length < SHORTEST_QUERY ? null : client.fullSearch({ query }, { signal });
    },
    show: ({ items: { stores, customers, campaigns }, meant = {} }) => {
      const entries = [...stores.map(ofStore), ...customers.map(ofCustomer), ...campaigns.map(ofCampaign)];
      resultCount.textContent = summary(entries.length, meant);
      return list(entries);
    },
    empty: "Three letters or more: the beginnings of words, in any order.",
  });

  const label = h("label", { class: "choice" }, h("span", {}, "Search"), input);
  return { element: h("div", { role: "search" }, label, resultCount, results.element), refresh: results.refresh };
}

/** The numbers of results, and the words that were searched instead if the typed words have no results. */
function summary(total: number, meant: Record<string, readonly string[]>): string {
  const instead = Object.entries(meant).map(([typed, words]) => `${words.join(" or ")} instead of ${typed}`);
  if (instead.length === 0) return total === 0 ? "Nothing found." : `${total} found.`;
  return `Showing results for ${instead.join(", ")}.`;
}

function ofStore({ name, address_line_1, city, phone }: SearchStore): HTMLElement {
  return h("li", { class: "row" }, ...entry(name, `Store · ${address_line_1}, ${city}`, phone));
}

function ofCustomer({ first_name, last_name, friend_status, stores_count, balance }: SearchCustomer): HTMLElement {
  const name = `${first_name} ${last_name}`;
  const about = `${friend_status === 1 ? "Friend" : "Customer"} · ${stores_count} stores`;
  return h("li", { class: "row" }, ...entry(name, about, balance.toFixed(2), initials(name)));
}

function ofCampaign({ name, account, campaign_end_date: end }: SearchCampaign): HTMLElement {
  const figure = end === null ? "No end" : `Until ${when(`${end} 12:00:00`)}`;
  return h("li", { class: "row" }, ...entry(name, `Campaign · ${account.company}`, figure));
}
