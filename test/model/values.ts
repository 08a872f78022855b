import { isDate, toUtc } from "./time.ts";

// The values of the feed's fields (docs/contract/feed.md, 3).

/** Reads a value: returns it in the form in which it is stored, or undefined if it is invalid. */
export type Read = (value: unknown) => unknown;

function only(isGood: (value: unknown) => boolean): Read {
  return (value) => (isGood(value) ? value : undefined);
}

/** A text of at most this many code points, without NUL and without halves of surrogate pairs. */
export const text = (most: number, pattern = /^/su): Read =>
  only((value) => {
    if (typeof value !== "string" || !value.isWellFormed() || value.includes("\0")) return false;
    return pattern.test(value) && [...value].length <= most;
  });
export const number = (least: number, most: number): Read =>
  only((value) => typeof value === "number" && value >= least && value <= most);
export const whole = (least: number, most: number): Read =>
  only((value) => Number.isInteger(value) && number(least, most)(value) !== undefined);
const list = (item: Read, most: number, least = 0): Read =>
  only((value) => {
    const isList = Array.isArray(value) && value.length >= least && value.length <= most;
    return isList && value.every((one) => item(one) !== undefined);
  });
/** A JSON string, boolean, null, or a number that can be stored exactly. */
const any = (most: number): Read =>
  only((value) => {
    if (typeof value === "string") return text(most)(value) !== undefined;
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return isExact || typeof value === "boolean" || value === null;
  });

const ID = /^./su;
export const id = text(64, ID);
export const time: Read = (value) => (typeof value === "string" ? toUtc(value) : undefined);
const day = only((value) => typeof value === "string" && isDate(value));
const decimal: Read = (value) =>
  typeof value === "string" && /^-?\d{1,12}(\.\d{1,2})?$/.test(value) ? Number(value).toFixed(2) : undefined;
// Intl also accepts offsets and abbreviations, which the contract refuses.
const ZONE = /^(?![a-z]{3}$|systemv\/)[a-z][\w+/-]{0,63}$|^(UTC|GMT|UCT|[CEMW]ET|[EHM]ST|PRC|ROC|ROK)$/i;

const zone = only((name) => {
  try {
    return typeof name === "string" && ZONE.test(name) && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
});

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
  decimal: [decimal, "0.00"],
  flag: [whole(0, 1), 0],
  count: [whole(0, 999_999_999), 0],
  signed: [whole(-999_999_999, 999_999_999), 0],
  level: [whole(1, 5)],
  latitude: [number(-90, 90)],
  longitude: [number(-180, 180)],
  kind: [text(7, /^(store|mfg|digital)$/)],
  date: [day],
  time: [time],
  /** A null means the current time. */
  now: [(value) => (value === null ? null : time(value)), null],
  end: [(value) => day(value) ?? time(value)],
  zone: [zone, "UTC"],
  lines: [list(text(200), 20), []],
  admins: [list(text(2_000), 20_000)],
  customers: [list(id, 100, 2)],
  stores: [(value) => (value === "all" ? value : list(id, 20_000)(value)), "all"],
};
