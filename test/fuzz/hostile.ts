import fc from "fast-check";

// Values that often break programs, and random values.

/** Texts without blanks that mean something to SQL, FTS5, JavaScript, paths, lists or readers of numbers and dates. */
const WORDS =
  String.raw`' " \ \u0000 % _ * ? $ $.a[0] ((( ) ^abc* name:x __proto__ constructor toString ../../../etc/passwd .. .
  %00 %2e%2e%2f %zz %25 a/b a?b#c <script>alert(1)</script> {"foreign":[1]} {"faults":[[1,0]]} , ,,, a,b,,a
  true TRUE null undefined NaN Infinity 1e3 0x10 8x -0 00 -1 1.50 +1 ١٢٣ 999999999.99 -999999999.99 1000000000 9007199254740993
  0000-01-01 2026-02-29 9999-12-31 -2026-01-01 İıſKﬀßøł 👩‍👩‍👧‍👦 Z̷̛a̸͝l̶g̵o̴`.split(/\s+/);

const TEXTS = [
  ...WORDS,
  ...[
    "",
    " ",
    "`",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udfff\ud800",
    "\ufeff",
    "\ufffe",
    "\u202eevil",
    "\u2028",
    "\u0301",
  ],
  ...["𝕬".repeat(64), "é".repeat(65), "x".repeat(100), "x".repeat(101), "🎉".repeat(200), "🎉".repeat(201)],
  ...["a".padEnd(31, "\u0301"), "a".padEnd(32, "\u0316\u0301")],
  ...["x".repeat(2_001), "x".repeat(4_001), "9".repeat(400)],
  ...[
    "';DROP TABLE customers;--",
    "' OR '1'='1",
    "x') UNION SELECT 1 --",
    "\r\nX-Injected: 1",
    "\n    at secret (place.ts:1:1)",
  ],
  ...["NEAR(a b, 2)", '"unclosed', "a AND NOT b OR c", "{a b} : c", "-abc +def"],
  ...["2026-02-30 00:00:00", "2026-01-01 24:00:00", "9999-12-31 23:59:59"],
  // The cursor of a page of messages.
  "2026-01-01 00:00:00 2026-01-01 00:00:01 fg1",
];

/** A text from the list above, or a random text: from every plane, or with halves of surrogate pairs. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 70 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 110 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  },
);

const RAW = "\u0001raw:";

/** JSON text that `JSON.stringify` never writes, such as numbers beyond floats, or a key twice. */
const rawJson = fc
  .constantFrom(
    "1e400",
    "-1e400",
    "-0",
    "-0.0",
    "1E5",
    "8.0",
    "0.1e1",
    "9007199254740993",
    "1e-400",
    '{"a":1,"a":2}',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{"status":1}}',
  )
  .map((text) => RAW + text);

const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 8, 50, 100, 101, 0.1 + 0.2, 1e-7, 90, 90.0000001, -90, 180, -180, 180.0000001),
  fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 1e21, 1.7e308, 5e-324, 999_999_999, 1e9),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = around(value);
  return value;
}

const deepValue = fc
  .record({ depth: fc.constantFrom(3, 100, 1_500), inArray: fc.boolean() })
  .map(({ depth, inArray }) => nested(depth, (inner) => (inArray ? [inner] : { a: inner })));

/** A value of any type. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], undefined) },
  { weight: 2, arbitrary: rawJson },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 25 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, number, { maxKeys: 4 }) },
  { weight: 1, arbitrary: deepValue },
);

/** The JSON text of a value, in which the texts of `rawJson` stand unchanged. */
export function toHostileJson(value: unknown): string {
  return (JSON.stringify(value) ?? "").replaceAll(/"\\u0001raw:((?:[^"\\]|\\.)*)"/g, (_, raw: string) =>
    JSON.parse(`"${raw}"`),
  );
}

/** A hostile value instead of this value. Instead of a list, it may be the list with one hostile item. */
function toHostile(value: unknown): fc.Arbitrary<unknown> {
  if (!Array.isArray(value) || value.length === 0) return hostileValue;
  const hostileList = hostileValue.map((item) => value.with(0, item));
  return fc.oneof(hostileValue, hostileList);
}

/** The object with one to three fields replaced by hostile values. */
export function withHostileFields(object: Record<string, unknown>, fields: readonly string[]) {
  const change = fc
    .oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, fc.constant("__proto__"))
    .chain((field) => fc.tuple(fc.constant(field), toHostile(object[field])));
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  return changes.map((entries) => ({ ...object, ...Object.fromEntries(entries) }));
}

/** The text with a part replaced, as a broken client might send it. */
export function withDamage(text: string): fc.Arbitrary<string> {
  return fc
    .record({ at: fc.nat(Math.max(0, text.length)), length: fc.nat(12), into: hostileText })
    .map(({ at, length, into }) => text.slice(0, at) + into + text.slice(at + length));
}
