import { type Field, kindOf, type Row } from "./kinds.ts";
import { id, number, type Read, text, time, whole } from "./values.ts";

// The parameters of customers' requests (docs/contract/interface.md, 1 and 4).

/** A request of a customer. */
export interface Call {
  method: "GET" | "POST";
  /** The path with the query. */
  path: string;
  body?: unknown;
}

/** Declared like the fields of records. Each begins with the last segment of the endpoint's path. */
const TABLE = `
near-by-popular-campaigns count:size=8 latitude!:latitude longitude!:longitude single_account_id!:id
messages page:page=1 per_page:size=50 check_time:time
team-with-level page:page=1 per_page:size=50 level_no:level team_member_id:id
coupons includemfg:boolean=false include_images:boolean=false search:search type:search accountId:id
my-coupons page:page=1 per_page:size=50 digitalonly:boolean=false search:search type:issued storeId:ids=[]
  includemfg:boolean=true
full-search query!:query filter:lists=["stores","customers","campaigns"] typos:jsonBoolean=true
leaderboard location_id!:id eip_campaign_id:id rank_on:rank="run"
me
entries limit:size=50 account_id:accountId`;

const DECLARATIONS = TABLE.trim().split(/\n(?! )/);

/** The parameters of each endpoint. */
export const PARAMETERS: Readonly<Record<string, readonly Field[]>> = Object.fromEntries(
  DECLARATIONS.map((declaration) => kindOf(declaration)).map(({ record, fields }) => [record, fields]),
);

const toNumber = (value: unknown) =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
const parts = (value: unknown) =>
  String(value)
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
const search = text(100);
const LISTS = ["stores", "customers", "campaigns"];

const READERS: Readonly<Record<string, Read>> = {
  id,
  time,
  search,
  page: (value) => whole(1, 999_999_999)(toNumber(value)),
  size: (value) => whole(1, 100)(toNumber(value)),
  level: (value) => whole(1, 5)(toNumber(value)),
  latitude: (value) => number(-90, 90)(toNumber(value)),
  longitude: (value) => number(-180, 180)(toNumber(value)),
  boolean: (value) => (/^(true|false|1|0)$/i.test(String(value)) ? /^(true|1)$/i.test(String(value)) : undefined),
  jsonBoolean: (value) => (typeof value === "boolean" ? value : undefined),
  accountId: text(15, /^[1-9]\d*$/),
  issued: text(5, /^(store|mfg)$/),
  rank: text(6, /^(run|hit|double|triple)$/),
  query: (value) => (typeof value === "string" ? text(100, /^.{3}/su)(value.trim()) : undefined),
  ids: (value) => {
    const all = [value].flat().flatMap(parts);
    return all.every((one) => id(one) !== undefined) ? all : undefined;
  },
  lists: (value) => {
    const all = search(value) === undefined ? ["?"] : parts(value);
    if (!all.every((part) => LISTS.includes(part))) return undefined;
    return all.length > 0 ? all : LISTS;
  },
};

const oneOrAll = (values: string[]) => (values.length > 1 ? values : values[0] || undefined);

/** Reads the parameters of a call, and finds the names of the wrong ones. */
export function readParameters(endpoint: string, { path, body }: Call): { parameters: Row; bad: string[] } {
  const { searchParams } = new URL(path, "https://any.example");
  const sentValue = ({ name, type }: Field) => {
    const inQuery = searchParams.getAll(name);
    if (body === undefined) return oneOrAll(inQuery);
    const value = (body as Row)[name];
    const isEmptyText = (value === "" || value === null) && type !== "size" && type !== "jsonBoolean";
    if (!isEmptyText && value !== undefined) return value;
    return name === "location_id" ? oneOrAll(inQuery.filter((id) => id !== "")) : undefined;
  };
  const parameters: Row = {};
  const bad: string[] = [];
  for (const parameter of PARAMETERS[endpoint] ?? []) {
    const { name, type, isRequired, valueIfLeftOut } = parameter;
    const value = sentValue(parameter);
    const isList = Array.isArray(value) && type !== "ids";
    if (value === undefined) parameters[name] = valueIfLeftOut;
    else if (!isList) parameters[name] = READERS[type]?.(value);
    if (parameters[name] === undefined && (isRequired || value !== undefined)) bad.push(name);
  }
  return { parameters, bad: bad.sort() };
}
