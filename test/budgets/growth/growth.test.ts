import { beforeAll, describe, it } from "vitest";
import { rows } from "../../support/state.ts";
import { feedProgram } from "./program.ts";
import { grow, OTHER_TABLES, RELATIONS, TEXTS } from "./relations.ts";
import { REQUESTS } from "./requests.ts";
import { longText } from "./rows.ts";
import type { Ask } from "./send.ts";

// One database holds all relations, first with N rows each. Each test then doubles one relation. So a request that reads the
// product of two relations is found as well. Rows read tell what grows. Only long texts take time without more rows, so
// SQLite's time is judged for these.

/** Rows read may grow by this number. */
const MORE_ROWS = 50;
/** With long texts SQLite may take this much longer: twice, and a millisecond, because its clock counts whole ones. */
const TIME_FACTOR = 2;
const TIME_MORE_MS = 1;
/** How many times as many rows a relation has when texts become long. */
const ROWS_FACTOR = 20;
/** The least of this many times counts. On a busy machine it takes more of them. */
const TRIES = 5;
const MOST_TRIES = 50;

/** The rows that each request read before the relation of a test was doubled. */
const rowsRead = new Map<string, number>();

/** The least time of some tries, in milliseconds. */
async function leastTime(ask: Ask, tries: number, isEnough: (milliseconds: number) => boolean = () => false) {
  let least = Number.POSITIVE_INFINITY;
  for (let left = tries; left > 0 && !isEnough(least); left -= 1) least = Math.min(least, (await ask()).milliseconds);
  return least;
}

beforeAll(async () => {
  await feedProgram();
  for (const relation of RELATIONS) await grow(relation, 0, relation.count);
  for (const [name, ask] of Object.entries(REQUESTS)) rowsRead.set(name, (await ask()).rowsRead);
});

describe("the cost of a request", () => {
  it("is tried with every table of the database", async ({ expect }) => {
    const tables = await rows(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT GLOB '_cf_*' AND name NOT GLOB '*_words_*'",
    );
    const tried = [...RELATIONS.flatMap((relation) => Object.keys(relation.tables)), ...Object.keys(OTHER_TABLES)];

    const names = tables.map(({ name }) => String(name)).filter((name) => !/^sqlite_|^d1_/.test(name));
    expect(names.filter((name) => !tried.includes(name))).toEqual([]);
  });

  it.for(RELATIONS)("does not grow in rows with: $name", async (relation, { expect }) => {
    const { count, mayGrow } = relation;
    await grow(relation, count, 2 * count);

    const grown: string[] = [];
    for (const [name, ask] of Object.entries(REQUESTS)) {
      const [before = 0, { rowsRead: after }] = [rowsRead.get(name), await ask()];
      const growth = Object.entries(mayGrow).find(([beginning]) => name.startsWith(beginning))?.[1] ?? 0;
      if (after > before + MORE_ROWS + count * growth) grown.push(`${name}: ${before} to ${after} rows`);
      rowsRead.set(name, after);
    }

    expect(grown).toEqual([]);
  });

  it.for(TEXTS)(
    "does not grow in time with long texts: $text",
    async ({ relation: name, text, length, request }, { expect }) => {
      const [relation, ask] = [RELATIONS.find((candidate) => candidate.name === name), REQUESTS[request]];
      if (relation === undefined || ask === undefined) throw new Error("There is no such relation or request.");
      const [table, column] = text.split(".");
      await grow(relation, 2 * relation.count, ROWS_FACTOR * relation.count);
      await rows(`UPDATE ${table} SET ${column} = ''`);
      const most = TIME_FACTOR * (await leastTime(ask, TRIES)) + TIME_MORE_MS;

      await rows(`UPDATE ${table} SET ${column} = ${longText(length)}`);

      expect(await leastTime(ask, MOST_TRIES, (milliseconds) => milliseconds <= most)).toBeLessThanOrEqual(most);
    },
  );
});
