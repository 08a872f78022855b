import { accounts, type DemoLine, stores } from "./chains.ts";
import { Random } from "./random.ts";

const EMPLOYEES = ["Noor Aziz", "Tom Becker", "Lucía Díaz", "Anna Nowak", "Kenji Mori", "Grace Obi"];
const LOCATIONS_A_CHAIN = 2;
const STILL_TO_COME = "2099-01-01";

/** Six employees a chain, in each chain a contest that runs and one that is to come. */
export function employees(): DemoLine[] {
  return accounts().flatMap(({ id: accountId }) => [
    ...EMPLOYEES.map((name, index) => ({
      record: "employee",
      id: `e${accountId}-${index + 1}`,
      account_id: accountId,
      name,
      avatar: `https://images.example/employees/${accountId}-${index + 1}.png`,
    })),
    {
      record: "eip_campaign",
      id: `eip-${accountId}`,
      account_id: accountId,
      name: "Upsell league",
      start_date: "2024-01-01",
    },
    {
      record: "eip_campaign",
      id: `eip-${accountId}-next`,
      account_id: accountId,
      name: "Winter cup",
      start_date: STILL_TO_COME,
    },
  ]);
}

// Few enough results for ties: three employees share a rank.
const RUNS = ["12", "7.50", "7.5", "7.5", "3", "0.5"];

/** What the employees have done at the first stores of their chain. */
export function plays(): DemoLine[] {
  const random = new Random("plays");
  const all = stores();
  return accounts().flatMap(({ id: accountId }) =>
    all
      .filter((store) => store.account_id === accountId)
      .slice(0, LOCATIONS_A_CHAIN)
      .flatMap((store, location) =>
        RUNS.map((runs, index) => ({
          record: "play",
          id: `p${accountId}-${location}-${index + 1}`,
          eip_campaign_id: `eip-${accountId}`,
          location_id: store.id,
          employee_id: `e${accountId}-${index + 1}`,
          runs,
          hits: random.integer(0, 9),
          doubles: random.integer(0, 4),
          triples: random.integer(0, 2),
          played_at: "2026-06-01 20:00:00",
        })),
      ),
  );
}
