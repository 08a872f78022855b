import path from "node:path";
import { Random } from "../../scripts/program/random.ts";
import { History } from "./history.ts";
import type { Bundle } from "./platform/code.ts";
import { PRIMARY, SimulatedD1 } from "./platform/d1.ts";
import { Isolate } from "./platform/isolates.ts";
import { SimulatedKv } from "./platform/kv.ts";
import type { ObjectHost } from "./platform/object.ts";
import { SimulatedObjects } from "./platform/objects.ts";
import { SimulatedR2 } from "./platform/r2.ts";
import { createDatabase, createFolder, removeFolder } from "./platform/sqlite.ts";
import { BEGINNING, Time } from "./platform/time.ts";
import { Weather } from "./platform/weather.ts";
import { TOO_MUCH } from "./rules/names.ts";
import { SETTINGS } from "./settings.ts";

/** Where Workers run. The primary is at the first location, and a replica at each other location. */
export const LOCATIONS = ["virginia", "sydney", "paris"] as const;
export type Location = (typeof LOCATIONS)[number];

// Each clock is wrong by at most this much, so two clocks differ by up to two seconds.
const SKEW_MS = 1_000;

export class RuleBroken extends Error {
  override readonly name = "RuleBroken";
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.rule = rule;
  }
}

export interface WorldOptions {
  seed: number;
  bundle: Bundle;
  onLine: (line: string) => void;
}

/** Everything that is simulated: time, chance, the platform, and a deployment of the service. */
export class World {
  readonly time: Time;
  readonly weather: Weather;
  readonly database: SimulatedD1;
  readonly objects: SimulatedObjects;
  readonly history: History;
  /** The service's code for work outside of Workers: the client, and the recount. */
  readonly outside: Isolate;
  /** How many requests and faults there have been. */
  steps = 0;
  failure: Error | null = null;
  /** When the database was last set back, in simulated time. */
  setBackAt = Number.NEGATIVE_INFINITY;
  readonly #options: WorldOptions;
  readonly #folder: string;
  readonly #kv: SimulatedKv;
  readonly #isolates = new Map<Location, { isolate: Isolate; env: Env }>();
  /** Runs the objects; null: it starts with the next call of an object. */
  #host: { isolate: Isolate; env: Env } | null = null;
  /** The index of the deployed version. */
  #version = 0;
  /** All clocks, by names such as `D1 primary`. */
  readonly #clocks: Record<string, { aheadMs: number }> = {};

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#folder = createFolder();
    const time = new Time();
    this.time = time;
    this.weather = new Weather(time, this.random("weather"));
    const platform = (name: string) => ({ time, weather: this.weather, random: this.random(name) });
    const file = this.file("database");
    createDatabase(file, options.bundle.migrations);
    const copies = [PRIMARY, ...LOCATIONS.slice(1)];
    const clocks = new Map(copies.map((copy) => [copy, this.#clock(`D1 ${copy}`)]));
    this.database = new SimulatedD1({ file, clocks }, platform("D1"));
    this.#kv = new SimulatedKv(platform("KV"));
    this.history = new History(new SimulatedR2(platform("R2")), time);
    this.objects = new SimulatedObjects(platform("objects"), (binding) => this.#hostOf(binding));
    this.database.onRepeated = (what) => this.fail(TOO_MUCH, what.slice(0, 200));
    this.outside = this.#isolate("outside");
  }

  /** Random numbers that depend only on the seed and this name. */
  random(name: string): Random {
    return new Random(`${this.#options.seed} ${name}`);
  }

  log(line: string): void {
    this.#options.onLine(`${((this.time.now - BEGINNING) / 1_000).toFixed(3)} ${line}`);
  }

  step(line: string): void {
    this.steps += 1;
    this.log(line);
  }

  /** Ends the simulation: a rule is broken. */
  fail(rule: string, what: string): void {
    this.failure ??= new RuleBroken(rule, what);
  }

  file(name: string): string {
    return path.join(this.#folder, name);
  }

  /** The isolate at a location with its bindings; it starts if none runs there. */
  isolateAt(location: Location): { isolate: Isolate; env: Env } {
    const running = this.#isolates.get(location) ?? this.#worker(location);
    this.#isolates.set(location, running);
    return running;
  }

  endIsolate(location: Location): void {
    this.#isolates.get(location)?.isolate.end();
    this.#isolates.delete(location);
  }

  /** Deploys another version. All isolates end. Objects and their sockets end at once, or get the new code later. */
  deploy(random: Random): void {
    const { versions } = this.#options.bundle;
    this.#version = (this.#version + random.integer(1, versions.length - 1)) % versions.length;
    const mode = random.pick(["immediate", "deferred", "deferred"] as const);
    this.step(`deploys version ${this.#version}, ${mode}`);
    for (const location of LOCATIONS) this.endIsolate(location);
    this.#host = null;
    this.objects.redeploy(mode);
  }

  /** Ends all faults. */
  recover(): void {
    this.weather.end();
    this.database.recover();
    this.objects.updateNow();
    this.log("All faults have ended.");
  }

  /** Moves one clock. */
  jumpClock(random: Random): void {
    const name = random.pick(Object.keys(this.#clocks));
    const clock = this.#clocks[name];
    if (clock !== undefined) clock.aheadMs = random.integer(-SKEW_MS, SKEW_MS);
    this.step(`clock of ${name} is ${clock?.aheadMs} ms ahead`);
  }

  close(): void {
    this.database.close();
    removeFolder(this.#folder);
  }

  #clock(name: string): () => number {
    const clock = { aheadMs: this.random(`clock of ${name}`).integer(-SKEW_MS, SKEW_MS) };
    this.#clocks[name] = clock;
    return () => this.time.now + clock.aheadMs;
  }

  #worker(location: Location): { isolate: Isolate; env: Env } {
    return { isolate: this.#isolate(location), env: this.#env(location) };
  }

  #hostOf(binding: string): ObjectHost {
    this.#host ??= { isolate: this.#isolate("objects"), env: this.#env("virginia") };
    const { isolate, env } = this.#host;
    const { Inbox, FanOut } = isolate.service;
    return { ObjectClass: binding === "INBOXES" ? Inbox : FanOut, env, now: isolate.now };
  }

  #isolate(name: string): Isolate {
    const random = this.random(`isolate ${name} ${this.steps}`);
    const isolate = new Isolate({
      load: this.#options.bundle.versions[this.#version] ?? this.#options.bundle.versions[0],
      time: this.time,
      random,
      log: (line) => this.log(`${name} logs ${line}`),
      aheadMs: random.integer(-SKEW_MS, SKEW_MS),
    });
    this.#clocks[`isolate ${name}`] = isolate.clock;
    return isolate;
  }

  #env(location: Location): Env {
    const nearest = location === LOCATIONS[0] ? null : location;
    const limiter = {
      limit: async () => {
        if (this.weather.happens("the limiter fails")) throw new Error("The limiter cannot be reached.");
        return { success: true };
      },
    };
    return this.history.addTo({
      DB: this.database.bindingAt(nearest),
      CACHE: this.#kv.bindingAt(location),
      INBOXES: this.objects.binding("INBOXES"),
      FAN_OUTS: this.objects.binding("FAN_OUTS"),
      CUSTOMER_LIMITER: limiter,
      ADDRESS_LIMITER: limiter,
      ...SETTINGS,
    }) as object as Env;
  }
}
