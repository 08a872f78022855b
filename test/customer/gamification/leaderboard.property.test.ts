import fc from "fast-check";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { clock } from "../../../src/values/clock.ts";
import { as, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { propertyRunsInNode } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/gamification/leaderboard";
const TODAY = "2026-05-10";
const FIELDS = { run: "runs", hit: "hits", double: "doubles", triple: "triples" } as const;

let now = Date.parse(`${TODAY}T12:00:00Z`);

beforeAll(async () => {
  vi.spyOn(clock, "now").mockImplementation(() => now);
  await setClock(`${TODAY} 12:00:00`);
});

afterAll(() => {
  vi.restoreAllMocks();
});

interface Play {
  campaign: number;
  location: number;
  employee: number;
  runs: string;
  hits: number;
  doubles: number;
  triples: number;
}

const few = fc.integer({ min: -2, max: 3 });
const play = (locations: number): fc.Arbitrary<Play> =>
  fc.record({
    campaign: fc.nat({ max: 2 }),
    location: fc.nat({ max: locations - 1 }),
    employee: fc.nat({ max: 129 }),
    runs: fc.constantFrom("0", "1", "1.00", "0.1", "0.2", "0.33", "-0.5", "12", "999999999999.99"),
    hits: few,
    doubles: few,
    triples: few,
  });

const NAMES = ["Ann", "ann", "Bea", "Zoë", "Łoś", "𝒵", "\uffff", ""];

const rest = {
  names: fc.array(fc.constantFrom(...NAMES), { minLength: 130, maxLength: 130 }),
  repeated: fc.nat({ max: 50 }),
  deleted: fc.option(fc.nat({ max: 129 }), { nil: null }),
};

/** Small programs with two locations, and those of one location that has more employees than a board answers. */
const program = fc.oneof(
  fc.record({ ...rest, employees: fc.integer({ min: 1, max: 12 }), plays: fc.array(play(2), { maxLength: 60 }) }),
  fc.record({
    ...rest,
    employees: fc.integer({ min: 115, max: 130 }),
    plays: fc.array(play(1), { minLength: 500, maxLength: 600 }),
  }),
);

/** By code point, as SQLite and UTF-8 have it. */
function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    if (left[index] !== right[index]) return (left[index] ?? 0) - (right[index] ?? 0);
  }
  return left.length - right.length;
}

const hundredths = (decimal: string) => {
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  return BigInt(whole + fraction.padEnd(2, "0")) * (decimal.startsWith("-") ? -1n : 1n);
};

/** 12, 0.5 or -0.25: no digit that is not needed. */
function shortest(total: bigint): string {
  const magnitude = total < 0n ? -total : total;
  const [whole, rest] = [magnitude / 100n, magnitude % 100n];
  const fraction = rest === 0n ? "" : rest % 10n === 0n ? `.${rest / 10n}` : `.${String(rest).padStart(2, "0")}`;
  return `${total < 0n ? "-" : ""}${whole}${fraction}`;
}

/** The board of docs/contract/interface.md, 4.7, computed in the plainest way. */
function boardOf(employees: { id: string; name: string }[], plays: readonly Play[], measure: keyof typeof FIELDS) {
  const totals = employees.flatMap((employee, index) => {
    const own = plays.filter((one) => one.employee === index);
    if (own.length === 0) return [];
    const sum = (field: "hits" | "doubles" | "triples") => own.reduce((all, one) => all + BigInt(one[field]), 0n);
    const runs = own.reduce((all, one) => all + hundredths(one.runs), 0n);
    return [{ ...employee, runs, hits: sum("hits"), doubles: sum("doubles"), triples: sum("triples") }];
  });
  const total = (one: (typeof totals)[number]) => one[FIELDS[measure]];
  const ranked = totals.map((one) => ({
    ...one,
    rank: 1 + totals.filter((other) => total(other) > total(one)).length,
  }));
  ranked.sort((one, other) => one.rank - other.rank || compare(one.name, other.name) || compare(one.id, other.id));
  return ranked.slice(0, 100).map((one) => ({
    employee_id: one.id,
    employee_name: one.name,
    avatar: "",
    rank: one.rank,
    total_runs: shortest(one.runs),
    total_hits: Number(one.hits),
    total_doubles: Number(one.doubles),
    total_triples: Number(one.triples),
  }));
}

describe("leaderboards against brute force", () => {
  it("has the same ranks, ties, order and totals, for every measure, location and campaign", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(program, async ({ employees: count, names, plays: drawn, repeated, deleted: drawnDeleted }) => {
        const account = seed.account();
        const locations = [seed.store(account.id), seed.store(account.id)];
        const dates = [{}, { end_date: TODAY }, { end_date: "2026-05-09" }];
        const campaigns = dates.map((one) => seed.eipCampaign(account.id, one));
        const employees = names.slice(0, count).map((name) => seed.employee(account.id, { name }));
        const plays = drawn.map((one) => ({ ...one, employee: one.employee % count }));
        const lines = plays.map(({ campaign, location, employee, ...fields }) =>
          seed.play(campaigns[campaign]?.id, locations[location]?.id, employees[employee]?.id, fields),
        );
        const half = Math.floor(lines.length / 2);
        await mustFeed([account, ...locations, ...campaigns, ...employees, ...lines.slice(0, half)]);
        await mustFeed([account, ...lines.slice(half), ...lines.slice(0, repeated)]);
        const deleted = drawnDeleted === null ? -1 : drawnDeleted % count;
        const gone = employees[deleted];
        if (gone !== undefined) await mustFeed([seed.deleted("employee", { id: gone.id })]);
        now += 31_000;

        const shown = plays.filter(({ employee }) => employee !== deleted);
        const roster = employees.map(({ id, name }) => ({ id, name: String(name) }));
        for (const [place, { id: location_id }] of locations.entries()) {
          for (const campaign of [undefined, 0, 1, 2]) {
            const counted = shown.filter(
              (one) =>
                one.location === place && (campaign === undefined ? one.campaign < 2 : one.campaign === campaign),
            );
            for (const rank_on of ["run", "hit", "double", "triple"] as const) {
              const fields = {
                location_id,
                rank_on,
                eip_campaign_id: campaign === undefined ? null : campaigns[campaign]?.id,
              };
              const { body } = await as(seed.freshId("c")).post(PATH, fields);
              expect(body).toEqual({ status: true, items: boardOf(roster, counted, rank_on) });
            }
          }
        }
        now -= 31_000;
      }),
      { ...propertyRunsInNode(6), endOnFailure: true },
    );
  });
});
