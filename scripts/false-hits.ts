import { fold } from "../src/values/fold.ts";
import { segmentsOfQuery, wordsOf } from "../src/values/words.ts";
import { readNdjson } from "./lib/ndjson-file.ts";
import { edgeCommand } from "./lib/options.ts";
import { table } from "./lib/table.ts";
import { Random } from "./program/random.ts";

// A search for a name in a script without blanks looks for its pieces, so it may find a record with all pieces, but not side by
// side. This counts how often (docs/contract/interface.md, 4.6).

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const QUERIES_A_SCRIPT = 2_000;
const [FEWEST_LETTERS, MOST_LETTERS] = [2, 6];
const STORE_TEXTS = ["name", "address_line_1", "address_line_2", "city", "state", "zip"];

/** A record: its texts, folded, without what may stand between the letters of a name; and their pieces. */
interface Searched {
  texts: string[];
  words: string[];
}

export const program = edgeCommand("false-hits")
  .argument("<file>", "lines of a feed, such as an export; also .gz")
  .action(run);

async function run(file: string): Promise<void> {
  const records: Searched[] = [];
  for await (const { bytes } of readNdjson(file)) {
    const texts = searchedTexts(JSON.parse(bytes.toString()));
    if (texts.length > 0) records.push({ texts: texts.map(withoutBlanks), words: wordsOf(...texts) });
  }
  const index = indexOf(records);
  const rows = SCRIPTS.map((script) => [script, ...measure(script, records, index)].map(String));
  console.log(table(["script", "names", "queries", "hits", "false", "queries with a false hit"], rows));
}

function searchedTexts({ record, ...line }: Record<string, unknown>): string[] {
  if (record === "customer") return [`${line.last_name ?? ""} ${line.first_name ?? ""}`];
  return record === "store" ? STORE_TEXTS.map((field) => String(line[field] ?? "")) : [];
}

const withoutBlanks = (text: string) => fold(text).replace(/[\s\u00b7\u30fb'\u2010-]+/g, "");

/** The records with a word that begins so, for each beginning. */
function indexOf(records: readonly Searched[]): Map<string, Set<Searched>> {
  const index = new Map<string, Set<Searched>>();
  for (const record of records) {
    for (const word of record.words.filter((word) => /[^\0-\u0dff]/.test(word))) {
      for (let end = 1; end <= word.length; end += 1) {
        const beginning = word.slice(0, end);
        index.set(beginning, (index.get(beginning) ?? new Set()).add(record));
      }
    }
  }
  return index;
}

const NONE: ReadonlySet<Searched> = new Set();

/** The numbers of names, queries, hits, false hits, and queries with a false hit. A query is a part of a name. */
function measure(script: string, records: readonly Searched[], index: ReadonlyMap<string, ReadonlySet<Searched>>) {
  const random = new Random(script);
  const letters = new RegExp(`[\\p{L}&&\\p{scx=${script}}]\\p{M}*`, "gv");
  const runs = new RegExp(`(?:[\\p{L}&&\\p{scx=${script}}]\\p{M}*){${FEWEST_LETTERS},}`, "gv");
  const names = records.flatMap(({ texts }) => texts.flatMap((text) => text.match(runs) ?? []));
  const queries = Array.from({ length: names.length > 0 ? QUERIES_A_SCRIPT : 0 }, () => {
    const name = random.pick(names).match(letters) ?? [];
    const length = random.integer(FEWEST_LETTERS, Math.min(MOST_LETTERS, name.length));
    const first = random.integer(0, name.length - length);
    return name.slice(first, first + length).join("");
  });
  const counts = { hits: 0, falseHits: 0, queries: 0 };
  for (const query of queries) {
    const [first = NONE, ...others] = segmentsOfQuery(query).pieces.map((piece) => index.get(piece) ?? NONE);
    const hits = [...first].filter((record) => others.every((other) => other.has(record)));
    const falseHits = hits.filter(({ texts }) => !texts.some((text) => text.includes(query))).length;
    counts.hits += hits.length;
    counts.falseHits += falseHits;
    if (falseHits > 0) counts.queries += 1;
  }
  return [names.length, queries.length, counts.hits, counts.falseHits, counts.queries];
}
