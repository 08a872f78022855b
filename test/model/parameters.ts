import type { Row } from "./kinds.ts";
import { BAD, id, text, time } from "./values.ts";

// The parameters of customers' requests (docs/contract/interface.md, 1 and 4).

/** A request of a customer. */
export interface Call {
  method: "GET" | "POST";
  /** The path with the query. */
  path: string;
  body?: unknown;
}

type Read = (value: unknown) => unknown;

const search = text(100);
const flag: Read = (value) => (/^(true|false|1|0)$/i.test(String(value)) ? /^(true|1)$/i.test(String(value)) : BAD);
const number =
  (least: number, most: number, isWhole = true): Read =>
  (value) => {
    const isNumber = typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
    const read = isNumber ? Number(value) : Number.NaN;
    return read >= least && read <= most && (!isWhole || Number.isInteger(read)) ? read : BAD;
  };
const oneOf =
  (...values: string[]): Read =>
  (value) =>
    values.includes(String(value)) ? value : BAD;
const parts = (list: string) =>
  list
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
const ids: Read = (value) => {
  const read = [value].flat().flatMap((list) => parts(String(list)));
  return read.some((one) => id(one) === BAD) ? BAD : read;
};
const LISTS = ["stores", "customers", "campaigns"];
const lists: Read = (value) => {
  const read = search(value) === BAD ? ["?"] : parts(String(value));
  if (!read.every((part) => LISTS.includes(part))) return BAD;
  return read.length > 0 ? read : LISTS;
};
const query: Read = (value) => (typeof value === "string" ? text(100, /^.{3}/su)(value.trim()) : BAD);

interface Parameter {
  read: Read;
  isRequired?: true;
  valueIfLeftOut?: unknown;
  isList?: true;
  /** In a body, `""` and null mean that the parameter is left out. */
  isText?: true;
}

const PAGING = {
  page: { read: number(1, 999_999_999), valueIfLeftOut: 1 },
  per_page: { read: number(1, 100), valueIfLeftOut: 50 },
};

/** The parameters of each endpoint. The key is the last segment of the endpoint's path. */
export const PARAMETERS: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = {
  "near-by-popular-campaigns": {
    count: { read: number(1, 100), valueIfLeftOut: 8 },
    latitude: { read: number(-90, 90, false), isRequired: true },
    longitude: { read: number(-180, 180, false), isRequired: true },
    single_account_id: { read: id, isRequired: true },
  },
  messages: { ...PAGING, check_time: { read: time } },
  "team-with-level": { ...PAGING, level_no: { read: number(1, 5) }, team_member_id: { read: id } },
  coupons: {
    includemfg: { read: flag, valueIfLeftOut: false },
    include_images: { read: flag, valueIfLeftOut: false },
    search: { read: search },
    type: { read: search },
    accountId: { read: id },
  },
  "my-coupons": {
    ...PAGING,
    digitalonly: { read: flag, valueIfLeftOut: false },
    search: { read: search },
    type: { read: oneOf("store", "mfg") },
    storeId: { read: ids, isList: true, valueIfLeftOut: [] },
    includemfg: { read: flag, valueIfLeftOut: true },
  },
  "full-search": {
    query: { read: query, isRequired: true },
    filter: { read: lists, valueIfLeftOut: LISTS, isText: true },
    typos: { read: (value) => (typeof value === "boolean" ? value : BAD), valueIfLeftOut: true },
  },
  leaderboard: {
    location_id: { read: id, isRequired: true, isText: true },
    eip_campaign_id: { read: id, isText: true },
  },
  me: {},
  entries: { limit: { read: number(1, 100), valueIfLeftOut: 50 }, account_id: { read: text(15, /^[1-9]\d*$/) } },
};

/** Reads the parameters of a call, or returns the names of the wrong parameters. */
export function readParameters(endpoint: string, { path, body }: Call): { parameters: Row } | { bad: string[] } {
  const searchParams = new URL(path, "https://any.example").searchParams;
  const inQuery = (name: string) => {
    const values = searchParams.getAll(name);
    if (values.length > 1) return values;
    return values[0] === "" ? undefined : values[0];
  };
  const sentValue = (name: string, { isText }: Parameter) => {
    if (body === undefined) return inQuery(name);
    const value = (body as Row)[name];
    const valueInBody = isText && (value === "" || value === null) ? undefined : value;
    if (name !== "location_id" || valueInBody !== undefined) return valueInBody;
    const ids = searchParams.getAll(name).filter((id) => id !== "");
    return ids.length > 1 ? ids : ids[0];
  };
  const entries = Object.entries(PARAMETERS[endpoint] ?? {}).map(([name, parameter]) => {
    const value = sentValue(name, parameter);
    if (value === undefined) return [name, parameter.isRequired ? BAD : parameter.valueIfLeftOut] as const;
    return [name, Array.isArray(value) && !parameter.isList ? BAD : parameter.read(value)] as const;
  });
  const bad = entries.filter(([, value]) => value === BAD).map(([name]) => name);
  return bad.length > 0 ? { bad } : { parameters: Object.fromEntries(entries) };
}

export function toQuery(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
}
