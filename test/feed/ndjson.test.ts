import { describe, it } from "vitest";
import { splitLines } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { feed } from "../support/api.ts";
import { FEED_BYTES } from "../support/feed-bytes.ts";
import * as seed from "../support/seed.ts";

const LARGEST_BODY = 2 * 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("the lines of a body", () => {
  it("are split only as far as they are read", ({ expect }) => {
    const lines = splitLines(bytes("a\n\nb\n".repeat(1_000_000)));

    expect([lines.next().value, lines.next().value, lines.next().value]).toEqual([
      { number: 1, text: "a" },
      { number: 3, text: "b" },
      { number: 4, text: "a" },
    ]);
  });
});

describe("a body by its bytes", () => {
  it.for(FEED_BYTES)("is read as it is written down: $what", async ({ body, lines, bad }, { expect }) => {
    const answer = await feed(new Blob([body]));

    const messages = Object.entries(bad).map(([line, text]) => [line, [text]]);
    if (messages.length === 0) expect(answer.body).toEqual({ status: true, items: { accepted: lines, ignored: 0 } });
    else expect(answer.body.messages).toEqual(Object.fromEntries(messages));
  });
});

/** Every list among the fields of a record, as the path to it. */
function listsOf(schema: object, path: string[] = []): string[][] {
  const { def } = (schema as { _zod: { def: Record<string, unknown> } })._zod;
  if (def.type === "array") return [path];
  const fields = def.type === "object" ? Object.entries(def.shape as Record<string, object>) : [];
  const inner = [def.innerType, def.in, def.out, ...((def.options as object[] | undefined) ?? [])].filter(Boolean);
  return [
    ...fields.flatMap(([name, field]) => listsOf(field, [...path, name])),
    ...inner.flatMap((one) => listsOf(one as object, path)),
  ];
}

describe("a line that fills the largest request with one list", () => {
  const lists = KINDS.flatMap(({ record, fields }) => listsOf(fields).map((path) => ({ record, path })));

  it("is tried with every list of every kind", ({ expect }) => {
    expect(new Set(lists.map(({ path }) => path.join(".")))).toEqual(
      new Set(["store_ids", "member_ids", "header_lines", "text_lines", "loyalty_options.notify_user_admin"]),
    );
  });

  it.for(lists)(
    "is a bad line, and is not parsed beyond 100,000 values: $record $path",
    async ({ record, path }, { expect }) => {
      const lineWith = (items: number) => {
        const before = path.map((name) => `{"${name}":`).join("");
        return `{"record":"${record}",${before.slice(1)}[${"1,".repeat(items - 1)}1]${"}".repeat(path.length)}`;
      };

      const largest = await feed(lineWith(LARGEST_BODY / 2 - 100));
      const parsed = await feed(lineWith(99_990));

      expect(largest.body.messages).toEqual({ "line 1": ["must hold at most 100000 values"] });
      expect(Object.keys(parsed.body.messages)).toContain(`line 1.${path[0]}`);
    },
  );

  it.for([
    ["lists", `[${"[],".repeat(100_000)}1]`],
    ["objects", `[${"{},".repeat(100_000)}1]`],
    ["fields", `{${Array.from({ length: 100_001 }, (_, index) => `"${index}":1`).join()}}`],
  ] as const)("is a bad line for its %s in a field that nobody knows, too", async ([, json], { expect }) => {
    const answer = await feed(`{"record":"customer","id":"x","first_name":"a","last_name":"b","unknown":${json}}`);

    expect(answer.body.messages).toEqual({ "line 1": ["must hold at most 100000 values"] });
  });

  it("may hold as many commas, brackets and quotes as it likes in its texts", async ({ expect }) => {
    const text = '[{,\\"'.repeat(5_000);
    const customer = { ...seed.customer(), unknown: Array.from({ length: 20 }, () => text) };

    expect((await feed([customer])).body).toEqual({ status: true, items: { accepted: 1, ignored: 0 } });
  });
});
