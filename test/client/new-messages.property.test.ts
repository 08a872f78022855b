import fc from "fast-check";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { createClient, type Since } from "../../src/client/index.ts";
import { type FakeSocket, fakeSockets } from "../support/fake-socket.ts";
import { BEGINNING, GROUP_IDS, newsSince, ServiceModel, timeOf } from "../support/messages-model.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { MINUTE, pass, SECOND } from "../support/scripted-service.ts";

// Compares `newMessages` with a model of the service, with sockets and without. Events come at any time, also just
// before and after an answer or a group: frames come late, twice or never; connections break, go silent or are refused;
// requests are lost; the client ends and resumes.

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EVENTS = [
  "second passes",
  "frame arrives",
  "frame arrives twice",
  "frame is lost",
  "frame says something else",
  "connection breaks",
  "connection goes silent",
  "connection is replaced",
  "token expires",
  "sockets are refused",
  "sockets come through",
  "request is lost",
  "client restarts",
] as const;
type Event = (typeof EVENTS)[number] | { say: string } | { wait: number };

class World {
  readonly service: ServiceModel;
  readonly receivedTexts: string[] = [];
  /** The second in which a client without `since` began. */
  firstSecond = -1;
  readonly #events: Event[];
  readonly #sockets = fakeSockets((socket) => this.#onOpen(socket));
  #frames: object[] = [];
  #isRefusing = false;
  #losesRequest = false;
  #stop = new AbortController();
  #position: Since | undefined;
  readonly #hasSockets: boolean;

  constructor(since: Since | undefined, events: readonly Event[], hasSockets: boolean, largestPage = 3) {
    this.service = new ServiceModel(largestPage);
    this.#position = since;
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
    this.#isRefusing = false;
    this.service.now += 2;
    await pass(4 * MINUTE);
    isOver = true;
    this.#stop.abort();
    await pass(MINUTE);
    await following;
  }

  async #follow(): Promise<void> {
    this.#stop = new AbortController();
    const client = createClient({
      url: "https://loyalty.example",
      token: "t",
      fetch: (input) => this.#answer(new URL(String(input))),
      WebSocket: this.#hasSockets ? this.#sockets.WebSocket : null,
      retry: { attempts: 1 },
    });
    for await (const group of client.newMessages({ since: this.#position, signal: this.#stop.signal })) {
      this.receivedTexts.push(group.last_message);
      this.#position = group;
      if (this.#runNextEvent() === "client restarts") break;
    }
  }

  async #answer(address: URL): Promise<Response> {
    if (address.pathname.endsWith("/live")) return Response.json({ status: false }, { status: 426 });
    this.#runNextEvent();
    if (this.#losesRequest) {
      this.#losesRequest = false;
      throw new TypeError("connection lost");
    }
    const answer = await this.service.fetch(address);
    const isBeginning = !address.searchParams.has("check_time") && address.searchParams.get("per_page") === "1";
    if (isBeginning) this.firstSecond = (await answer.clone().text()).includes("NO_ITEMS") ? 0 : this.service.now;
    this.#runNextEvent();
    return answer;
  }

  #onOpen(socket: FakeSocket): void {
    this.#frames = [];
    if (this.#isRefusing) setTimeout(() => socket.drops());
    else setTimeout(() => socket.hello(), 5);
  }

  #runNextEvent(): Event | undefined {
    const event = this.#events.shift();
    const socket = this.#sockets.opened.at(-1);
    if (typeof event === "object") {
      if ("say" in event) this.service.say(event.say);
    } else if (event === "second passes") {
      this.service.now += 1;
      this.#frames.push({ type: "changed", what: ["messages"] });
    } else if (event === "frame arrives") socket?.says(this.#frames.shift() ?? { type: "later" });
    else if (event === "frame arrives twice") {
      const frame = this.#frames.shift() ?? { type: "later" };
      socket?.says(frame);
      socket?.says(frame);
    } else if (event === "frame is lost") this.#frames.shift();
    else if (event === "frame says something else") socket?.changed("coupons", "balance");
    else if (event === "connection breaks") socket?.drops();
    else if (event === "connection is replaced") socket?.drops(4408);
    else if (event === "token expires") socket?.drops(4401);
    else if (event === "connection goes silent") socket?.goesSilent();
    else if (event === "sockets are refused") this.#isRefusing = true;
    else if (event === "sockets come through") this.#isRefusing = false;
    else if (event === "request is lost") this.#losesRequest = true;
    else if (event === "client restarts") this.#stop.abort();
    return event;
  }
}

const ids = fc.constantFrom(...GROUP_IDS);
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ say: ids }) },
  { weight: 3, arbitrary: fc.constantFrom<Event>("second passes", "frame arrives") },
  { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 70 * SECOND }) }) },
  { weight: 4, arbitrary: fc.constantFrom<Event>(...EVENTS) },
);

describe("following the messages", () => {
  it("gives each message of a group at most once and its newest one always, whatever happens", async ({ expect }) => {
    const property = fc.asyncProperty(
      fc.array(ids, { maxLength: 12 }),
      fc.array(event, { maxLength: 60 }),
      fc.constantFrom<Since | undefined>("", timeOf(BEGINNING - 1), undefined),
      fc.boolean(),
      async (stored, events, since, hasSockets) => {
        const world = new World(since, events, hasSockets);
        for (const id of stored) world.service.say(id);

        await world.run();

        expect(new Set(world.receivedTexts).size).toBe(world.receivedTexts.length);
        expect(world.receivedTexts).toEqual(expect.arrayContaining(newsSince(world.service, world.firstSecond)));
      },
    );

    await fc.assert(property, propertyRuns(40));
  });

  it("gives 1,100 groups of one second, oldest first in pieces, each once", async ({ expect }) => {
    const world = new World("", [], false, 100);
    world.service.say(...Array.from({ length: 1_100 }, (_, index) => `g${index}`));
    world.service.now += 1;
    world.service.say("latest");

    await world.run();

    expect(new Set(world.receivedTexts).size).toBe(1_101);
    expect(world.receivedTexts).toHaveLength(1_101);
    expect(world.receivedTexts.at(-1)).toBe("latest 1");
  });
});
