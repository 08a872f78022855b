import { type CardHolder, createTill, type Till } from "loyalty-edge/till";
import { byId, h, initials, points } from "../lib/dom.ts";
import { type Chain, currentSession, type DemoCustomer, type Session } from "../lib/session.ts";
import { createTillCoupons } from "./coupons.ts";
import { outcomeOf } from "./outcome.ts";
import { createSale } from "./sale.ts";

interface TillSide {
  session: Session;
  /** The customer whose card is at hand. */
  customer: DemoCustomer;
  send: typeof fetch;
  /** Aborted when another customer is chosen. */
  signal: AbortSignal;
}

/** One customer at one store's till. */
export interface Visit {
  till: Till;
  holder: CardHolder;
  storeId: string;
  chain: Chain;
  signal: AbortSignal;
}

/**
 * A shop's till: it finds the customer by card, books points and redeems coupons. A real till calls from its backend,
 * because its token must not reach a customer's browser.
 */
export function openTill({ session, customer, send, signal }: TillSide): void {
  const form = byId("scan", HTMLFormElement);
  const visitSide = byId("visit", HTMLElement);
  const fault = byId("scan-fault", HTMLElement);
  const store = byId("till-store", HTMLSelectElement);
  const card = byId("till-card", HTMLInputElement);
  const token = async () => (await currentSession()).tillToken;
  const till = createTill({ url: location.origin, token, fetch: send });

  store.replaceChildren(...customer.stores.map(({ id, name }) => h("option", { value: id }, name)));
  card.value = customer.card;
  clear();

  function clear(): void {
    visitSide.replaceChildren();
    fault.replaceChildren();
  }

  async function scan(): Promise<void> {
    const outcome = await outcomeOf(till.customerOf(card.value));
    if (signal.aborted) return;
    clear();
    if (typeof outcome === "string") return fault.replaceChildren(outcome);
    const [holder, ...others] = outcome;
    if (holder === undefined || others.length > 0)
      return fault.replaceChildren(`${outcome.length} customers have this card.`);
    const chainId = customer.stores.find(({ id }) => id === store.value)?.chainId;
    const chain = session.chains.find(({ id }) => id === chainId) ?? session.chains[0];
    visitSide.replaceChildren(...drawVisit({ till, holder, storeId: store.value, chain, signal }));
  }

  const onSubmit = (event: Event) => {
    event.preventDefault();
    void scan();
  };
  form.addEventListener("submit", onSubmit, { signal });
  form.addEventListener("input", clear, { signal });
}

function drawVisit(visit: Visit): HTMLElement[] {
  const { holder, chain } = visit;
  const name = `${holder.first_name} ${holder.last_name}`;
  const balance = h("p", { role: "status" });
  const showBalance = (amount: number) => balance.replaceChildren(`${points(amount)} points at ${chain.name}`);
  showBalance(holder.balances.find(({ account_id }) => account_id === chain.id)?.balance ?? 0);
  const coupons = createTillCoupons(visit);
  void coupons.refresh();
  return [
    h(
      "div",
      { class: "row" },
      h("span", { class: "circle" }, initials(name)),
      h("div", {}, h("strong", {}, name), balance),
    ),
    createSale(visit, showBalance),
    h("h3", {}, "Coupons here"),
    coupons.element,
  ];
}
