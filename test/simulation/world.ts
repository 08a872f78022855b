import { copyFileSync } from "node:fs";
import path from "node:path";
import { Random } from "../../scripts/demo/random.ts";

const bindingName = (base: string, name: string) => (name === "" ? base : `${base}_${name.toUpperCase()}`);

import { History } from "./history.ts";
import type { Bundle } from "./platform/code.ts";
import { PRIMARY, SimulatedD1 } from "./platform/d1.ts";
import { createFolder, removeFolder } from "./platform/folder.ts";
import { Isolate } from "./platform/isolates.ts";
import { SimulatedKv } from "./platform/kv.ts";
import { SimulatedObjects } from "./platform/objects.ts";
import { SimulatedR2 } from "./platform/r2.ts";
import { createDatabase } from "./platform/sqlite.ts";
import { BEGINNING, Time } from "./platform/time.ts";
import { type Fault, Weather } from "./platform/weather.ts";
import { PROGRAMS, SPARE_PROGRAM } from "./program.ts";
import { SETTINGS } from "./settings.ts";

/** Where requests are answered; each place but the first has a replica of each database. */
export const LOCATIONS = ["virginia", "sydney", "paris"] as const;
export type Location = (typeof LOCATIONS)[number];

// Clocks are up to two seconds apart.
const SKEW_MS = 1_000;

/** A rule that was broken. */
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
  faults: ReadonlySet<Fault>;
  bundle: Bundle;
  /** How far clocks may be ahead or behind. */
  skewMs?: number;
  /** Whether old events leave the databases; left out: none do. */
  hasHistory?: boolean;
  /** Takes each line of the log. */
  onLine: (line: string) => void;
}

/** Everything that is simulated: time, chance, the platform, and the service on it. */
export class World {
  readonly time = new Time();
  readonly weather: Weather;
  readonly databases: ReadonlyMap<string, SimulatedD1>;
  readonly objects: SimulatedObjects;
  /** Null: no event leaves. */
  readonly history: History | null;
  /** The service's code outside of Workers: its client, and what a script takes of it. */
  readonly outside: Isolate;
  /** How many things have been asked of the service, or done to it. */
  steps = 0;
  failure: Error | null = null;
  /** When each program's database was set back last, in simulated time. */
  readonly #setBackAt = new Map<string, number>();
  readonly #options: WorldOptions;
  readonly #skewMs: number;
  readonly #folder: string;
  readonly #kv: SimulatedKv;
  readonly #isolates = new Map<Location, { isolate: Isolate; env: Env }>();
  #host: { isolate: Isolate; env: Env } | null = null;
  readonly #clocks: Record<string, { aheadMs: number }> = {};

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#skewMs = options.skewMs ?? SKEW_MS;
    this.#folder = createFolder();
    const { time } = this;
    this.weather = new Weather(time, this.random("weather"), options.faults);
    const platform = (name: string) => ({ time, weather: this.weather, random: this.random(name) });
    const template = this.file("template");
    createDatabase(template, options.bundle.migrations);
    this.databases = new Map(
      [...PROGRAMS, SPARE_PROGRAM].map((name) => {
        const file = this.file(`program ${name}`);
        copyFileSync(template, file);
        const copies = [PRIMARY, ...LOCATIONS.slice(1)];
        const clocks = new Map(copies.map((copy) => [copy, this.#clock(`D1 ${name} ${copy}`)]));
        return [name, new SimulatedD1({ name, file, clocks }, platform(`D1 ${name}`))];
      }),
    );
    this.#kv = new SimulatedKv(platform("KV"));
    this.history = options.hasHistory ? new History(new SimulatedR2(platform("R2")), time) : null;
    this.objects = new SimulatedObjects({ ...platform("objects"), host: () => this.#hostOfObjects() });
    this.outside = this.#isolate("outside");
  }

  /** Chance that depends on the seed and this name alone. */
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

  /** Ends the simulation, because a rule was broken. */
  fail(rule: string, what: string): void {
    this.failure ??= new RuleBroken(rule, what);
  }

  file(name: string): string {
    return path.join(this.#folder, name);
  }

  setBackAt(program: string): number {
    return this.#setBackAt.get(program) ?? Number.NEGATIVE_INFINITY;
  }

  noteSetBack(program: string): void {
    this.#setBackAt.set(program, this.time.now);
  }

  database(program: string): SimulatedD1 {
    const found = this.databases.get(program);
    if (found === undefined) throw new Error(`There is no program ${program}.`);
    return found;
  }

  /** The isolate that answers here, and its bindings; one is begun where there is none. */
  isolateAt(location: Location): { isolate: Isolate; env: Env } {
    const running = this.#isolates.get(location) ?? this.#worker(location);
    this.#isolates.set(location, running);
    return running;
  }

  /** All that may go wrong here. */
  get faults(): ReadonlySet<Fault> {
    return this.#options.faults;
  }

  get isolates(): Isolate[] {
    return [...this.#isolates.values()].map(({ isolate }) => isolate);
  }

  endIsolate(location: Location): void {
    this.#isolates.get(location)?.isolate.end();
    this.#isolates.delete(location);
  }

  /** A new version: all isolates, objects and sockets end. */
  deploy(): void {
    for (const location of LOCATIONS) this.endIsolate(location);
    this.#host = null;
    this.objects.redeploy();
  }

  /** Some clock jumps, as far as clocks may be apart. */
  jumpClock(random: Random): void {
    const name = random.pick(Object.keys(this.#clocks));
    const clock = this.#clocks[name];
    if (clock !== undefined) clock.aheadMs = random.integer(-this.#skewMs, this.#skewMs);
    this.step(`clock of ${name} is ${clock?.aheadMs} ms ahead`);
  }

  close(): void {
    for (const { primary, replicas } of this.databases.values())
      for (const copy of [primary, ...replicas]) copy.close();
    removeFolder(this.#folder);
  }

  #clock(name: string): () => number {
    const clock = { aheadMs: this.random(`clock of ${name}`).integer(-this.#skewMs, this.#skewMs) };
    this.#clocks[name] = clock;
    return () => this.time.now + clock.aheadMs;
  }

  #worker(location: Location): { isolate: Isolate; env: Env } {
    return { isolate: this.#isolate(location), env: this.#env(location) };
  }

  #hostOfObjects() {
    this.#host ??= { isolate: this.#isolate("objects"), env: this.#env("virginia") };
    const { isolate, env } = this.#host;
    return { Inbox: isolate.service.Inbox, env, now: isolate.now };
  }

  #isolate(name: string): Isolate {
    const random = this.random(`isolate ${name} ${this.steps}`);
    const isolate = new Isolate({
      load: this.#options.bundle.load,
      time: this.time,
      random,
      log: (line) => this.log(`${name} logs ${line}`),
      aheadMs: random.integer(-this.#skewMs, this.#skewMs),
    });
    this.#clocks[`isolate ${name}`] = isolate.clock;
    return isolate;
  }

  #env(location: Location): Env {
    const nearest = location === LOCATIONS[0] ? null : location;
    const databases = [...this.databases].map(([name, database]) => [
      bindingName("DB", name),
      database.bindingAt(nearest),
    ]);
    const limiter = {
      limit: async () => {
        if (this.weather.happens("the limiter fails")) throw new Error("The limiter cannot be reached.");
        return { success: true };
      },
    };
    const env = {
      ...Object.fromEntries(databases),
      CACHE: this.#kv.bindingAt(location),
      INBOXES: this.objects.binding(),
      CUSTOMER_LIMITER: limiter,
      ADDRESS_LIMITER: limiter,
      ...SETTINGS,
    };
    return this.history?.addTo(env) ?? env;
  }
}
