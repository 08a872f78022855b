import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { Random } from "../../../scripts/program/random.ts";
import { PRIMARY, SimulatedD1 } from "./d1.ts";
import { during } from "./during.ts";
import { current, Invocation } from "./invocation.ts";
import { createDatabase } from "./sqlite.ts";
import { Time } from "./time.ts";
import { Weather } from "./weather.ts";

const TABLE = ["CREATE VIEW clock AS SELECT 1; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"];

let folder: string;
let time: Time;
let weather: Weather;
let d1: SimulatedD1;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "simulated-d1-"));
  const file = path.join(folder, "database");
  createDatabase(file, TABLE);
  time = new Time();
  const random = new Random("d1");
  const clocks = new Map([PRIMARY, "sydney"].map((name) => [name, () => time.now]));
  weather = new Weather(time, random, new Set(["D1 has little memory"]));
  d1 = new SimulatedD1({ file, clocks }, { time, random, weather });
});
afterEach(() => {
  for (const copy of [d1.primary, ...d1.replicas]) copy.close();
  rmSync(folder, { recursive: true });
});

function sessionAt(nearest: string | null, start: string) {
  const session = d1.bindingAt(nearest).withSession(start);
  const run = (...texts: string[]) => during(time, session.batch(texts.map((text) => session.prepare(text).bind())));
  return { run, bookmark: () => session.getBookmark() };
}

const ADD = "INSERT INTO things (name) VALUES ('one')";
const COUNT = "SELECT count(*) AS count FROM things";

describe("the simulated D1", () => {
  it("answers a read from the nearest replica, which lags", async ({ expect }) => {
    await sessionAt(null, "first-primary").run(ADD);

    const [atOnce] = await sessionAt("sydney", "first-unconstrained").run(COUNT);
    await during(time, time.wait(1_000));
    const [later] = await sessionAt("sydney", "first-unconstrained").run(COUNT);

    expect([atOnce?.results, later?.results]).toMatchObject([[{ count: 0 }], [{ count: 1 }]]);
  });

  it("waits until a replica has reached the session's bookmark", async ({ expect }) => {
    const writer = sessionAt(null, "first-primary");
    expect(writer.bookmark()).toBeNull();
    await writer.run(ADD);

    const [read] = await sessionAt("sydney", writer.bookmark() ?? "").run(COUNT);

    expect(read?.results).toMatchObject([{ count: 1 }]);
  });

  it("is reset by a batch that is too large, and says who sends it again", async ({ expect }) => {
    const session = d1.bindingAt(null).withSession("first-primary");
    const store = (name: string) => {
      const statement = session.prepare("INSERT INTO things (name) VALUES (?)").bind(name);
      return during(time, session.batch([statement]));
    };
    const repeated: string[] = [];
    d1.onRepeated = (what) => repeated.push(what);
    await time.passUntil(() => weather.isOn("D1 has little memory"));

    await current.run(new Invocation(), async () => {
      await expect(store("x".repeat(501))).rejects.toThrow("exceeded its memory limit and was reset");
      await store("small");
      expect(repeated).toEqual([]);
      await expect(store("x".repeat(501))).rejects.toThrow();
    });

    expect(repeated).toEqual(["INSERT INTO things (name) VALUES (?)"]);
    expect(d1.primary.read("SELECT 1 FROM things WHERE name = 'small'")).toHaveLength(1);
    expect(d1.primary.generation).toBe(2);
  });

  it("goes on counting bookmarks after time travel", async ({ expect }) => {
    const backup = path.join(folder, "backup");
    d1.primary.backUp(backup);
    const writer = sessionAt(null, "first-primary");
    await writer.run(ADD);

    d1.setBackTo(backup);
    const reader = sessionAt("sydney", "first-unconstrained");
    const [read] = await reader.run(COUNT);

    expect(read?.results).toMatchObject([{ count: 0 }]);
    expect((reader.bookmark() ?? "") > (writer.bookmark() ?? "")).toBe(true);
  });
});
