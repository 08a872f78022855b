import { isDeepStrictEqual } from "node:util";
import { RETAINED_KINDS } from "../../../src/retention/kinds.ts";
import { type FollowingApp, locationOf, randomCall, readEntries } from "../actors/apps.ts";
import type { ChangesFollower } from "../actors/changes.ts";
import { addUp } from "../actors/operator.ts";
import type { Stage } from "../actors/stage.ts";
import { feedUntilAnswered } from "../actors/systems.ts";
import { customerLine, groupLine } from "../program.ts";
import { LOCATIONS } from "../world.ts";
import { ALL_GROUPS, FRAME, RECOVERY } from "./names.ts";
import { DEVICES } from "./own-state.ts";

// The second of a message ends, and its inbox is called. A read at a frame's bookmark waits four seconds for a replica.
const TOLD_WITHIN_MS = 7_000;

/** Checks, 90 seconds after the last fault, that health is good and that a new message reaches everybody. */
export async function checkRecovery(
  stage: Stage,
  { apps, changes }: { apps: readonly FollowingApp[]; changes: ChangesFollower },
): Promise<void> {
  const { world, network, rules } = stage;
  const { customers } = stage.program;
  for (const location of LOCATIONS) {
    const health = await network.send({ location, path: "/health" });
    // A job that failed twice waits for the end of its lease, so it may be overdue.
    if (health.status !== 200 && !health.json.message.startsWith("Overdue jobs: "))
      world.fail(RECOVERY, `${location} is not well: ${health.body}`);
  }
  checkOutbox(stage);
  await untilReplicated(stage);
  await checkPolls(stage);
  checkFollowers(stage, apps, ALL_GROUPS);
  await changes.finish();
  rules.tills.checkChanges(rules.tills.inNextChanges);
  rules.ownState.checkChanges();

  // Put every customer into every group of the program, and send each group a message. Devices make new groups for as long as
  // the run lasts: so many that an app would page through them for minutes.
  const messages = rules.model.last.state
    .all("message_group")
    .filter(({ id }) => !String(id).startsWith(DEVICES))
    .flatMap(({ id, initial_customer_id: first }) => [
      groupLine(id, [first, ...customers.filter((customer) => customer !== first)]),
      { record: "message", id: `last ${id}`, group_id: id, customer_id: first, body: "last" },
    ]);
  const ids = new Set([...customers, ...messages.flatMap(({ initial_customer_id: first }) => first ?? [])]);
  const lines = [...[...ids].map(customerLine), ...messages];
  const answer = await feedUntilAnswered(stage, world.random("recovery"), lines);
  if (answer?.status !== 200) world.fail(RECOVERY, `a feed is answered ${answer?.status}: ${answer?.body}`);
  const withSockets = apps.filter(({ socket }) => socket?.isOpen);
  await world.time.wait(TOLD_WITHIN_MS);
  checkShown(stage);
  const stillOpen = withSockets.filter(({ socket }) => socket?.isOpen);
  checkFollowers(stage, stillOpen, FRAME);
  await untilReplicated(stage);
  await checkPolls(stage);
  // An app without a socket polls at least every ten seconds. An app with a socket polls once a minute, too.
  await world.time.wait(62_000);
  checkFollowers(stage, apps, ALL_GROUPS);
  checkOutbox(stage);
  await checkRetention(stage);
}

/** Waits until every replica has what the primary has now. */
async function untilReplicated({ world: { database, time } }: Stage): Promise<void> {
  const { commit } = database.primary;
  while (database.replicas.some((replica) => replica.commit < commit)) await time.wait(100);
}

/** A visit that lasted long may have fed something a moment ago. */
function checkOutbox({ world }: Stage): void {
  const [change] = world.database.primary.read(
    "SELECT version, topic, stored_at FROM outbox CROSS JOIN clock WHERE unixepoch(stored_at) < unixepoch(now) - ?",
    TOLD_WITHIN_MS / 1_000,
  );
  if (change !== undefined) world.fail(RECOVERY, `the outbox still has ${JSON.stringify(change)}`);
}

/** The Worker that stores a message also shows it. It must not wait for the scheduled job. */
function checkShown({ world }: Stage): void {
  const [unshown] = world.database.primary.read(
    "SELECT message_groups.id, newest_at, stamp FROM message_groups CROSS JOIN program_state WHERE newest_at >= stamp",
  );
  if (unshown !== undefined) world.fail(RECOVERY, `is not shown yet: ${JSON.stringify(unshown)}`);
}

/** Each poll is answered with the groups that the primary shows, or is empty while an inbox may not know of the newest. */
async function checkPolls({ network, rules, program, world }: Stage): Promise<void> {
  for (const [index, customer] of program.customers.entries()) {
    const call = { location: locationOf(index), path: "/api/v1/customer/messages", customer };
    const { json } = await network.send(call);
    const items: Record<string, string>[] = json.items ?? [];
    const answered = new Map(items.map((item) => [item.group_id, item.last_message_time]));
    const expected = rules.messages.shownTo(customer);
    const mayMiss = items.length === 0 && rules.messages.mayMiss();
    if (!mayMiss && !isDeepStrictEqual(answered, expected))
      world.fail(RECOVERY, `${customer} is answered ${[...answered]}, not ${[...expected]}`);
  }
}

/** Each app was given the last message of each group, unless its inbox may not know of the message. */
function checkFollowers({ world, rules }: Stage, apps: readonly FollowingApp[], rule: string): void {
  if (rules.messages.mayMiss()) return;
  for (const { customerId, groups } of apps)
    for (const [id, at] of rules.messages.shownTo(customerId))
      if (groups.get(id) !== at && rules.messages.wasMember({ customerId, groupId: id }, at))
        world.fail(rule, `${customerId} was given ${id} of ${groups.get(id)}, not of ${at}`);
}

const ALL_MONTHS = 120;
const BOARD_FRESH_MS = 31_000;
const CALLS = 200;
const RUNS_AT_MOST = 20;

/** Adds up old events, and then nearly all events. The answers must not change. */
async function checkRetention(stage: Stage): Promise<void> {
  const { world, network, rules } = stage;
  world.monthsAdded = 0;
  for (const months of [0, ALL_MONTHS]) {
    world.passMonths(months);
    // Each minute runs only one due job, which may be another one.
    for (let run = 0; run < RUNS_AT_MOST && openScans(stage).length > 0; run += 1) {
      await addUp(stage);
      await world.time.wait(1_000);
    }
    const open = openScans(stage);
    if (open.length > 0)
      world.fail(RECOVERY, `there are still events of before ${world.horizon}: ${JSON.stringify(open)}`);
    rules.model.checkStored();
  }
  await world.time.wait(BOARD_FRESH_MS);
  for (let call = 0; call < CALLS; call += 1) await network.send({ ...randomCall(stage), location: "virginia" });
  for (const customer of stage.program.customers)
    await readEntries(stage, { customer, location: "virginia", limit: 100 });
}

/** The kinds of event that have not been scanned up to the horizon. */
function openScans({ world }: Stage): unknown[] {
  return RETAINED_KINDS.filter(({ record, table }) => {
    const isOver = `SELECT 1 FROM retention_progress WHERE kind = ? AND horizon = ?
      AND last_id >= (SELECT coalesce(max(id), '') FROM ${table})`;
    return world.database.primary.read(isOver, record, world.horizon).length === 0;
  }).map(({ record }) => record);
}
