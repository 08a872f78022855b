import type { LoyaltyError, MessageGroup, Since } from "../../../src/client/index.ts";
import { CUSTOMERS } from "../lines.ts";
import { customerToken } from "../network.ts";
import type { AppSocket } from "../platform/sockets.ts";
import { TWICE } from "../rules/names.ts";
import { LOCATIONS } from "../world.ts";
import type { Stage } from "./actor.ts";

/** What a client of `newMessages` was given, and how often it was told that something changed. */
export interface Followed {
  customerId: string;
  /** Each group with the time of its last message that was given. */
  groups: Map<string, string>;
  /** The last socket that it has opened. */
  socket: AppSocket | null;
}

/**
 * An app that follows new messages with the service's own client. Now and then it is closed, and later goes on from the
 * last group that it dealt with.
 */
export async function follower(stage: Stage, number: number, followed: Followed): Promise<void> {
  const { world, network, isOver } = stage;
  const random = world.random(`follower ${number}`);
  const { customerId } = followed;
  const given = new Set<string>();
  let since: Since = "";
  while (!isOver()) {
    const location = LOCATIONS[number % LOCATIONS.length] ?? "virginia";
    const client = world.outside.service.createClient({
      url: "https://loyalty.example",
      token: () => customerToken(world, customerId),
      fetch: network.fetchFor(location, customerId),
      WebSocket:
        number % 3 === 2
          ? null
          : network.socketsFor(location, (socket) => {
              followed.socket = socket;
            }),
    });
    const closing = new AbortController();
    const cancel = stage.isEnding()
      ? () => {}
      : world.time.after(random.integer(1_000, 600_000), () => closing.abort());
    try {
      for await (const group of client.newMessages({ since, signal: closing.signal })) {
        since = note(stage, followed, given, group);
        if (random.next() < 0.1) break;
      }
    } catch (error) {
      since = sinceOf(error) ?? since;
    }
    cancel();
    await world.time.wait(random.integer(10, stage.isEnding() ? 1_000 : 60_000));
  }
}

export function newFollowed(number: number): Followed {
  return { customerId: CUSTOMERS[number % CUSTOMERS.length] ?? "", groups: new Map(), socket: null };
}

function note({ world }: Stage, followed: Followed, given: Set<string>, group: MessageGroup): Since {
  const { customerId } = followed;
  const { group_id: id, last_message_time: time } = group;
  const name = `${id} ${time}`;
  world.log(`${customerId} is given ${name}`);
  if (given.has(name)) world.fail(TWICE, `${customerId} ${name}`);
  given.add(name);
  followed.groups.set(id, time);
  return group;
}

function sinceOf(error: unknown): Since | undefined {
  return error instanceof Error && error.name === "LoyaltyError" ? (error as LoyaltyError).since : undefined;
}
