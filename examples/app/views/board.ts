import type { LeaderboardItem } from "loyalty-edge/client";
import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { choice, entry, h, list } from "../lib/dom.ts";

const RANKINGS = [
  { by: "run", title: "Runs", total: ({ total_runs }: LeaderboardItem) => total_runs },
  { by: "hit", title: "Hits", total: ({ total_hits }: LeaderboardItem) => total_hits },
  { by: "double", title: "Doubles", total: ({ total_doubles }: LeaderboardItem) => total_doubles },
  { by: "triple", title: "Triples", total: ({ total_triples }: LeaderboardItem) => total_triples },
] as const;
type Ranking = (typeof RANKINGS)[number];

/** The leaderboard of a store, in each of the four rankings. */
export function createBoard({ client, customer, endSignal }: App): View {
  let store = customer.stores[0]?.id ?? "";
  let ranking: Ranking = RANKINGS[0];

  const board = answerView(endSignal, {
    ask: (signal) => client.leaderboard({ location_id: store, rank_on: ranking.by }, { signal }),
    show: ({ items }) => list(items.map((employee) => drawEmployee(employee, ranking))),
    empty: "Nobody has played at this store. The till can record a play.",
  });
  const storeChoice = choice("Store", customer.stores, (id) => {
    store = id;
    void board.refresh();
  });
  const buttons = RANKINGS.map((buttonRanking) => {
    const click = () => {
      ranking = buttonRanking;
      for (const button of buttons) button.ariaPressed = String(button.textContent === buttonRanking.title);
      void board.refresh();
    };
    return h(
      "button",
      { type: "button", "aria-pressed": String(buttonRanking === ranking), click },
      buttonRanking.title,
    );
  });
  return { element: h("div", {}, storeChoice, ...buttons, board.element), refresh: board.refresh };
}

function drawEmployee(employee: LeaderboardItem, ranking: Ranking): HTMLElement {
  const { rank, employee_name: name } = employee;
  const otherTotals = RANKINGS.filter((other) => other !== ranking).map(
    ({ title, total }) => `${title} ${total(employee)}`,
  );
  const about = [`Rank ${rank}`, ...otherTotals].join(" · ");
  return h("li", { class: "row" }, ...entry(name, about, `${ranking.title} ${ranking.total(employee)}`, String(rank)));
}
