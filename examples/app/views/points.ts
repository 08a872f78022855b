import type { BalanceEntry, Me, PagedResult } from "loyalty-edge/client";
import { answerView, note, skeletonOf, textOf } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { inColourOf } from "../lib/chain.ts";
import { dayOf, h, list, points } from "../lib/dom.ts";
import { replaceContent, whileDisabled } from "../lib/focus.ts";
import { drawBalances, drawCard } from "./card.ts";

const PAGE_SIZE = 20;

/** The customer's card, the balance by chain, and the entries that explain it. */
export function createPoints({ client, say, session: { chains }, endSignal }: App): View {
  let me: Me | null = null;
  let chainId: string | null = null;
  const draw = (booking: BalanceEntry) =>
    drawEntry(booking, chains.find(({ id }) => id === booking.account_id)?.name ?? "");

  const card = answerView(endSignal, {
    ask: (signal) => client.me({ signal }),
    show: ({ items }) => {
      me = items;
      return [drawCard(items), drawBalances(items, chainId, choose)];
    },
    empty: "Your card will be here.",
    skeleton: h("div", { class: "waiting" }, h("div", { class: "ghost member-card" }), skeletonOf("line", 3)),
  });

  const entries = answerView(endSignal, {
    ask: (signal) => client.entries({ limit: PAGE_SIZE, account_id: chainId ?? undefined }, { signal }),
    show: ({ items, next }) => {
      const rows = list(items.map(draw));
      return next === null ? rows : [...rows, h("p", { class: "more" }, moreButton(next))];
    },
    empty: "What you earn and spend will be listed here. The till can book your first points.",
  });

  function choose(accountId: string | null): void {
    chainId = accountId;
    heading.textContent = me?.balances.find(({ account_id }) => account_id === accountId)?.company ?? ALL;
    if (me !== null) replaceContent(card.element, drawCard(me), drawBalances(me, chainId, choose));
    void entries.refresh();
  }

  /** A button that adds the next page below the list, and then asks for the page after it. */
  function moreButton(next: NextPage): HTMLElement {
    const button = h("button", { type: "button", click }, "Show earlier entries");
    async function click(): Promise<void> {
      const page = await whileDisabled(button, () => next({ signal: endSignal }).catch(() => null));
      if (page?.status !== true) return button.after(note(page === null ? "No answer. Try again." : textOf(page)));
      const rows = page.items.map(draw);
      const hadFocus = document.activeElement === button;
      button
        .closest(".asked")
        ?.querySelector("ul")
        ?.append(...rows);
      const further = page.next === null ? null : moreButton(page.next);
      if (further === null) rows[0]?.setAttribute("tabindex", "-1");
      button.replaceWith(...(further === null ? [] : [further]));
      if (hadFocus) (further ?? rows[0])?.focus();
      say(`${rows.length} earlier entries shown`);
    }
    return button;
  }

  const heading = h("small", {}, ALL);
  const history = h("section", {}, h("h2", {}, "History ", heading), entries.element);
  return {
    element: h("div", { class: "columns" }, h("div", {}, card.element), history),
    refresh: async () => void (await Promise.all([card.refresh(), entries.refresh()])),
  };
}

const ALL = "all chains";
type NextPage = NonNullable<Extract<PagedResult<BalanceEntry[]>, { status: true }>["next"]>;

function drawEntry(booking: BalanceEntry, company: string): HTMLElement {
  const [reason, storeName] = booking.brought_forward
    ? ["Brought forward", "Everything before"]
    : [booking.description || booking.campaign?.name || "Points", booking.store.name];
  const campaign = booking.description === "" ? null : booking.campaign?.name;
  const about = [company, storeName, campaign, dayOf(booking.created_at)];
  const text = h("div", {}, h("strong", {}, reason), h("p", {}, about.filter(Boolean).join(" · ")));
  const figure = h("span", { class: booking.amount > 0 ? "figure gain" : "figure" }, points(booking.amount, "always"));
  return inColourOf(booking.account_id, h("li", { class: "row striped" }, text, figure));
}
