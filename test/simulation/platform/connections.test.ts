import path from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { Random } from "../../../scripts/program/random.ts";
import { PRIMARY, SimulatedD1 } from "./d1.ts";
import { during } from "./during.ts";
import { createFolder, removeFolder } from "./folder.ts";
import { current, Invocation, outgoing } from "./invocation.ts";
import { SimulatedKv } from "./kv.ts";
import { SimulatedObjects } from "./objects.ts";
import { SimulatedR2 } from "./r2.ts";
import { createDatabase } from "./sqlite.ts";
import { Time } from "./time.ts";
import { Weather } from "./weather.ts";

const AT_ONCE = 6;
const LONGEST_MS = 1_000;

let folder: string;
let time: Time;
let d1: SimulatedD1;
beforeEach(() => {
  folder = createFolder();
  time = new Time();
  const file = path.join(folder, "database");
  createDatabase(file, ["CREATE VIEW clock AS SELECT 1"]);
  d1 = new SimulatedD1({ file, clocks: new Map([[PRIMARY, () => time.now]]) }, platform());
});
afterEach(() => {
  d1.primary.close();
  removeFolder(folder);
});

function platform() {
  const random = new Random("connections");
  return { time, random, weather: new Weather(time, random, new Set()) };
}

/** Calls that are never answered. */
function hang(count: number): void {
  for (let index = 0; index < count; index += 1) void outgoing(() => new Promise(() => {}));
}

const CALLS = {
  D1: () => {
    const session = d1.bindingAt(null).withSession("first-primary");
    return session.batch([session.prepare("SELECT 1").bind()]);
  },
  KV: () => new SimulatedKv(platform()).bindingAt("here").get("key", { type: "json", cacheTtl: 30 }),
  R2: () => new SimulatedR2(platform()).binding().head("name"),
  "an object": () => {
    class Echo {
      echo(text: string): string {
        return text;
      }
    }
    const host = () => ({ ObjectClass: Echo, env: {} as Env, now: () => time.now });
    const namespace = new SimulatedObjects(platform(), host).binding("ECHOES");
    return (namespace.getByName("one") as object as Echo).echo("text");
  },
};

describe("the connections of an invocation", () => {
  it.for(Object.entries(CALLS))("are six: a call of %s waits for one of them", async ([, call], { expect }) => {
    const isAnsweredBeside = async (others: number) => {
      const invocation = new Invocation();
      let isAnswered = false;
      current.run(invocation, () => {
        hang(others);
        void Promise.resolve(call()).then(() => {
          isAnswered = true;
        });
      });
      await during(time, time.wait(LONGEST_MS));
      invocation.end();
      return isAnswered;
    };

    expect(await isAnsweredBeside(AT_ONCE - 1)).toBe(true);
    expect(await isAnsweredBeside(AT_ONCE)).toBe(false);
  });

  it("are given on in the order of the calls, whose clocks run while they are queued", async ({ expect }) => {
    const startedAt = time.now;
    const answered: [number, number][] = [];
    const call = async (number: number) => {
      await outgoing(() => time.wait(LONGEST_MS));
      answered.push([number, time.now - startedAt]);
    };

    await during(
      time,
      current.run(new Invocation(), () => Promise.all(Array.from({ length: 13 }, (_, number) => call(number)))),
    );

    expect(answered.map(([number]) => number)).toEqual(Array.from({ length: 13 }, (_, number) => number));
    expect(answered.map(([, at]) => at / LONGEST_MS)).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3]);
  });

  it("are free again when it ends", async ({ expect }) => {
    const first = new Invocation();
    const second = new Invocation(first.connections);
    let isMade = false;
    current.run(first, () => hang(AT_ONCE + 1));
    current.run(second, () => {
      void outgoing(async () => {
        isMade = true;
      });
    });

    first.end();
    await during(time, time.wait(0));

    expect(isMade).toBe(true);
  });
});
