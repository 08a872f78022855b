import fc from "fast-check";
import { RESTORED_KINDS } from "../../src/records/index.ts";
import type { Row } from "../model/kinds.ts";
import { SUMMARIZED_KINDS } from "../retention/support.ts";
import { hostileText, hostileValue, toHostileJson, withDamage, withHostileFields } from "./hostile.ts";
import { type FuzzedRequest, fromEachCall, headers, NOW, program, systemClaims } from "./requests.ts";

const FIELDS = new Map(RESTORED_KINDS.map(({ record, fields }) => [record, Object.keys(fields.shape)]));

/** The text of a line: usually as it is, otherwise with wrong fields or damage, or another text. */
const lineText = (line: Row): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(toHostileJson(line)) },
    {
      weight: 6,
      arbitrary: withHostileFields(line, ["record", "deleted", ...(FIELDS.get(line.record) ?? [])]).map(toHostileJson),
    },
    { weight: 1, arbitrary: withDamage(toHostileJson(line)) },
    { weight: 1, arbitrary: fc.oneof(hostileText, hostileValue.map(toHostileJson)) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "{}", "[]", "{", '{"record":'.repeat(2_000), "\ufeff{}", "\r") },
  );

const bodyOf = (lines: readonly Row[]): fc.Arbitrary<FuzzedRequest["body"]> =>
  fc
    .record({ texts: fc.tuple(...lines.map(lineText)), end: fc.constantFrom("\n", "\r\n", "\n\n"), cut: fc.nat(400) })
    .chain(({ texts, end, cut }) => {
      const text = texts.join(end);
      const bytes = new TextEncoder().encode(text);
      return fc.oneof(
        { weight: 12, arbitrary: fc.constant(text) },
        { weight: 1, arbitrary: fc.constant(new Uint8Array(bytes.subarray(0, Math.max(0, bytes.length - cut)))) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((random) => new Uint8Array(random)) },
      );
    });

const requestWith = (lines: readonly Row[], claims: FuzzedRequest["claims"]): fc.Arbitrary<FuzzedRequest> =>
  fc.record({
    path: fc.constant("/api/v1/feed"),
    method: fc.constant("POST"),
    target: fc.constant("/api/v1/feed"),
    headers,
    body: bodyOf(lines),
    claims: fc.oneof({ weight: 9, arbitrary: fc.constant(claims) }, fc.constant(null)),
  });

const changes = fromEachCall(() => program.changes(NOW));

export const feedRequest = changes.chain(({ lines, accounts }) => requestWith(lines, systemClaims("feed", accounts)));

const TIME = "2026-01-01 00:00:00";
/** A line that only a restore takes. */
const PROGRAM = { record: "program", message_stamp: TIME, message_clock_said: TIME, horizon: TIME, retention_steps: 1 };

/** The line, or a summary in its place, or a line that only a restore takes. */
const restoredLine = (line: Row): fc.Arbitrary<Row> => {
  const { id: _, ...summary } = line;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(line) },
    { weight: 3, arbitrary: fc.constant(SUMMARIZED_KINDS.includes(line.record) ? { ...summary, sealed: true } : line) },
    { weight: 1, arbitrary: fc.constant(PROGRAM) },
  );
};

export const restoreRequest = changes
  .chain(({ lines }) => fc.tuple(...lines.map(restoredLine)))
  .chain((lines) => requestWith(lines, systemClaims("feed restore")));
