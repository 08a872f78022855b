import type { Me } from "loyalty-edge/client";
import { barcode } from "../lib/barcode.ts";
import { chainBadge, inColourOf } from "../lib/chain.ts";
import { h, points } from "../lib/dom.ts";

/** The customer's card: the code that a till scans, and the balance of all chains. */
export function drawCard({ first_name, last_name, scan_id, balance, balances }: Me): HTMLElement {
  const chains = balances.length === 1 ? "1 chain" : `${balances.length} chains`;
  const name = h("p", { class: "holder" }, h("strong", {}, `${first_name} ${last_name}`), h("span", {}, "Member card"));
  const total = h("p", { class: "total" }, h("strong", {}, points(balance)), h("span", {}, `points at ${chains}`));
  const code = h("figure", {}, barcode(scan_id), h("figcaption", {}, scan_id.replace(/(\d{4})(?=\d)/g, "$1 ")));
  return h("section", { class: "member-card", "aria-label": "Your card" }, name, total, code);
}

/** A button for each chain with the customer's balance there. A second click on the chosen one takes the choice back. */
export function drawBalances(
  { balances, campaigns_total: total, campaigns_registered: registered }: Me,
  chosenId: string | null,
  onChoose: (accountId: string | null) => void,
): HTMLElement {
  const tiles = balances.map(({ account_id, company, balance, stores_count }) => {
    const isChosen = account_id === chosenId;
    const stores =
      stores_count === 0 ? "No store of this chain joined" : stores_count === 1 ? "1 store" : `${stores_count} stores`;
    const text = h("span", {}, h("strong", {}, company), h("small", {}, stores));
    const click = () => onChoose(isChosen ? null : account_id);
    const key = `${account_id}/choose`;
    const attributes = {
      type: "button",
      class: "tile",
      "data-key": key,
      "aria-pressed": String(isChosen),
      click,
    } as const;
    return inColourOf(
      account_id,
      h("button", attributes, chainBadge(account_id, company), text, h("strong", { class: "sum" }, points(balance))),
    );
  });
  const campaigns = total === 0 ? "" : `You take part in ${registered} of ${total} campaigns at your stores.`;
  return h(
    "div",
    { class: "tiles", role: "group", "aria-label": "Balance by chain" },
    ...tiles,
    h("p", { class: "hint" }, campaigns),
  );
}
