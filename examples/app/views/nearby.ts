import type { NearbyCampaign } from "loyalty-edge/client";
import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { choice, entry, h, list } from "../lib/dom.ts";
import type { Chain } from "../lib/session.ts";
import { createMap, type Place } from "./map.ts";

/** A chain's popular campaigns near the customer, and its stores on a map. */
export function createNearby({ client, customer, session: { chains }, endSignal }: App): View {
  const isOwn = ({ id }: Chain) => customer.stores[0]?.chainId === id;
  const ownFirst = chains.toSorted((first, second) => Number(isOwn(second)) - Number(isOwn(first)));
  let chain = ownFirst[0] ?? chains[0];
  let place: Place = chain;

  const campaigns = answerView(endSignal, {
    ask: (signal) => {
      const { latitude, longitude } = place;
      return client.nearbyCampaigns({ latitude, longitude, single_account_id: chain.id }, { signal });
    },
    show: ({ items }) => list(items.map(drawCampaign)),
    empty: "No campaign runs within 25 miles of here.",
  });
  const map = createMap((moved) => {
    place = moved;
    void campaigns.refresh();
  });
  const stores = answerView(endSignal, {
    ask: (signal) => client.fullSearch({ query: `${chain.name} ${chain.city}`, filter: "stores" }, { signal }),
    show: ({ items: { stores } }) => {
      map.show(chain, stores);
      return [h("p", { class: "hint" }, `${stores.length} stores of ${chain.name} in ${chain.city}`)];
    },
    empty: "This chain has no store here.",
  });
  const refresh = async () => void (await Promise.all([campaigns.refresh(), stores.refresh()]));
  const chainChoice = choice("Chain", ownFirst, (id) => {
    chain = ownFirst.find((other) => other.id === id) ?? chain;
    place = chain;
    void refresh();
  });

  const popular = h("div", {}, h("h2", {}, "Popular here"), campaigns.element);
  return {
    element: h(
      "div",
      {},
      chainChoice,
      h("div", { class: "cards" }, h("div", {}, map.element, stores.element), popular),
    ),
    refresh,
  };
}

function drawCampaign({ name, campaign_description, distance }: NearbyCampaign): HTMLElement {
  return h("li", { class: "row" }, ...entry(name, campaign_description, `${distance} mi`));
}
