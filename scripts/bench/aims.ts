import { table } from "../lib/table.ts";
import { SHORT_WORDS } from "./cases.ts";
import type { Measured } from "./drive.ts";
import { BEFORE, TO_LISTENERS } from "./live/feeds.ts";
import { type Compared, compared, isSameCase, isSameSize, largest, type Report, times, uuidRatio } from "./report.ts";

/** A figure of a case, held against what it should be. */
interface Figure {
  value: number;
  of: string;
}

interface Aim {
  what: string;
  figures: readonly Figure[];
  /** The value that must be reached, and the one that is aimed at. */
  atLeast: number;
  aim: number;
  /** Whether more is better: of ratios to something slower. */
  more?: true;
  /** What the values are, where they are no ratios. */
  unit?: "s";
}

/** What searches may take that are not for one name as it is: p50 to the baseline. What is not found takes two or three round trips. */
const SEARCH_AIMS: Readonly<Record<string, number>> = {
  "two words": 1.9,
  nothing: 3,
  [SHORT_WORDS]: 4,
  "customers, a typo": 4,
  "customers, two words, a typo": 4,
  "customers, nothing near": 3,
  "stores, a typo": 4,
  "stores, two words, a typo": 4,
  "stores, nothing near": 3,
};

/** What the service is meant to reach, and what it does: the worst of its cases, the best, and how many reach it. */
export function aimsTable(report: Report, before?: Report): string {
  const rows = aims(report, before)
    .filter(({ figures }) => figures.length > 0)
    .map(({ what, figures, atLeast, aim, more, unit }) => {
      const reached = (limit: number) => figures.filter(({ value }) => (more ? value >= limit : value <= limit)).length;
      const sorted = figures.toSorted((one, other) => (more ? one.value - other.value : other.value - one.value));
      const [worst, best] = [sorted[0], sorted.at(-1)];
      const text = (value = Number.NaN) => (unit === undefined ? times(value) : `${value.toFixed(2)} ${unit}`);
      return [
        what,
        text(atLeast),
        text(aim),
        `${text(worst?.value)} (${worst?.of})`,
        text(best?.value),
        `${reached(atLeast)} of ${figures.length}`,
        `${reached(aim)} of ${figures.length}`,
      ];
    });
  return table(["what", "at least", "aim", "worst", "best", "reach it", "reach the aim"], rows);
}

function aims(report: Report, before?: Report): Aim[] {
  const scale = largest(report);
  const ours = compared(report, scale, "ours").filter(({ name }) => name !== "cold");
  const of = (...endpoints: string[]) => ours.filter(({ endpoint }) => endpoints.includes(endpoint));
  const ratios = (cases: readonly Compared[]) => cases.map((one) => figure(one, one.ratio));
  const smallest = compared(report, report.scales[0]?.name ?? "", "ours");
  const growth = (value: (one: Compared) => number, cases: readonly Compared[]) =>
    cases.flatMap((one) => {
      const before = smallest.find((other) => isSameCase(one, other));
      return before === undefined || report.scales.length < 2 ? [] : [figure(one, value(one) / value(before))];
    });
  const sameSize = ours.filter((one) => {
    const before = smallest.find((other) => isSameCase(one, other));
    return one.endpoint !== "search" && one.rowsRead > 0 && isSameSize(one, before);
  });
  const naive = compared(report, scale, "naive");
  const over = (endpoint: string) =>
    of(endpoint).flatMap((one) => {
      const other = naive.find((candidate) => isSameCase(one, candidate));
      return other === undefined ? [] : [figure(one, other.ratio / one.ratio)];
    });
  const kinds = report.loads.at(-1)?.kinds ?? [];
  const seconds = (of: "feedSeconds" | "sameTablesSeconds" | "bareTablesSeconds") =>
    kinds.reduce((sum, kind) => sum + kind[of], 0);
  const feed = (of: "sameTablesSeconds" | "bareTablesSeconds") =>
    kinds.length === 0 ? [] : [{ value: seconds(of) / seconds("feedSeconds"), of: "all kinds" }];
  const uuidSeconds = kinds.reduce((sum, kind) => sum + (kind.uuidSeconds ?? 0), 0);
  const named = (endpoint: string, name: string) => ratios(of(endpoint).filter((one) => one.name === name));
  const [without, ...crowded] = report.crowded;
  const toWithout = (value: (one: Measured) => number) =>
    without === undefined
      ? []
      : crowded.map((one) => ({ value: value(one) / value(without), of: `${one.name} more campaigns` }));

  return [
    {
      what: "nearby, messages, team, coupons, my-coupons: p50 to the baseline",
      figures: ratios(of("nearby", "messages", "team", "coupons", "my-coupons").filter((one) => one.roundTrips > 0)),
      atLeast: 1.6,
      aim: 1.25,
    },
    {
      what: "nearby, densest place: p50 to the baseline",
      figures: named("nearby", "densest place"),
      atLeast: 1.5,
      aim: 1.5,
    },
    {
      what: "messages, 50 groups: p50 to the baseline",
      figures: named("messages", "first page"),
      atLeast: 1.65,
      aim: 1.65,
    },
    {
      what: "coupons, 100 in detail: p50 to the baseline",
      figures: named("coupons", "many, in detail"),
      atLeast: 2.1,
      aim: 2.1,
    },
    {
      what: "messages, nothing new: p50 to the baseline",
      figures: named("messages", "poll, no news"),
      atLeast: 0.6,
      aim: 0.6,
    },
    {
      what: "nearby, more campaigns for all stores: p50 to the place without",
      figures: toWithout(({ p50 }) => p50),
      atLeast: 1.3,
      aim: 1.3,
    },
    {
      what: "nearby, more campaigns for all stores: rows to the place without",
      figures: toWithout(({ rowsRead }) => rowsRead),
      atLeast: 1.3,
      aim: 1.3,
    },
    {
      what: "p50 to the baseline, against the run before",
      figures: againstBefore(ours, scale, before),
      atLeast: 1.05,
      aim: 1,
    },
    {
      what: "search: p50 to the baseline",
      figures: ratios(of("search").filter(({ name }) => !(name in SEARCH_AIMS))),
      atLeast: 1.7,
      aim: 1.4,
    },
    ...Object.entries(SEARCH_AIMS).map(([name, limit]) => ({
      what: `search, ${name}: p50 to the baseline`,
      figures: named("search", name),
      atLeast: limit,
      aim: limit,
    })),
    { what: "leaderboard, warm: p50 to the baseline", figures: ratios(of("leaderboard")), atLeast: 1, aim: 0.8 },
    { what: "growth of that ratio", figures: growth(({ ratio }) => ratio, ours), atLeast: 1.5, aim: 1.1 },
    {
      what: "growth of rows read, answers of one size, without search",
      figures: growth(({ rowsRead }) => rowsRead, sameSize),
      atLeast: 1.2,
      aim: 1,
    },
    {
      what: "feed to bare inserts into the same tables",
      figures: feed("sameTablesSeconds"),
      atLeast: 0.3,
      aim: 0.6,
      more: true,
    },
    {
      what: "feed to inserts into bare tables",
      figures: feed("bareTablesSeconds"),
      atLeast: 0.3,
      aim: 0.6,
      more: true,
    },
    {
      what: "feed with UUIDs to the feed with own ids",
      figures:
        uuidSeconds === 0
          ? []
          : [{ value: uuidRatio({ feedSeconds: seconds("feedSeconds"), uuidSeconds }), of: "all kinds" }],
      atLeast: 0.9,
      aim: 0.9,
      more: true,
    },
    ...liveAims(report),
    { what: "nearby, over the naive query", figures: over("nearby"), atLeast: 5, aim: 5, more: true },
    { what: "search, over the naive query", figures: over("search"), atLeast: 5, aim: 5, more: true },
    { what: "team, over the naive query", figures: over("team"), atLeast: 3, aim: 3, more: true },
    { what: "leaderboard, over the naive query", figures: over("leaderboard"), atLeast: 5, aim: 5, more: true },
  ];
}

/** What is promised of inboxes and sockets. */
function liveAims({ live }: Report): Aim[] {
  if (live === undefined) return [];
  const { told, feeds } = live;
  const feed = (isForListeners: boolean) =>
    feeds
      .filter(({ name }) => name !== BEFORE && TO_LISTENERS.includes(name) === isForListeners)
      .map(({ name, toBefore }) => ({ value: toBefore, of: name }));
  const messages = (which: "first" | "last") =>
    told.messages.map((one) => ({ value: one[which], of: `${which} frame` }));
  return [
    {
      what: "frame after the end of its message's second",
      figures: messages("first"),
      atLeast: 1.5,
      aim: 1.5,
      unit: "s",
    },
    { what: `all ${told.sockets} sockets of a group told`, figures: messages("last"), atLeast: 2, aim: 2, unit: "s" },
    { what: "feed for 500 listeners, to before inboxes", figures: feed(true), atLeast: 1.3, aim: 1.3 },
    { what: "feed for others, to before inboxes", figures: feed(false), atLeast: 1.05, aim: 1.05 },
  ];
}

/** Each ratio against that of an earlier report, at the same scale. */
function againstBefore(ours: readonly Compared[], scale: string, before: Report | undefined): Figure[] {
  const earlier = before === undefined ? [] : compared(before, scale, "ours");
  return ours.flatMap((one) => {
    const same = earlier.find((other) => isSameCase(one, other));
    return same === undefined ? [] : [figure(one, one.ratio / same.ratio)];
  });
}

function figure({ endpoint, name }: Compared, value: number): Figure {
  return { value, of: `${endpoint}, ${name}` };
}
