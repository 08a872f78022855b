import { CUSTOMERS } from "../lines.ts";
import { LOCATIONS } from "../world.ts";
import { rest, type Stage } from "./actor.ts";

const WAIT_MS = 4_000;

/** An app that polls for messages, mostly with the newest time that it has seen. */
export async function poller(stage: Stage, number: number): Promise<void> {
  const { world, network } = stage;
  const random = world.random(`poller ${number}`);
  const customer = CUSTOMERS[number % CUSTOMERS.length] ?? "";
  let seen = "";
  while (!stage.isOver()) {
    await rest(stage, random, WAIT_MS);
    if (random.next() < 0.02) seen = "";
    const location =
      random.next() < 0.9 ? (LOCATIONS[number % LOCATIONS.length] ?? "virginia") : random.pick(LOCATIONS);
    const query = seen === "" ? "" : `?check_time=${encodeURIComponent(seen)}`;
    const path = `/api/v1/customer/messages${query}`;
    const answer = await network.send({ location, path, customer }).catch(() => null);
    for (const { last_message_time: time } of answer?.json?.items ?? []) if (time > seen) seen = time;
  }
}
