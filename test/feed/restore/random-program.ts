import fc from "fast-check";
import { KINDS } from "../../../src/feed/records/index.ts";
import type { Kind } from "../../../src/feed/records/kind.ts";
import * as seed from "../../support/seed.ts";
import type { ModelLine } from "../model/kind.ts";
import { beginning as modelBeginning, lines as modelLines, world as modelWorld, type World } from "../model/world.ts";

// Programs of every kind of record, as random feeds leave them: with deletes, erasures, removed groups and returns.

/** A request, and how many seconds the clock moves before it: back, too. */
export interface Step {
  seconds: number;
  lines: ModelLine[];
}

/** A program, and what both databases are fed after its export. */
export interface Transfer {
  ids: Ids;
  first: readonly Step[];
  further: readonly Step[];
}

export type Ids = World & ReturnType<typeof more>;

const more = () => ({
  employees: ["e1", "e2"],
  contests: ["p1", "p2"],
  earnings: ["t1", "t2", "t3"],
  plays: ["y1", "y2", "y3", "y4"],
});

/** The ids of a program: few, so that they return. */
export const IDS: Ids = { ...modelWorld(1), ...more() };

const any = <Value>(values: readonly Value[]) => fc.constantFrom(...values);

/** Values of every type that a field may have. */
const CANDIDATES = [
  "é 1",
  'Łódź, "Bo" and \\ and 🦉\n',
  "2026-03-04 05:06:07",
  "2026-05-31 23:59:59",
  "2026-03-04",
  "12.5",
  "7",
  1,
  3,
  0.5,
  true,
  ["é", "2"],
  { chain_display_name: "Zoë", description: "d", chain_active: 1, team_breakdown: { a: ["b"] }, exchange_rate: "1.5" },
];

/** Of a kind, the fields that a line may leave out and that name no record, with values that each may have. */
const OPTIONAL = new Map(KINDS.map((kind) => [kind.record, optionalValues(kind)]));

function optionalValues(kind: Kind): [field: string, values: unknown[]][] {
  const naming = [...kind.keyFields, ...Object.keys(kind.references), kind.list?.field];
  return Object.entries(kind.fields.shape)
    .filter(([field, schema]) => !naming.includes(field) && schema.safeParse(undefined).success)
    .map(([field, schema]) => {
      const byDefault = JSON.stringify(schema.safeParse(undefined).data);
      const readings = [`text of ${field}`, ...CANDIDATES].map((value) => ({ value, ...schema.safeParse(value) }));
      return [
        field,
        readings.filter(({ success, data }) => success && JSON.stringify(data) !== byDefault).map(({ value }) => value),
      ];
    });
}

/** The line with about `share` of the fields that it leaves out. */
export function filledIn(line: ModelLine, salt: number, share = 0.5): ModelLine {
  const [random] = fc.sample(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), {
    numRuns: 1,
    seed: salt,
  });
  const next = () => Number(random?.next().value);
  const missing = (OPTIONAL.get(line.record) ?? []).filter(([field]) => !(field in line));
  const chosen = missing
    .filter(() => next() < share)
    .map(([field, values]) => [field, values[Math.floor(next() * values.length)]]);
  return line.deleted ? line : { ...line, ...Object.fromEntries(chosen) };
}

/** Of the kinds that the feed's model does not have. */
function otherLines({
  stores,
  customers,
  employees,
  contests,
  earnings,
  plays,
  accounts,
}: Ids): fc.Arbitrary<ModelLine> {
  const line = (record: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<ModelLine> =>
    fc.record({ record: fc.constant(record), ...fields });
  const store = any(stores.slice(0, 2));
  const own = fc.constant(accounts[0]);
  const amount = any(["0", "1.50", "-0.25"]);
  return fc.oneof(
    line("token_earning", {
      id: any(earnings),
      store_id: store,
      customer_id: any(customers.slice(0, 2)),
      level_no: fc.integer({ min: 1, max: 5 }),
      tokens: amount,
    }),
    line("employee", { id: any(employees), account_id: own, name: any(["Ada", "Zoë"]) }),
    line("eip_campaign", {
      id: any(contests),
      account_id: own,
      name: any(["Ada", "Zoë"]),
      start_date: fc.constant("2026-01-01"),
    }),
    line("play", {
      id: any(plays),
      eip_campaign_id: any(contests),
      location_id: store,
      employee_id: any(employees),
      runs: amount,
    }),
    fc
      .oneof(line("employee", { id: any(employees) }), line("eip_campaign", { id: any(contests) }))
      .map((key) => ({ ...key, deleted: true })),
  );
}

function beginning(ids: Ids): ModelLine[] {
  const { accounts, employees, contests, stores, customers } = ids;
  return [
    ...modelBeginning(ids),
    ...employees.map((id) => seed.employee(accounts[0], { id })),
    ...contests.map((id) => seed.eipCampaign(accounts[0], { id })),
    seed.membership(stores[0], customers[2], { referrer_id: customers[0] }),
  ];
}

const { program, belongings } = modelLines(IDS);

const step: fc.Arbitrary<Step> = fc.record({
  seconds: any([0, 0, 1, 1, 2, -1]),
  lines: fc.array(
    fc
      .tuple(
        fc.oneof(
          { weight: 3, arbitrary: program },
          { weight: 4, arbitrary: belongings },
          { weight: 2, arbitrary: otherLines(IDS) },
        ),
        fc.nat(),
      )
      // Few erasures, after which most lines would be refused.
      .filter(([{ record, deleted }, salt]) => record !== "customer" || deleted !== true || salt % 4 === 0)
      .map(([line, salt]) => filledIn(line, salt)),
    { minLength: 1, maxLength: 6, size: "max" },
  ),
});

export const randomProgram: fc.Arbitrary<Transfer> = fc
  .record({
    salt: fc.nat(),
    first: fc.array(step, { minLength: 8, maxLength: 16, size: "max" }),
    further: fc.array(step, { minLength: 2, maxLength: 4 }),
  })
  .map(({ salt, first, further }) => ({
    ids: IDS,
    first: [{ seconds: 1, lines: beginning(IDS).map((line, at) => filledIn(line, salt + at)) }, ...first],
    further,
  }));
