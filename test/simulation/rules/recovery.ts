import { isDeepStrictEqual } from "node:util";
import type { Stage } from "../actors/actor.ts";
import type { Erased } from "../actors/eraser.ts";
import { feedUntilAnswered } from "../actors/feeder.ts";
import type { Followed } from "../actors/follower.ts";
import { READINGS, readEntries } from "../actors/reader.ts";
import { seal } from "../actors/sealing.ts";
import { CUSTOMERS, customer, GROUPS, group } from "../lines.ts";
import { LOCATIONS } from "../world.ts";
import { checkErased } from "./erased.ts";
import { COMES, FRAME, RECOVERY } from "./names.ts";

/** Once nothing has gone wrong for 90 seconds, everything is well, and a new message reaches everybody. */
export async function checkRecovery(
  stage: Stage,
  { followed, erased }: { followed: readonly Followed[]; erased: readonly Erased[] },
): Promise<void> {
  const { world, network } = stage;
  for (const location of LOCATIONS) {
    const health = await network.send({ location, path: "/health" });
    // A job that failed twice waits for its lease.
    if (health.status !== 200 && !health.json.message.startsWith("Overdue jobs: "))
      world.fail(RECOVERY, `${location} is not well: ${health.body}`);
  }
  checkOutbox(stage);
  await checkPolls(stage);
  checkFollowers(stage, followed, COMES);

  const messages = GROUPS.flatMap((id) => [
    group(id, membersOf(id)),
    { record: "message", id: `last ${id}`, group_id: id, customer_id: "c5", body: "last" },
  ]);
  const answer = await feedUntilAnswered(stage, world.random("recovery"), [...CUSTOMERS.map(customer), ...messages]);
  if (answer?.status !== 200) world.fail(RECOVERY, `a feed is answered ${answer?.status}: ${answer?.body}`);
  const told = followed.filter(({ socket }) => socket?.isOpen);
  await world.time.wait(4_000);
  checkShown(stage);
  await checkPolls(stage);
  checkFollowers(
    stage,
    told.filter(({ socket }) => socket?.isOpen),
    FRAME,
  );
  // Apps without a socket poll every ten seconds at most, those with one are told; each asks again once a minute.
  await world.time.wait(62_000);
  checkFollowers(stage, followed, COMES);
  checkOutbox(stage);
  await checkHistory(stage);
  await checkErased(stage, erased);
}

/** A group's first member, as in `someMembers`, and all customers after them: "c5" is in every group. */
const membersOf = (id: string) => CUSTOMERS.slice(Math.max(0, GROUPS.indexOf(id) - 1));

function checkOutbox({ world }: Stage): void {
  const [left] = world.database.primary.read("SELECT version, change_kind, stored_at FROM outbox");
  if (left !== undefined) world.fail(RECOVERY, `the outbox still has ${JSON.stringify(left)}`);
}

/** Nothing was lost that would show the last messages, so nobody need wait for the schedule. */
function checkShown({ world }: Stage): void {
  const [unshown] = world.database.primary.read(
    "SELECT message_groups.id, newest_at, stamp FROM message_groups CROSS JOIN program_state WHERE newest_at >= stamp",
  );
  if (unshown !== undefined) world.fail(RECOVERY, `is not shown yet: ${JSON.stringify(unshown)}`);
}

/** Each customer is answered what the primary shows, wherever they ask; unless an inbox may still say that nothing is new. */
async function checkPolls({ network, rules, ...stage }: Stage): Promise<void> {
  for (const [index, customer] of CUSTOMERS.entries()) {
    const location = LOCATIONS[index % LOCATIONS.length] ?? "virginia";
    const { json } = await network.send({ location, path: "/api/v1/customer/messages", customer });
    const items: Record<string, string>[] = json.items ?? [];
    const answered = new Map(items.map((one) => [one.group_id, one.last_message_time]));
    const isNone = items.length === 0 && rules.messages.mayMiss();
    if (!isNone && !isDeepStrictEqual(answered, rules.messages.shownTo(customer)))
      stage.world.fail(
        RECOVERY,
        `${customer} is answered ${[...answered]}, not ${[...rules.messages.shownTo(customer)]}`,
      );
  }
}

/** Each client of `newMessages` has been given the last message of each group that its inbox may not miss. */
function checkFollowers({ world, rules }: Stage, followed: readonly Followed[], rule: string): void {
  if (rules.messages.mayMiss()) return;
  for (const { customerId, groups } of followed) {
    for (const [id, at] of rules.messages.shownTo(customerId)) {
      if (groups.get(id) !== at && rules.messages.wasMember({ customerId, groupId: id }, at))
        world.fail(rule, `${customerId}: ${id} of ${at} did not, but ${groups.get(id)}`);
    }
  }
}

const ALL_MONTHS = 120;
const BOARD_FRESH_MS = 31_000;

/** A night takes out whatever is old, and the answers stay the model's when nearly every event that was given a time leaves. */
async function checkHistory(stage: Stage): Promise<void> {
  const { world, network, rules } = stage;
  if (world.history === null) return;
  for (const months of [0, ALL_MONTHS]) {
    world.history.passMonths(months);
    await seal(stage);
    checkScans(stage, world.history.horizon);
    rules.history?.check();
  }
  await world.time.wait(BOARD_FRESH_MS);
  for (const customer of CUSTOMERS) {
    for (const reading of READINGS) await network.send({ location: "virginia", customer, ...reading });
    await readEntries(stage, { customer, location: "virginia", limit: 100 });
  }
}

/** Every kind of event has been looked through. */
function checkScans({ world }: Stage, horizon: string): void {
  const { primary } = world.database;
  const open = primary.read("SELECT kind FROM history_scans WHERE month <> ? OR is_over = 0", horizon.slice(0, 7));
  if (open.length > 0) world.fail(RECOVERY, `there are still events of before ${horizon}: ${JSON.stringify(open)}`);
}
