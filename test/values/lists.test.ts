import { describe, it } from "vitest";
import { checkFields } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/records/index.ts";
import { toDecimal } from "../../src/values/decimal.ts";
import { campaign, coupon, entry } from "../support/seed.ts";

// The lists of docs/contract/values, which feeders in other languages read too.

const texts: Record<string, string> = import.meta.glob("../../docs/contract/values/*.jsonl", {
  query: "?raw",
  import: "default",
  eager: true,
});

type Line = Record<string, unknown>;

/** For each list: a line with a value of the list, and the field that has it. */
const LISTS: Readonly<Record<string, [field: string, line: Line]>> = {
  times: ["created_at", entry("c", "s", "1.00")],
  amounts: ["amount", entry("c", "s", "1.00")],
  ids: ["store_id", entry("c", "s", "1.00")],
  "account-ids": ["account_id", campaign("165")],
  zones: ["time_zone", campaign("165")],
  barcodes: ["coupon_barcode", coupon("165")],
};

const valuesOf = (list: string): unknown[] =>
  (texts[`../../docs/contract/values/${list}.jsonl`] ?? "")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));

function check(list: string, value: unknown) {
  const [field = "", line] = LISTS[list] ?? [];
  return { field, checked: checkFields(JSON.stringify({ ...line, [field]: value }), KINDS) };
}

describe.for(Object.keys(LISTS))("the list of %s", (list) => {
  it.for(valuesOf(`${list}.valid`))("has the valid value %j", (entry, { expect }) => {
    // A time or an amount stands before what an export gives for it.
    const [given, stored] = Array.isArray(entry) ? entry : [entry, entry];

    const { field, checked } = check(list, given);

    const value = "fields" in checked ? checked.fields[field] : checked.messages;
    expect(list === "amounts" ? toDecimal(Number(value)) : value).toBe(stored);
  });

  it.for(valuesOf(`${list}.invalid`))("has the invalid value %j", (value, { expect }) => {
    const { field, checked } = check(list, value);

    expect("messages" in checked && Object.keys(checked.messages)).toEqual([field]);
  });
});

describe("the folder of lists", () => {
  it("has two lists of each kind of value", ({ expect }) => {
    const names = Object.keys(texts).map((file) => file.replace(/.*\//, "").replace(".jsonl", ""));

    expect(names).toEqual(
      Object.keys(LISTS)
        .flatMap((list) => [`${list}.invalid`, `${list}.valid`])
        .sort(),
    );
  });
});
