import type { LeaderboardItem } from "loyalty-edge/client";
import { answerView } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { choice, h } from "../lib/dom.ts";

const RANKINGS = [
  { by: "run", title: "Score", total: ({ total_runs }: LeaderboardItem) => total_runs },
  { by: "hit", title: "Hits", total: ({ total_hits }: LeaderboardItem) => total_hits },
  { by: "double", title: "Doubles", total: ({ total_doubles }: LeaderboardItem) => total_doubles },
  { by: "triple", title: "Triples", total: ({ total_triples }: LeaderboardItem) => total_triples },
] as const;
type Ranking = (typeof RANKINGS)[number];
const MEASURE = "The employees of a store in its contest. The score is counted in runs, as in baseball.";

/** A board is at most 30 seconds old (docs/contract/interface.md, 4.7), so after this time it has a play that was just fed. */
const PLAY_SHOWN_AFTER_MS = 31_000;
const SECOND_MS = 1_000;

/** The leaderboard of a store, in each of the four rankings; with a way to tell it that a play was recorded. */
export function createBoard({ client, customer, endSignal }: App): View & { expectPlay: () => void } {
  let store = customer.stores[0]?.id ?? "";
  let ranking: Ranking = RANKINGS[0];
  /** When the shown board was computed, and when a board with the newest play is due; null: not. */
  let computedAt: number | null = null;
  let dueAt: number | null = null;

  const board = answerView(endSignal, {
    ask: (signal) => client.leaderboard({ location_id: store, rank_on: ranking.by }, { signal }),
    show: ({ items, age }) => {
      computedAt = Date.now() - age * SECOND_MS;
      showAge();
      return items.length === 0 ? [] : [drawTable(items)];
    },
    empty: "The employees who take part at this store will be ranked here. The till can record a play.",
  });

  function drawTable(employees: readonly LeaderboardItem[]): HTMLElement {
    const heads = RANKINGS.map((column) => {
      const isChosen = column === ranking;
      const click = () => {
        ranking = column;
        void board.refresh();
      };
      const button = h("button", { type: "button", "data-key": `board/${column.by}`, click }, column.title);
      return h("th", { scope: "col", "aria-sort": isChosen ? "descending" : "none" }, button);
    });
    const rows = employees.map((employee) => {
      const totals = RANKINGS.map((column) =>
        h("td", column === ranking ? { class: "chosen" } : {}, String(column.total(employee))),
      );
      return h(
        "tr",
        {},
        h("td", {}, String(employee.rank)),
        h("th", { scope: "row" }, employee.employee_name),
        ...totals,
      );
    });
    const names = [h("th", { scope: "col" }, "Rank"), h("th", { scope: "col" }, "Employee")];
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...names, ...heads)), h("tbody", {}, ...rows));
    return h("div", { class: "ranking" }, table);
  }

  const age = h("p", { class: "hint", role: "timer" });
  function showAge(): void {
    const seconds = (ms: number) => `${Math.max(0, Math.round(ms / SECOND_MS))} s`;
    const ageText = computedAt === null ? "" : `Updated ${seconds(Date.now() - computedAt)} ago. `;
    const due =
      dueAt === null ? "" : `A play was recorded: it is here in ${seconds(dueAt - Date.now())} at the latest.`;
    age.textContent = ageText + due;
    if (dueAt === null || Date.now() < dueAt) return;
    dueAt = null;
    void board.refresh();
  }
  const timer = setInterval(showAge, SECOND_MS);
  endSignal.addEventListener("abort", () => clearInterval(timer));

  const storeChoice = choice("Store", customer.stores, (id) => {
    store = id;
    void board.refresh();
  });
  return {
    element: h("div", {}, storeChoice, h("p", { class: "hint" }, MEASURE), age, board.element),
    refresh: board.refresh,
    expectPlay: () => {
      dueAt = Date.now() + PLAY_SHOWN_AFTER_MS;
      showAge();
    },
  };
}
