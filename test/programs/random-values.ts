import type { Random } from "../../scripts/program/random.ts";
import { addSeconds } from "../model/time.ts";
import { RandomWords } from "./random-words.ts";

/** The stores of a program are around one of these points: at the edges of the map, or at an ordinary location. */
const CENTERS = [
  [0, 180],
  [52, -180],
  [-89.8, 30],
  [90, 0],
  [35.47, -97.52],
  [-33.9, 18.4],
] as const;
const COUPON_TYPES = ["Dollar_Off", "DOLLAR_off", "Free_Item", "パンダ", "ハンダ", "ﾊﾟﾝﾀﾞ", "हिन्दी", "हन्द", "\u0301"];
const ZONES = ["UTC", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Kiritimati"];

/** Makes random values for the fields and parameters of a random program. */
export class RandomValues {
  readonly #random: Random;
  readonly #words: RandomWords;
  readonly #center: readonly [number, number];

  constructor(random: Random) {
    this.#random = random;
    this.#words = new RandomWords(random);
    this.#center = random.pick(CENTERS);
  }

  /** A value for a field or a parameter. It is valid, unless it is a page's size of 0 or the rank `hits`. */
  of(type: string, name: string, now: string): unknown {
    const random = this.#random;
    const text = () => this.#words.text();
    const soon = () => addSeconds(now, random.pick([-1, 0, 1, 2, -86_400, 86_400]));
    const makers: Readonly<Record<string, () => unknown>> = {
      text,
      name: text,
      long: text,
      level: () => random.integer(1, 5),
      life: () => random.integer(0, 1),
      latitude: () => this.#latitude(),
      longitude: () => this.#longitude(),
      flag: () => random.integer(0, 1),
      count: () => random.pick(name === "status" ? [1, 1, 1, 0] : [0, 0, 1, 2]),
      signed: () => random.integer(-2, 3),
      decimal: () => random.pick(["0", "1", "1.00", "0.1", "-0.5", "2.25", "33", "-12.34", "999999999.99"]),
      barcode: () => random.pick(["0", "0012", "999999999999999", "1234567890123456", "AB-1 2"]),
      date: () => (name === "date_of_birth" ? "2000-02-29" : soon().slice(0, 10)),
      time: () => (name === "deleted_at" && random.next() < 0.8 ? null : soon()),
      now: () =>
        name === "sent_at"
          ? addSeconds(now, random.pick([-3_599, -3_601, -3_602, -7_200, 60]))
          : random.pick(["2026-01-01 00:00:00", "2026-01-01T00:00:01+00:00", "2026-02-01"]),
      end: () => random.pick([soon(), soon().slice(0, 10), "9999-12-31 23:59:59"]),
      zone: () => random.pick(ZONES),
      lines: () => [this.#words.text(), this.#words.text()].slice(random.integer(0, 2)),
      any: () => random.pick<unknown>([this.#words.text(), 7, 0.5, true, null]),
      options: () => ({
        chain_display_name: this.#words.text(),
        chain_logo: "aGk=",
        description: "d",
        team_breakdown: { level_2: "5%" },
        mailer_secret: "s",
        notify_user_admin: ["a"],
      }),
      page: () => random.integer(1, 3),
      size: () => random.pick([1, 2, 3, 7, 0]),
      boolean: () => random.pick(["true", "0", "1", "FALSE"]),
      jsonBoolean: () => false,
      search: () => (name === "type" ? random.pick(COUPON_TYPES).toUpperCase() : this.#words.part()),
      issued: () => random.pick(["store", "mfg"]),
      query: () => this.#words.query(),
      lists: () => random.pick(["stores", "customers,stores", ""]),
      rank: () => random.pick(["run", "hit", "double", "triple", "hits"]),
    };
    if (name === "expiration_type") return "Static_Date";
    if (name === "type" && type === "text") return random.pick(COUPON_TYPES);
    const make = makers[type];
    if (make === undefined) throw new Error(`There are no random values of the type ${type}: ${name}.`);
    return make();
  }

  /** A value that is invalid for nearly every field. */
  bad(): unknown {
    return this.#random.pick<unknown>([null, "", 7.5, "x".repeat(2_001), [], {}, "\ud800", "2026-02-30", true]);
  }

  /** One of a few latitudes around the center, so that several stores are at one point. */
  #latitude(): number {
    const [latitude] = this.#center;
    const north = (this.#random.integer(-4, 4) / 4) * 0.3;
    return Math.max(-90, Math.min(90, Number((latitude + north).toFixed(6))));
  }

  #longitude(): number {
    const [latitude, longitude] = this.#center;
    const spread = Math.abs(latitude) > 89 ? 180 : 0.4 / Math.cos((latitude * Math.PI) / 180);
    const east = (this.#random.integer(-4, 4) / 4) * spread;
    return Number((((((longitude + east + 180) % 360) + 360) % 360) - 180).toFixed(6));
  }
}
