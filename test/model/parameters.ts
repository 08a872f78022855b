import * as z from "zod";
import { type Field, id, kindsOf, type Row, readFields, TYPES, type Types, text, whole } from "./kinds.ts";

// The parameters of customers' requests (docs/contract/interface.md, 1 and 4).

/** A request of a customer. */
export interface Call {
  method: "GET" | "POST";
  /** The path with the query. */
  path: string;
  body?: unknown;
}

/** Each endpoint's parameters, declared like the fields of records, after the last segment of the endpoint's path. */
const TABLE = `
near-by-popular-campaigns count:size=8 latitude!:latitude longitude!:longitude single_account_id!:idOrNumber
messages page:page=1 per_page:size=50 check_time:time
team-with-level page:page=1 per_page:size=50 level_no:level team_member_id:id
coupons includemfg:boolean=false include_images:boolean=false search:search type:search accountId:id
my-coupons page:page=1 per_page:size=50 digitalonly:boolean=false search:search type:issued storeId:ids=[]
  includemfg:boolean=true
full-search query!:query filter:lists=[] typos:jsonBoolean=true
leaderboard location_id!:idOrNumber eip_campaign_id:idOrNumber rank_on:rank="run"
me
entries limit:size=50 account_id:digits`;

export const SEARCHED_LISTS = ["stores", "customers", "campaigns"];
const NUMBER = /^-?\d+(\.\d+)?$/;
/** A number, or a text such as `8` and `-1.5`. */
const numeric = (number: z.ZodNumber) =>
  z.preprocess((value) => (typeof value === "string" && NUMBER.test(value) ? Number(value) : value), number);
/** The parts between commas, without blanks around them and without empty ones. */
const parts = (list: string): string[] => list.match(/[^\s,]([^,]*[^\s,])?/g) ?? [];
/** The parts, and the whole text, which may be an id with commas. */
const partsAndWhole = (list: string): string[] => {
  const whole = list.trim();
  return whole.includes(",") && parts(list).length > 0 && id.safeParse(whole).success
    ? [...parts(list), whole]
    : parts(list);
};
/** The names of lists in a text or an array of texts, in any case and also in the singular. */
const listNames = (value: unknown): unknown => {
  const texts = z.array(text(100)).safeParse([value].flat()).data;
  return texts?.flatMap(parts).map((name) => name.toLowerCase().replace(/([^s])$/, "$1s")) ?? value;
};

/** The types that the feed does not have, or that it reads otherwise. */
const PARAMETER_TYPES: Types = {
  search: [text(100)],
  page: [numeric(whole(1, 999_999_999))],
  size: [numeric(whole(1, 100))],
  level: [numeric(whole(1, 5))],
  latitude: [numeric(z.number().min(-90).max(90))],
  longitude: [numeric(z.number().min(-180).max(180))],
  boolean: [z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })],
  jsonBoolean: [z.boolean()],
  idOrNumber: [z.preprocess((value) => (Number.isSafeInteger(value) ? `${value}` : value), id)],
  issued: [
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(["store", "mfg"])),
  ],
  rank: [
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(["run", "hit", "double", "triple"])),
  ],
  // A letter of these scripts counts as two for the shortest query.
  query: [
    z
      .string()
      .trim()
      .pipe(text(100))
      .refine((value) => {
        const letters =
          value.normalize("NFC").match(/(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu) ?? [];
        return [...value.normalize("NFC")].length + letters.length >= 3;
      }),
  ],
  ids: [z.preprocess((value) => [value].flat().map(String).flatMap(partsAndWhole), z.array(id))],
  lists: [z.preprocess(listNames, z.array(z.enum(SEARCHED_LISTS)))],
};

/** The parameters of each endpoint. */
export const PARAMETERS: Readonly<Record<string, readonly Field[]>> = Object.fromEntries(
  kindsOf(TABLE, { ...TYPES, ...PARAMETER_TYPES }).map(({ record, fields }) => [record, fields]),
);

const oneOrAll = (values: string[]) => (values.length > 1 ? values : values[0] || undefined);

/** Reads the parameters of a call, and finds the names of the wrong ones. */
export function readParameters(endpoint: string, { path, body }: Call): { parameters: Row; bad: string[] } {
  const { searchParams } = new URL(path, "https://any.example");
  const sentValue = ({ name, type }: Field) => {
    const inQuery = searchParams.getAll(name);
    if (body === undefined) return oneOrAll(inQuery);
    const value = (body as Row)[name] ?? undefined;
    if (value !== undefined && value !== "") return value;
    // An empty text means that a text is absent. For a number it is an error.
    if (value === "" && (type === "size" || type === "jsonBoolean")) return "wrong";
    return name === "location_id" ? oneOrAll(inQuery.filter((id) => id !== "")) : undefined;
  };
  const fields = PARAMETERS[endpoint] ?? [];
  const values = fields.map((parameter) => [parameter.name, sentValue(parameter)]);
  const { row, bad } = readFields(fields, Object.fromEntries(values));
  return { parameters: row, bad: bad.sort() };
}
