import type { SearchCampaign, SearchCustomer, SearchStore } from "loyalty-edge/client";
import { inAddress, putInAddress } from "../lib/address.ts";
import { answerView, note } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { endText, entry, h, initials, list, points } from "../lib/dom.ts";
import { campaignPicture, storePicture } from "../lib/picture.ts";

const SHORTEST_QUERY = 3;
/** The most results of each kind (docs/contract/interface.md, 4.6). */
const MOST_RESULTS = 20;
/** The wait after a key press before the search is sent. */
const PAUSE_MS = 200;
const HINT = "Type three letters or more: the beginnings of words, in any order.";
const NOTHING =
  "Nothing found. Each word must begin a word of a result. From five letters, one typo is forgiven after the first letter.";

/** Searches stores, customers and campaigns while the customer types. */
export function createSearch({ client, customer, endSignal }: App): View {
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
  const summary = h("p", { class: "hint", role: "status" });

  const results = answerView(endSignal, {
    ask: (signal) => {
      const query = input.value.trim();
      summary.textContent = "";
      return [...query].length < SHORTEST_QUERY ? null : client.fullSearch({ query }, { signal });
    },
    show: ({ items: { stores, customers, campaigns }, meant = {}, incomplete }) => {
      const ofCustomer = (found: SearchCustomer) => drawCustomer(found, found.id === customer.id);
      const groups = [
        { title: "Stores", rows: stores.map(drawStore) },
        { title: "Customers", rows: customers.map(ofCustomer) },
        { title: "Campaigns", rows: campaigns.map(drawCampaign) },
      ].filter(({ rows }) => rows.length > 0);
      if (groups.length === 0) return [note(NOTHING)];
      summary.textContent = `${meantText(meant)}${incomplete === true ? "There may be more: the search stopped early." : ""}`;
      return groups.flatMap(({ title, rows }) => {
        const count = rows.length === MOST_RESULTS ? `the first ${MOST_RESULTS}` : String(rows.length);
        return [h("h2", {}, `${title} `, h("small", {}, count)), ...list(rows)];
      });
    },
    empty: `Stores, customers and campaigns will be listed here. ${HINT}`,
  });

  const label = h("label", { class: "choice" }, h("span", {}, "Search"), input);
  return { element: h("div", { role: "search" }, label, summary, results.element), refresh: results.refresh };
}

/** The words that were searched instead, if the typed words have no results. */
function meantText(meant: Record<string, readonly string[]>): string {
  const instead = Object.entries(meant).map(([typed, words]) => `${words.join(" or ")} instead of ${typed}`);
  return instead.length === 0 ? "" : `Showing results for ${instead.join(", ")}. `;
}

function drawStore({ id, account_id, name, account, address_line_1, city, phone }: SearchStore): HTMLElement {
  const about = `${account.company} · ${address_line_1}, ${city}`;
  return h("li", { class: "row" }, ...entry(name, about, phone, storePicture(account_id, id)));
}

/** The service tells a customer's balance to friends and to the customer only. For others it is 0. */
function drawCustomer(
  { first_name, last_name, friend_status, stores_count, balance }: SearchCustomer,
  isSelf: boolean,
) {
  const name = `${first_name} ${last_name}`;
  const isFriend = friend_status === 1;
  const who = isSelf ? "You" : isFriend ? "Friend" : friend_status === 0 ? "Friend request" : "Member";
  const figure = isSelf || isFriend ? `${points(balance)} points` : "";
  return h("li", { class: "row" }, ...entry(name, `${who} · ${stores_count} stores`, figure, initials(name)));
}

function drawCampaign({ name, account_id, account, campaign_end_date: end }: SearchCampaign): HTMLElement {
  const figure = endText(end === null ? null : `${end} 12:00:00`);
  return h("li", { class: "row" }, ...entry(name, account.company, figure, campaignPicture(account_id, name)));
}
