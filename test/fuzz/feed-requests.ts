import fc from "fast-check";
import { KINDS, RESTORED_KINDS } from "../../src/feed/records/index.ts";
import type { Kind } from "../../src/feed/records/kind.ts";
import { fitting, nearly } from "./fitting.ts";
import { damaged, hostileText, hostileValue, toHostileJson } from "./hostile.ts";
import { type FuzzedRequest, headers } from "./requests.ts";
import { plausible } from "./world.ts";

/** A line of a kind: a valid record, one with wrong fields, or a delete. */
function lineOf(kind: Kind): fc.Arbitrary<string> {
  const { record, fields } = kind;
  const whole = fitting(fields, plausible(record)).map((object) => ({ record, ...object }));
  const key = new Set(["record", ...kind.keyFields]);
  const deleting = whole.map((line) => ({
    ...Object.fromEntries(Object.entries(line).filter(([field]) => key.has(field))),
    deleted: true,
  }));
  return fc
    .oneof(
      { weight: 5, arbitrary: whole },
      { weight: 3, arbitrary: nearly(whole, ["record", ...Object.keys(fields.shape)]) },
      { weight: 1, arbitrary: deleting },
    )
    .map(toHostileJson);
}

function lineOfAny(kinds: readonly Kind[]): fc.Arbitrary<string> {
  const line = fc.oneof(...kinds.map(lineOf));
  return fc.oneof(
    { weight: 30, arbitrary: line },
    { weight: 2, arbitrary: line.chain(damaged) },
    { weight: 1, arbitrary: fc.oneof(hostileText, hostileValue.map(toHostileJson)) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "{}", "[]", "{", '{"record":'.repeat(2_000), "\ufeff{}", "\r") },
  );
}

function bodyOf(line: fc.Arbitrary<string>): fc.Arbitrary<FuzzedRequest["body"]> {
  return fc
    .record({ lines: fc.array(line, { maxLength: 8 }), end: fc.constantFrom("\n", "\r\n", "\n\n"), cut: fc.nat(400) })
    .chain(({ lines, end, cut }) => {
      const text = lines.join(end);
      const bytes = new TextEncoder().encode(text);
      return fc.oneof(
        { weight: 12, arbitrary: fc.constant(text) },
        { weight: 1, arbitrary: fc.constant(new Uint8Array(bytes.subarray(0, Math.max(0, bytes.length - cut)))) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((random) => new Uint8Array(random)) },
      );
    });
}

function requestTo(line: fc.Arbitrary<string>, caller: fc.Arbitrary<FuzzedRequest["caller"]>) {
  return fc.record({
    path: fc.constant("/api/v1/feed"),
    method: fc.constant("POST"),
    target: fc.constant("/api/v1/feed"),
    headers,
    body: bodyOf(line),
    caller,
  });
}

export const feedRequest: fc.Arbitrary<FuzzedRequest> = requestTo(
  lineOfAny(KINDS),
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ accounts: "*" as const }) },
    { weight: 2, arbitrary: fc.constantFrom(["901"], ["902"], ["901", "902"], []).map((accounts) => ({ accounts })) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
);

// Mostly messages and groups, because a restore treats them differently from a feed.
const restoreLine = fc.oneof(
  lineOfAny(RESTORED_KINDS),
  lineOfAny(RESTORED_KINDS.filter(({ record }) => /message|program/.test(record))),
);

export const restoreRequest: fc.Arbitrary<FuzzedRequest> = requestTo(
  restoreLine,
  fc.constant({ accounts: "*" as const, restores: true as const }),
);
