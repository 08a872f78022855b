import fc from "fast-check";
import { beforeEach, describe, it, vi } from "vitest";
import { createClient, type Since } from "../../src/client/index.ts";
import { type FakeSocket, fakeSockets } from "../support/fake-socket.ts";
import { BEGINNING, ServiceModel, timeOf } from "../support/messages-model.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { MINUTE, pass, SECOND } from "../support/scripted-service.ts";

// Compares `newMessages` with a model of the service, with sockets and without. Events come at any time, even just
// before and after an answer or a group: frames come late, twice or never; connections break, go silent or are refused;
// requests are lost; the client ends, and continues from its last group.

beforeEach(() => void vi.useFakeTimers());

const RESTART = "client restarts";

/** What can happen, besides a message that somebody writes and time that passes. */
const EVENTS: Record<string, (world: World) => unknown> = {
  "second passes": (world) => {
    world.service.now += 1;
    world.frames.push({ type: "changed", what: ["messages"] });
  },
  "frame arrives": ({ socket, frames }) => socket?.says(frames.shift() ?? { type: "later" }),
  "frame arrives twice": ({ socket, frames }) => {
    const frame = frames.shift() ?? { type: "later" };
    socket?.says(frame);
    socket?.says(frame);
  },
  "frame is lost": ({ frames }) => frames.shift(),
  "frame says something else": ({ socket }) => socket?.changed("coupons", "balance"),
  "connection breaks": ({ socket }) => socket?.drops(),
  "connection is replaced": ({ socket }) => socket?.drops(4408),
  "token expires": ({ socket }) => socket?.drops(4401),
  "connection goes silent": ({ socket }) => socket?.goesSilent(),
  "sockets are refused": (world) => (world.isRefusing = true),
  "sockets come through": (world) => (world.isRefusing = false),
  "request is lost": (world) => (world.losesRequest = true),
  [RESTART]: ({ stop }) => stop.abort(),
};
type Event = string | { say: string } | { wait: number };

interface WorldOptions {
  since: Since | undefined;
  events?: readonly Event[];
  hasSockets?: boolean;
  largestPage?: number;
}

/** A service, a client that follows its messages, and the events that happen to both. */
class World {
  readonly service: ServiceModel;
  readonly receivedTexts: string[] = [];
  /** The second in which a client without `since` began. */
  firstSecond = -1;
  readonly #events: Event[];
  readonly #sockets = fakeSockets((socket) => this.#onOpen(socket));
  /** Frames that the service has sent, and that have not arrived. */
  frames: object[] = [];
  isRefusing = false;
  losesRequest = false;
  stop = new AbortController();
  #since: Since | undefined;
  readonly #hasSockets: boolean;

  constructor({ since, events = [], hasSockets = false, largestPage = 3 }: WorldOptions) {
    this.service = new ServiceModel(largestPage);
    this.#since = since;
    this.#events = [...events];
    this.#hasSockets = hasSockets;
  }

  /** Runs all events. Then lets four minutes pass without failures and without frames. */
  async run(): Promise<void> {
    let isOver = false;
    const following = (async () => {
      while (!isOver) await this.#follow();
    })();
    while (this.#events.length > 0) {
      const event = this.#runNextEvent();
      await pass(typeof event === "object" && "wait" in event ? event.wait : 20);
    }
    this.isRefusing = false;
    this.service.now += 2;
    await pass(4 * MINUTE);
    isOver = true;
    this.stop.abort();
    await pass(MINUTE);
    await following;
  }

  async #follow(): Promise<void> {
    this.stop = new AbortController();
    const client = createClient({
      url: "https://loyalty.example",
      token: "t",
      fetch: (input) => this.#answer(new URL(String(input))),
      WebSocket: this.#hasSockets ? this.#sockets.WebSocket : null,
      retry: { attempts: 1 },
    });
    for await (const group of client.newMessages({ since: this.#since, signal: this.stop.signal })) {
      this.receivedTexts.push(group.last_message);
      this.#since = group;
      if (this.#runNextEvent() === RESTART) break;
    }
  }

  async #answer(address: URL): Promise<Response> {
    if (address.pathname.endsWith("/live")) return Response.json({ status: false }, { status: 426 });
    this.#runNextEvent();
    if (this.losesRequest) {
      this.losesRequest = false;
      throw new TypeError("connection lost");
    }
    const answer = await this.service.fetch(address);
    const isFirstPoll = !address.searchParams.has("check_time") && address.searchParams.get("per_page") === "1";
    if (isFirstPoll) this.firstSecond = (await answer.clone().text()).includes("NO_ITEMS") ? 0 : this.service.now;
    this.#runNextEvent();
    return answer;
  }

  #onOpen(socket: FakeSocket): void {
    this.frames = [];
    if (this.isRefusing) setTimeout(() => socket.drops());
    else setTimeout(() => socket.hello(), 5);
  }

  get socket(): FakeSocket | undefined {
    return this.#sockets.opened.at(-1);
  }

  #runNextEvent(): Event | undefined {
    const event = this.#events.shift();
    if (typeof event === "string") EVENTS[event]?.(this);
    else if (event !== undefined && "say" in event) this.service.say(event.say);
    return event;
  }
}

/** The newest message of each group that has one in this second or later. */
const newsSince = (service: ServiceModel, second: number) =>
  service.groupsAt("9999", timeOf(second - 1)).map(({ last_message }) => last_message);

// Ids of groups. The last two sort differently by UTF-16 unit and by code point.
const ids = fc.constantFrom("a", "ab", "b", "c", "d", "e", "\u{ff5e}", "\u{1f600}");
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ say: ids }) },
  { weight: 3, arbitrary: fc.constantFrom<Event>("second passes", "frame arrives") },
  { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 70 * SECOND }) }) },
  { weight: 4, arbitrary: fc.constantFrom<Event>(...Object.keys(EVENTS)) },
);

describe("following the messages", () => {
  it("gives each message of a group at most once, and always the newest, whatever happens", async ({ expect }) => {
    const property = fc.asyncProperty(
      fc.array(ids, { maxLength: 12 }),
      fc.array(event, { maxLength: 60 }),
      fc.constantFrom<Since | undefined>("", timeOf(BEGINNING - 1), undefined),
      fc.boolean(),
      async (stored, events, since, hasSockets) => {
        const world = new World({ since, events, hasSockets });
        for (const id of stored) world.service.say(id);

        await world.run();

        expect(new Set(world.receivedTexts).size).toBe(world.receivedTexts.length);
        expect(world.receivedTexts).toEqual(expect.arrayContaining(newsSince(world.service, world.firstSecond)));
      },
    );

    await fc.assert(property, propertyRuns(40));
  });

  it("gives each of 1,100 groups of one second once, before a group of a later second", async ({ expect }) => {
    const world = new World({ since: "", largestPage: 100 });
    world.service.say(...Array.from({ length: 1_100 }, (_, index) => `g${index}`));
    world.service.now += 1;
    world.service.say("latest");

    await world.run();

    expect(new Set(world.receivedTexts).size).toBe(1_101);
    expect(world.receivedTexts).toHaveLength(1_101);
    expect(world.receivedTexts.at(-1)).toBe("latest 1");
  });
});
