import { CUSTOMERS } from "../lines.ts";
import { asCustomer } from "../network.ts";
import type { Instance } from "../platform/sqlite.ts";
import { type Shown, shownBy } from "../rules/messages.ts";
import { LOCATIONS } from "../world.ts";
import { rest, type Stage } from "./actor.ts";

const WAIT_MS = 4_000;

/** An app that polls for messages, mostly with the newest time that it has seen, and holds each answer to the rules. */
export async function poller(stage: Stage, number: number): Promise<void> {
  const { world, network, rules } = stage;
  const random = world.random(`poller ${number}`);
  const customerId = CUSTOMERS[number % CUSTOMERS.length] ?? "";
  let seen = "";
  while (!stage.isOver()) {
    await rest(stage, random, WAIT_MS);
    if (random.next() < 0.02) seen = "";
    const location =
      random.next() < 0.9 ? (LOCATIONS[number % LOCATIONS.length] ?? "virginia") : random.pick(LOCATIONS);
    const query = seen === "" ? "" : `?check_time=${encodeURIComponent(seen)}`;
    const before = rules.messages.shownTo(customerId);
    const isUnnotified = rules.messages.isUnnotified(customerId);
    const headers = asCustomer(world, customerId);
    const path = `/api/v1/customer/messages${query}`;
    let ofCopy: Shown | null = null;
    const onServed = (copy: Instance) => {
      ofCopy = shownBy(copy, customerId);
    };
    const answer = await network.send({ location, path, headers, onServed }).catch(() => null);
    if (answer === null) continue;
    rules.messages.checkPoll({ customerId, checkTime: seen }, { before, ofCopy, isUnnotified }, answer);
    for (const { last_message_time: time } of answer.json?.items ?? []) if (time > seen) seen = time;
  }
}
