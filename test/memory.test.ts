import { describe, it } from "vitest";
import "../src/index.ts";
import { COMPILED } from "../src/db/compile.ts";
import { SHAPES } from "./statements/shapes.ts";

const SOURCES: Record<string, string> = import.meta.glob("../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

const KIB = 1024;
const MIB = 1024 * KIB;
const MOST_BYTES = 104 * MIB;
const STATEMENT_BYTES = 19 * KIB;

/**
 * What outlives a request and can change, with the most bytes that it holds: entries, times the longest legal fields, times two
 * for UTF-16. test/slow/memory.test.ts tries the large ones.
 */
const OUTLIVES: Readonly<Record<string, number>> = {
  // Bodies, counted as they arrive.
  "feed/routes.ts admission": 32 * MIB,
  "middleware/validate.ts admission": 8 * MIB,
  // Texts of boards, counted; and eight boards that are loaded at once, each as rows, as a text and as bytes.
  "customer/gamification/boards.ts boards": 8 * MIB,
  "customer/gamification/boards.ts loads": 8 * 3 * MIB,
  "customer/gamification/cached-values.ts #memory": 0,
  "customer/gamification/cached-values.ts #refreshes": 0,
  "http/admission.ts #visits": 0,
  // A set of at most 256 KiB, of which only usable keys stay.
  "middleware/token.ts keySet": 4 * MIB,
  // 600 zones of IANA.
  "values/time-zone.ts formatters": 600 * 30 * KIB,
  // A statement has a text for each of its shapes, which are closed sets: 200 for coupons, fewer than 20 for any other.
  "db/compile.ts COMPILED": 64 * KIB,
  "db/compile.ts compiled": 300 * STATEMENT_BYTES,
  // A signed bookmark, a secret, and the state of a check.
  "db/bookmarks.ts lastSigned": 16 * KIB,
  "service/routes.ts lastCheck": 4 * KIB,
  // A key for each of the four secrets that a deployment may have.
  "values/hmac.ts keys": 4 * 16 * KIB,
  "feed/routes.ts warnedAt": 8,
  // An entry for each binding, kind, template or handler, which are all of the code.
  "db/database.ts breakers": KIB,
  "db/dialect.ts written": 64 * KIB,
  "feed/apply/statements.ts inserts": 64 * KIB,
  "middleware/validate.ts schemas": 4 * KIB,
  // An entry ends with its row.
  "feed/export/fields.ts parsedTexts": 0,
};

/** What never changes, or ends with its request. */
const OTHERS = [
  ...["values/text.ts encoder", "values/json.ts decoder", "db/query.ts builder", "db/dialect.ts DIALECT"],
  ...["feed/lines.ts BEFORE_A_VALUE", "openapi/notes.ts NOTES", "values/parameter.ts values"],
  // Patterns.
  ...[
    "values/fold.ts DROPPED",
    "values/fold.ts OTHERWISE_TYPED",
    "values/words.ts IS_TRIPLE",
    "values/words.ts LETTERS",
  ],
  ...["values/words.ts LETTER_OF_PAIR", "values/words.ts SEGMENT_OF_QUERY", "values/words.ts SEGMENT_OF_RECORD"],
  ...["records/membership.ts arranged", "records/membership.ts chain", "feed/batches.ts byKey"],
  ...["feed/batches.ts firstNumbers", "inbox/notify.ts calls", "inbox/inboxes.ts underWay"],
];

/** What may hold more from request to request. */
const HOLDERS = [
  // Variables of a module, and its constants that are objects made by `new`, or empty.
  /^(?:export )?(?:let|var) (\w+)/gm,
  /^(?:export )?const (\w+)[^=\n]* = (?:new \w|\[\]|\{\})/gm,
  /^ +static (?:readonly )?(#?\w+)[^(\n]* =/gm,
  // Maps and sets that begin empty, wherever they are: a function or an object may keep them.
  /(#?\w+) = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)/gm,
];

/** The names in a source, each after its file. A file of words has examples in other languages. */
function holdersIn([path, source]: [string, string]): string[] {
  if (path.endsWith("/operations.ts")) return [];
  const names = HOLDERS.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name]) => name));
  return names.map((name) => `${path.replace("../src/", "")} ${name}`);
}

describe("what outlives a request in the Worker", () => {
  it("stands above, with a bound in bytes", ({ expect }) => {
    const found = new Set(Object.entries(SOURCES).flatMap(holdersIn));

    expect([...found].sort()).toEqual([...Object.keys(OUTLIVES), ...OTHERS].sort());
  });

  it("fits into an isolate of 128 MB together", ({ expect }) => {
    const bytes = Object.values(OUTLIVES).reduce((sum, bound) => sum + bound, 0);

    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it.for(COMPILED)("has no statement of more than 19 KiB: $name", ({ name, write }, { expect }) => {
    for (const shape of Object.values(SHAPES[name] ?? { "": null })) {
      const { sql, params } = write(shape);
      expect(2 * sql.length + 64 * params.length).toBeLessThanOrEqual(STATEMENT_BYTES);
    }
  });
});
