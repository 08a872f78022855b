import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Random } from "../../scripts/program/random.ts";
import { horizonOf } from "../../src/retention/horizon.ts";
import type { Bundle } from "./platform/code.ts";
import { PRIMARY, SimulatedD1 } from "./platform/d1.ts";
import { Isolate } from "./platform/isolates.ts";
import { SimulatedKv } from "./platform/kv.ts";
import type { ObjectHost } from "./platform/object.ts";
import { SimulatedObjects } from "./platform/objects.ts";
import { createDatabase } from "./platform/sqlite.ts";
import { BEGINNING, Time } from "./platform/time.ts";
import { Weather } from "./platform/weather.ts";
import { NO_RETRY } from "./rules/names.ts";
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
  /**
   * How many months the deployment keeps. In reality the horizon moves by a month each month. No run lasts for months, so this
   * number decreases instead, which moves the horizon as far.
   */
  #months = 60;
  /** What the operator adds to the months in `RETENTION_MONTHS`; null: the variable is empty. */
  monthsAdded: number | null = 0;
  /** The service's code for work outside of Workers: the client, and the recount. */
  readonly outside: Isolate;
  /** How many requests and faults there have been. */
  steps = 0;
  failure: Error | null = null;
  /** When the database was last set back, in simulated time. */
  setBackAt = Number.NEGATIVE_INFINITY;
  readonly #options: WorldOptions;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "simulation-"));
  readonly #removeFolder = () => rmSync(this.#folder, { recursive: true, force: true });
  readonly #kv: SimulatedKv;
  readonly #isolates = new Map<Location, Isolate>();
  /** Runs the objects; null: it starts with the next call of an object. */
  #host: Isolate | null = null;
  /** The index of the deployed version, 0 or 1. */
  #version = 0;
  /** All clocks, by names such as `D1 primary`. */
  readonly #clocks: Record<string, { aheadMs: number }> = {};

  constructor(options: WorldOptions) {
    // Ctrl-C may end the process in the middle of a run.
    process.on("exit", this.#removeFolder);
    this.#options = options;
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
    this.objects = new SimulatedObjects(platform("objects"), (binding) => this.#hostOf(binding));
    this.database.onRepeated = (what) => this.fail(NO_RETRY, what.slice(0, 200));
    this.outside = this.#isolate("outside", LOCATIONS[0]);
  }

  /** Events before this time are old, while the operator adds no months. */
  get horizon(): string {
    return horizonOf(this.#months, new Date(this.time.now));
  }

  passMonths(months: number): void {
    this.#months = Math.max(1, this.#months - months);
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

  /** The isolate at a location. It starts if none runs there. */
  isolateAt(location: Location): Isolate {
    const isolate = this.#isolates.get(location) ?? this.#isolate(location, location);
    this.#isolates.set(location, isolate);
    return isolate;
  }

  endIsolate(location: Location): void {
    this.step(`the isolate of ${location} ends`);
    this.#isolates.get(location)?.end();
    this.#isolates.delete(location);
  }

  /** Deploys the other version. All isolates end. Objects get the new code later. */
  deploy(): void {
    this.#version = 1 - this.#version;
    this.step(`deploys version ${this.#version}`);
    for (const location of LOCATIONS) this.endIsolate(location);
    this.#host = null;
    this.objects.update();
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
    process.off("exit", this.#removeFolder);
    this.#removeFolder();
  }

  #clock(name: string): () => number {
    const clock = { aheadMs: this.random(`clock of ${name}`).integer(-SKEW_MS, SKEW_MS) };
    this.#clocks[name] = clock;
    return () => this.time.now + clock.aheadMs;
  }

  #hostOf(binding: string): ObjectHost {
    this.#host ??= this.#isolate("objects", LOCATIONS[0]);
    const { service, env, now } = this.#host;
    return { ObjectClass: binding === "INBOXES" ? service.Inbox : service.FanOut, env, now };
  }

  #isolate(name: string, location: Location): Isolate {
    const random = this.random(`isolate ${name} ${this.steps}`);
    const isolate = new Isolate({
      load: this.#version === 0 ? this.#options.bundle.load : this.#options.bundle.loadRenamed,
      env: this.#env(location),
      time: this.time,
      random,
      log: (line) => this.log(`${name} logs ${line}`),
      aheadMs: random.integer(-SKEW_MS, SKEW_MS),
    });
    this.#clocks[`isolate ${name}`] = isolate.clock;
    return isolate;
  }

  #env(location: Location): Env {
    const nearest = location === LOCATIONS[0] ? PRIMARY : location;
    const limiter = {
      limit: async () => {
        if (this.weather.happens("the limiter fails")) throw new Error("The limiter cannot be reached.");
        return { success: true };
      },
    };
    const retentionMonths = () => (this.monthsAdded === null ? "" : String(this.#months + this.monthsAdded));
    return {
      DB: this.database.bindingAt(nearest),
      CACHE: this.#kv.bindingAt(location),
      INBOXES: this.objects.binding("INBOXES"),
      FAN_OUTS: this.objects.binding("FAN_OUTS"),
      ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
      CUSTOMER_LIMITER: limiter,
      TILL_LIMITER: limiter,
      ADDRESS_LIMITER: limiter,
      CF_VERSION_METADATA: { id: "simulation", tag: "", timestamp: "" },
      // This is a getter, because a month may pass while the isolate runs.
      get RETENTION_MONTHS() {
        return retentionMonths();
      },
      ...SETTINGS,
    } as object as Env;
  }
}
