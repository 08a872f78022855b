import { describe, it } from "vitest";
import { splitLines } from "../../src/feed/ndjson.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { feed } from "../support/api.ts";
import { FEED_BYTES } from "../support/feed-bytes.ts";

const LARGEST_BODY = 8 * 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("the lines of a body", () => {
  it("are split no further than they are asked for, however many there are", ({ expect }) => {
    const lines = splitLines(bytes("a\n\nb\n".repeat(1_000_000)), 3);

    expect(lines).toEqual([
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

  it.for(lists)("is a bad line: $record $path", async ({ record, path }, { expect }) => {
    const before = path.map((name) => `{"${name}":`).join("");
    const list = `[${"1,".repeat(LARGEST_BODY / 2 - 100)}1]`;
    const line = `{"record":"${record}",${before.slice(1)}${list}${"}".repeat(path.length)}`;

    const answer = await feed(line);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toContain(`line 1.${path[0]}`);
  });
});
