import { isDate, toUtc } from "./time.ts";

// The values of the feed's fields (docs/contract/feed.md, 3).

/** What reading an invalid value returns. */
export const BAD = Symbol("bad");

type Read = (value: unknown) => unknown;

/** A text of at most this many code points, without NUL and without halves of surrogate pairs. */
export const text =
  (most: number, pattern = /^/su): Read =>
  (value) => {
    const isGood = typeof value === "string" && value.isWellFormed() && !value.includes("\0") && pattern.test(value);
    return isGood && [...value].length <= most ? value : BAD;
  };
const number =
  (least: number, most: number, isWhole = true): Read =>
  (value) => {
    const isGood =
      typeof value === "number" && value >= least && value <= most && (!isWhole || Number.isInteger(value));
    return isGood ? value : BAD;
  };
const list =
  (item: Read, most: number, least = 0): Read =>
  (value) => {
    const isGood = Array.isArray(value) && value.length >= least && value.length <= most;
    return isGood && !value.map(item).includes(BAD) ? value : BAD;
  };
/** A JSON string, boolean, null, or a number that can be stored exactly. */
const any =
  (most: number): Read =>
  (value) => {
    if (typeof value === "string") return text(most)(value);
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return isExact || typeof value === "boolean" || value === null ? value : BAD;
  };

const ID = /^./su;
export const id = text(64, ID);
export const time: Read = (value) => (typeof value === "string" ? (toUtc(value) ?? BAD) : BAD);
const day: Read = (value) => (typeof value === "string" && isDate(value) ? value : BAD);
const DECIMAL = /^-?\d{1,12}(\.\d{1,2})?$/;
// Intl also accepts offsets and abbreviations, which the contract refuses.
const ZONE = /^(?![a-z]{3}$|systemv\/)[a-z][\w+/-]{0,63}$|^(UTC|GMT|UCT|[CEMW]ET|[EHM]ST|PRC|ROC|ROK)$/i;

function zone(name: unknown): unknown {
  try {
    return typeof name === "string" && ZONE.test(name) && new Intl.DateTimeFormat("en", { timeZone: name })
      ? name
      : BAD;
  } catch {
    return BAD;
  }
}

/** Converts a decimal to whole hundredths, so that sums are exact. */
export function toHundredths(decimal: string): number {
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  return (decimal.startsWith("-") ? -1 : 1) * Number(whole + fraction.padEnd(2, "0")) || 0;
}

export function toDecimal(hundredths: number): string {
  const digits = String(Math.abs(hundredths)).padStart(3, "0");
  return `${hundredths < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Each type of field: how a value is read, and the default of a field that is left out. */
export const TYPES: Readonly<Record<string, readonly [read: Read, valueIfLeftOut?: unknown]>> = {
  text: [text(2_000), ""],
  name: [text(200), ""],
  long: [text(4_000), ""],
  html: [text(65_536), ""],
  logo: [text(262_144), ""],
  any: [any(2_000)],
  longAny: [any(4_000)],
  htmlAny: [any(65_536)],
  id: [id],
  event: [text(64, /^(?!sealed:)./su)],
  account: [text(15, /^[1-9]\d*$/)],
  digits: [text(15, /^[1-9]\d*$/)],
  barcode: [text(15, /^\d+$/), "0"],
  decimal: [
    (value) => (DECIMAL.test(String(value)) && typeof value === "string" ? toDecimal(toHundredths(value)) : BAD),
    "0.00",
  ],
  flag: [number(0, 1), 0],
  count: [number(0, 999_999_999), 0],
  signed: [number(-999_999_999, 999_999_999), 0],
  level: [number(1, 5)],
  latitude: [number(-90, 90, false)],
  longitude: [number(-180, 180, false)],
  kind: [text(7, /^(store|mfg|digital)$/)],
  date: [day],
  time: [time],
  /** A null means the current time. */
  now: [(value) => (value === null ? null : time(value)), null],
  end: [(value) => (day(value) === BAD ? time(value) : value)],
  zone: [zone, "UTC"],
  lines: [list(text(200), 20), []],
  admins: [list(text(2_000), 20_000)],
  customers: [list(id, 100, 2)],
  stores: [(value) => (value === "all" ? value : list(id, 20_000)(value)), "all"],
};
