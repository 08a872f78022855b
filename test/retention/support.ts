import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { horizonOf } from "../../src/retention/horizon.ts";
import { RETAINED_KINDS } from "../../src/retention/kinds.ts";
import { addUpOldEvents } from "../../src/retention/retention.ts";
import { as } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { allPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { setVariables } from "../support/variables.ts";

/** In June, events from before May are old. */
export const LAST_OLD_SECOND = "2026-04-30 23:59:59";
export const FIRST_KEPT_SECOND = "2026-05-01 00:00:00";

/** Empties the database. It is June 2026, and events from before May are old. */
export async function setUpRetention(): Promise<void> {
  const now = "2026-06-10 07:00:00";
  vi.useFakeTimers({ toFake: ["Date"] });
  await freshDatabase(now);
  await goTo(now);
  keepMonths(1);
}

/** Moves the clocks of the Worker and of D1. */
export async function goTo(now: string): Promise<void> {
  vi.setSystemTime(`${now.replace(" ", "T")}Z`);
  await setClock(now);
}

/** Sets for how many months events are kept. `undefined` turns retention off. */
export const keepMonths = (months: number | undefined) => setVariables({ RETENTION_MONTHS: String(months ?? "") });

export const addUp = () => runSchedule("add up old events");

/** Takes some steps of the job. Each step looks at `lookedAt` events of a kind. */
export function addUpInPart(steps: number, lookedAt = 1, { months = 1, database = env.DB } = {}) {
  let remainingSteps = steps;
  return addUpOldEvents(new Database(database, "first-primary"), {
    horizon: horizonOf(months, new Date()),
    mayGoOn: () => remainingSteps-- > 0,
    lookedAt,
  });
}

/** The kinds whose old events are added up, not only deleted. */
export const SUMMARIZED_KINDS = RETAINED_KINDS.filter(({ summaries }) => summaries.length > 0).map(
  ({ record }) => record,
);

/** True for an event, and false for a summary. */
export const IS_EVENT = "id NOT GLOB 'sealed:*'";

const ALL_IDS = RETAINED_KINDS.map(({ table }) => `SELECT id FROM ${table} WHERE ${IS_EVENT}`).join(" UNION ALL ");

export const storedIds = async () => (await rows(`${ALL_IDS} ORDER BY id`)).map(({ id }) => id);

export const entrySummaries = () => rows(`SELECT * FROM balance_entries WHERE NOT (${IS_EVENT})`);

/** The stored horizon, and how many steps have deleted events. */
export async function storedRetention(): Promise<{ horizon: string; steps: number }> {
  const [state] = await rows("SELECT horizon, retention_steps AS steps FROM program_state");
  return { horizon: String(state?.horizon), steps: Number(state?.steps) };
}

interface Entry {
  id: string | null;
  amount: number;
  account_id: string;
}

/** Reads a customer's entries page by page. */
export async function entryPages(customerId: string, target = "/api/v1/customer/me/entries"): Promise<Entry[][]> {
  return (await allPages(target, as(customerId).get)).map(({ body }) => body.items);
}

/** A store with a campaign, a member, an employee and a group of two customers, and functions that make its events. */
export function shop() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id, { store_ids: [store.id] });
  const [customer, otherCustomer] = [seed.customer(), seed.customer()];
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const group = seed.group([customer.id, otherCustomer.id]);
  const member = seed.membership(store.id, customer.id);
  return {
    lines: [account, store, campaign, customer, otherCustomer, employee, contest, group, member],
    customerId: customer.id,
    otherId: otherCustomer.id,
    groupId: group.id,
    entry: (amount: string, created_at: string, fields: object = {}) =>
      seed.entry(customer.id, store.id, amount, { created_at, ...fields }),
    earning: (tokens: string, earned_at: string) => ({ ...seed.earning(store.id, customer.id, 2, tokens), earned_at }),
    play: (runs: string, played_at: string) =>
      seed.play(contest.id, store.id, employee.id, { runs, hits: 1, played_at }),
    message: (sent_at: string, fields: object = {}) => seed.message(group.id, otherCustomer.id, { sent_at, ...fields }),
  };
}
