import { type Field, kindsOf, type Row } from "./kinds.ts";
import { type Read, TYPES, text, whole } from "./values.ts";

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

/** The parameters of each endpoint. */
export const PARAMETERS: Readonly<Record<string, readonly Field[]>> = Object.fromEntries(
  kindsOf(TABLE).map(({ record, fields }) => [record, fields]),
);

const NUMBERS = ["page", "size", "level", "latitude", "longitude"];
const LISTS = ["stores", "customers", "campaigns"];
const search = text(100);
/** The parts between commas, without blanks around them and without empty ones. */
const parts = (value: unknown) => String(value).match(/[^\s,]([^,]*[^\s,])?/g) ?? [];

/** How the types are read that the feed does not have. */
const READERS: Readonly<Record<string, Read>> = {
  search,
  page: whole(1, 999_999_999),
  size: whole(1, 100),
  boolean: (value) => (/^(true|false|1|0)$/i.test(String(value)) ? /^(true|1)$/i.test(String(value)) : undefined),
  jsonBoolean: (value) => (typeof value === "boolean" ? value : undefined),
  accountId: text(15, /^[1-9]\d*$/),
  issued: text(5, /^(store|mfg)$/),
  rank: text(6, /^(run|hit|double|triple)$/),
  query: (value) => (typeof value === "string" ? text(100, /^.{3}/su)(value.trim()) : undefined),
  ids: (value) => {
    const all = [value].flat().flatMap(parts);
    return all.every((one) => readAs("id", one) !== undefined) ? all : undefined;
  },
  lists: (value) => {
    const all = search(value) === undefined ? ["?"] : parts(value);
    if (!all.every((part) => LISTS.includes(part))) return undefined;
    return all.length > 0 ? all : LISTS;
  },
};

/** Reads a value. Undefined: it is invalid. */
function readAs(type: string, value: unknown): unknown {
  const isNumber = NUMBERS.includes(type) && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
  return (READERS[type] ?? TYPES[type]?.[0])?.(isNumber ? Number(value) : value);
}

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
    else if (!isList) parameters[name] = readAs(type, value);
    if (parameters[name] === undefined && (isRequired || value !== undefined)) bad.push(name);
  }
  return { parameters, bad: bad.sort() };
}
