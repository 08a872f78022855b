import type { Stage } from "../actors/actor.ts";
import { feedUntilAnswered } from "../actors/feeder.ts";
import type { Followed } from "../actors/follower.ts";
import { nextPath, READINGS } from "../actors/reader.ts";
import { seal } from "../actors/sealing.ts";
import { asCustomer, asSystem } from "../network.ts";
import { CUSTOMERS, GROUPS, group, type Line, markOf, PROGRAMS, RESTORED_PROGRAM, SPARE_PROGRAM } from "../program.ts";
import { LOCATIONS } from "../world.ts";

const COMES = "every group with news comes";
const RULE = "once faults end, all is well within 90 s";

/** Once nothing has gone wrong for 90 seconds, everything is well, and a new message reaches everybody. */
export async function checkRecovery(stage: Stage, followed: readonly Followed[]): Promise<void> {
  const { world, network } = stage;
  for (const location of LOCATIONS) {
    const health = await network.send({ program: "", location, path: "/health" });
    if (health.status !== 200) world.fail(RULE, `${location} is not well: ${health.body}`);
  }
  checkOutbox(stage);
  await checkPolls(stage);
  checkFollowers(stage, followed, COMES);

  const random = world.random("recovery");
  for (const program of PROGRAMS) {
    const lines = GROUPS.flatMap((id) => [
      group(id, CUSTOMERS.slice(Math.max(0, GROUPS.indexOf(id) - 1))),
      { record: "message", id: `last ${id}`, group_id: id, customer_id: "c5", body: `last ${markOf(program)}` },
    ]);
    const members = [
      ...CUSTOMERS.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: markOf(program) })),
    ];
    const answer = await feedUntilAnswered(stage, random, { program, lines: [...members, ...lines] });
    if (answer?.status !== 200) world.fail(RULE, `a feed of ${program} is answered ${answer?.status}: ${answer?.body}`);
  }
  const told = followed.filter(({ socket }) => socket?.isOpen);
  await world.time.wait(4_000);
  checkShown(stage);
  await checkPolls(stage);
  checkFollowers(
    stage,
    told.filter(({ socket }) => socket?.isOpen),
    "a frame comes when its message is shown",
  );
  // Apps without a socket poll every ten seconds at most, those with one are told; each asks again once a minute.
  await world.time.wait(62_000);
  checkFollowers(stage, followed, COMES);
  checkOutbox(stage);
  await checkHistory(stage);
  await checkRestore(stage);
}

function checkOutbox({ world }: Stage): void {
  for (const program of PROGRAMS) {
    const left = world.database(program).primary.read("SELECT version, change_kind, stored_at FROM outbox");
    if (left.length > 0) world.fail(RULE, `the outbox of ${program} still has ${JSON.stringify(left[0])}`);
  }
}

/** Nothing was lost that would show the last messages, so nobody need wait for the schedule. */
function checkShown({ world }: Stage): void {
  for (const program of PROGRAMS) {
    const unshown = world
      .database(program)
      .primary.read(
        "SELECT message_groups.id, newest_at, stamp FROM message_groups CROSS JOIN message_clock WHERE newest_at >= stamp",
      );
    if (unshown.length > 0) world.fail(RULE, `${program} does not show yet ${JSON.stringify(unshown[0])}`);
  }
}

/** Each customer is answered what the primary shows, wherever they ask. */
async function checkPolls({ world, network, rules }: Stage): Promise<void> {
  for (const program of PROGRAMS) {
    for (const [index, customerId] of CUSTOMERS.entries()) {
      const location = LOCATIONS[index % LOCATIONS.length] ?? "virginia";
      const headers = asCustomer(world, program, customerId);
      const answer = await network.send({ program, location, path: "/api/v1/customer/messages", headers });
      const items: Record<string, string>[] = answer.json.items ?? [];
      const answered = items.map((one) => `${one.group_id} ${one.last_message_time}`).sort();
      const expected = [...rules.messages.shownTo(program, customerId)].map((one) => one.join(" ")).sort();
      // An inbox may still say that nothing is new.
      if (items.length === 0 && rules.messages.mayMiss(program)) continue;
      if (answered.join() !== expected.join())
        world.fail(RULE, `${program} ${customerId} is answered ${answered.join()}, not ${expected.join()}`);
    }
  }
}

/** Each client of `newMessages` has been given the last message of each group that its inbox may not miss. */
function checkFollowers({ world, rules }: Stage, followed: readonly Followed[], rule: string): void {
  for (const { program, customerId, groups } of followed) {
    if (rules.messages.mayMiss(program)) continue;
    for (const [id, at] of rules.messages.shownTo(program, customerId)) {
      if (groups.get(id) !== at && rules.messages.wasMember(program, { customerId, groupId: id }, at))
        world.fail(rule, `${program} ${customerId}: ${id} of ${at} did not, but ${groups.get(id)}`);
    }
  }
}

const ALL_MONTHS = 120;
const BOARD_FRESH_MS = 31_000;

/** One run takes out whatever is old, and the answers stay as they are when nearly every event that was given a time leaves. */
async function checkHistory(stage: Stage): Promise<void> {
  const { world, rules } = stage;
  if (world.history === null) return;
  const before = await answersOf(stage);
  for (const months of [0, ALL_MONTHS]) {
    world.history.passMonths(months);
    await seal(stage);
    checkWalks(stage, world.history.horizon);
    rules.history?.check();
  }
  await world.time.wait(BOARD_FRESH_MS);
  const after = await answersOf(stage);
  for (const [asked, answer] of before) {
    if (after.get(asked) !== answer)
      world.fail("answers are as if no event had left", `${asked}: ${after.get(asked)}, not ${answer}`);
  }
}

/** What each customer is answered of their own, and one of them at every endpoint; by what they asked. */
async function answersOf({ world, network, rules }: Stage): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const program of PROGRAMS) {
    for (const [index, customerId] of CUSTOMERS.entries()) {
      const own: { path: string; body?: object }[] = [
        { path: "/api/v1/customer/me" },
        { path: "/api/v1/customer/messages" },
      ];
      for (const { path, body } of index === 0 ? [...READINGS, ...own] : own) {
        // An inbox may still say that nothing is new.
        if (path.endsWith("/messages") && rules.messages.mayMiss(program)) continue;
        const given = body === undefined ? {} : { method: "POST" as const, body: JSON.stringify(body) };
        const headers = asCustomer(world, program, customerId);
        const answer = await network.send({ program, location: "virginia", path, headers, ...given });
        answers.set(`${program} ${customerId} ${path} ${given.body}`, `${answer.status} ${answer.body}`);
      }
    }
  }
  return answers;
}

/** Every kind of event has been looked through. */
function checkWalks({ world }: Stage, horizon: string): void {
  for (const [program, { primary }] of world.databases) {
    const open = primary.read("SELECT kind FROM history_walks WHERE month <> ? OR is_over = 0", horizon.slice(0, 7));
    if (open.length > 0) world.fail(RULE, `${program} still has events of before ${horizon}: ${JSON.stringify(open)}`);
  }
}

/**
 * What an export gives restores into an empty program, which then exports the same. The lines that delete go in a request
 * of their own (docs/contract/restore.md).
 */
async function checkRestore(stage: Stage): Promise<void> {
  const { world } = stage;
  const exported = await exportAll(stage, RESTORED_PROGRAM);
  const random = world.random("restore");
  const lines = exported.map((line) => JSON.parse(line) as Line);
  const requests = [lines.filter(({ deleted }) => !deleted), lines.filter(({ deleted }) => deleted)];
  for (const some of requests.filter(({ length }) => length > 0)) {
    const restored = { program: SPARE_PROGRAM, lines: some, scope: "feed restore" };
    const answer = await feedUntilAnswered(stage, random, restored);
    if (answer?.status === 200) continue;
    world.fail(RULE, `a restore is answered ${answer?.status}: ${answer?.body}`);
    return;
  }
  const again = await exportAll(stage, SPARE_PROGRAM);
  const lost = exported.find((line) => !again.includes(line));
  if (again.length !== exported.length || lost !== undefined)
    world.fail(RULE, `${exported.length} lines were restored, and ${again.length} come back, without ${lost}`);
}

async function exportAll({ world, network, isOver }: Stage, program: string): Promise<string[]> {
  const lines: string[] = [];
  for (let next: string | null = "/api/v1/feed"; next !== null && !isOver(); ) {
    const headers = asSystem(world, program, "export");
    const page = await network.send({ program, location: "virginia", path: next, headers });
    if (page.status !== 200) {
      world.fail(RULE, `an export is answered ${page.status}: ${page.body}`);
      return lines;
    }
    lines.push(...page.body.split("\n").filter((line) => line !== ""));
    next = nextPath(page);
  }
  return lines;
}
