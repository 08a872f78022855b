import type { NearbyCampaign } from "loyalty-edge/client";
import { answerView, skeletonOf } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { choice, h } from "../lib/dom.ts";
import { campaignPicture } from "../lib/picture.ts";
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
    show: ({ items }) =>
      items.length === 0 ? [] : [h("ul", { class: "cards" }, ...items.map((item) => drawCampaign(chain, item)))],
    empty: "Campaigns within 25 miles of you will be here. Move the pin, or choose another chain.",
    skeleton: skeletonOf("card", 2),
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
    empty: "The stores of this chain will be on the map.",
    skeleton: h("p", { class: "waiting hint" }, "Looking for stores …"),
  });
  const refresh = async () => void (await Promise.all([campaigns.refresh(), stores.refresh()]));
  const chainChoice = choice("Chain", ownFirst, (id) => {
    chain = ownFirst.find((other) => other.id === id) ?? chain;
    place = chain;
    void refresh();
  });

  const popular = h("section", {}, h("h2", {}, "Popular here"), campaigns.element);
  const around = h("section", {}, h("h2", {}, "Stores around you"), map.element, stores.element);
  return { element: h("div", {}, chainChoice, h("div", { class: "columns" }, popular, around)), refresh };
}

function drawCampaign({ id }: Chain, { name, campaign_description, distance }: NearbyCampaign): HTMLElement {
  const text = h("div", {}, h("h3", {}, name), h("p", { class: "hint" }, campaign_description));
  const caption = h("div", { class: "row" }, text, h("span", { class: "figure" }, `${distance} mi`));
  return h("li", { class: "card pictured" }, campaignPicture(id, name), caption);
}
