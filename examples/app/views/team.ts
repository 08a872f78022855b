import type { TeamMember } from "loyalty-edge/client";
import { answerView, readAll } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { choice, entry, h, initials, list } from "../lib/dom.ts";

/** A team has five levels below the customer. */
const LEVELS = 5;

/** The members whom the customer has invited to a store, and below each of them those whom they invited. */
export function createTeam({ client, customer, endSignal }: App): View {
  let store = customer.stores[0]?.id ?? "";

  /** The members directly below another member or the customer. */
  function below(root: { team_member_id?: string }, level: number): View {
    return answerView(endSignal, {
      ask: (signal) => readAll(client.teamWithLevel.all(store, { ...root, level_no: 1 }, { signal })),
      show: ({ items }) => list(items.map((member) => branch(member, level))),
      empty: "Those who join this store by your invitation will be here.",
    });
  }

  function branch({ id, name, levels, total_balance }: TeamMember, level: number): HTMLElement {
    const team = levels.reduce((sum, { total_members }) => sum + total_members, 0);
    const tokens = levels.reduce((sum, { total_tokens_earned }) => sum + total_tokens_earned, 0);
    const about = `Level ${level} · ${team} in the team · ${tokens.toFixed(2)} tokens earned`;
    const inner = below({ team_member_id: id }, level + 1);
    inner.element.hidden = true;
    const toggle = h("button", { type: "button", "aria-expanded": "false", click }, "+");
    toggle.ariaLabel = `Team of ${name}`;
    toggle.disabled = team === 0 || level === LEVELS;

    function click(): void {
      inner.element.hidden = !inner.element.hidden;
      toggle.ariaExpanded = String(!inner.element.hidden);
      toggle.textContent = inner.element.hidden ? "+" : "−";
      if (!inner.element.hidden) void inner.refresh();
    }

    const row = entry(name, about, total_balance.toFixed(2), initials(name));
    return h("li", {}, h("div", { class: "row" }, toggle, ...row), inner.element);
  }

  const top = below({}, 1);
  const storeChoice = choice("Store", customer.stores, (id) => {
    store = id;
    void top.refresh();
  });
  return { element: h("div", {}, storeChoice, top.element), refresh: top.refresh };
}
