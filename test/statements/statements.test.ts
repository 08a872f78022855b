import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import "../../src/index.ts";
import { COMPILED } from "../../src/db/compile.ts";
import { formatSql } from "../support/format-sql.ts";
import { SHAPES } from "./shapes.ts";

// Each statement of the Worker that is compiled has a file, with its plan. After a change, look at the difference:
// npm run vitest -- run test/statements -u

const statements = COMPILED.flatMap(({ name, hasShapes, write }) => {
  const shapes = hasShapes ? Object.entries(SHAPES[name] ?? {}) : [["", null] as const];
  return shapes.map(([suffix, shape]) => ({ file: `${name}${suffix}.sql`, query: write(shape) }));
});

describe("the compiled statements", () => {
  it("each have a name of their own, and shapes if their text varies", ({ expect }) => {
    expect(new Set(COMPILED.map(({ name }) => name)).size).toBe(COMPILED.length);
    const varying = COMPILED.filter(({ hasShapes }) => hasShapes).map(({ name }) => name);
    expect(Object.keys(SHAPES).sort()).toEqual(varying.sort());
  });

  it("are the files of this folder", async ({ expect }) => {
    const files = Object.keys(import.meta.glob("./**/*.sql"));

    expect(files.sort()).toEqual(statements.map(({ file }) => `./${file}`).sort());
  });

  it.for(statements)("are written and planned as in $file", async ({ file, query: { sql, params } }, { expect }) => {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params.map(() => null))
      .all<Step>();

    await expect(`${formatSql(sql)}\n\n${planOf(results)}\n`).toMatchFileSnapshot(file);
  });

  // Besides a LIMIT, these are the columns of partial indexes.
  it.for(statements)("have no parameter for which SQLite plans again: $file", ({ query: { sql } }, { expect }) => {
    expect(sql).not.toMatch(/limit \?|`(deleted|erased|joined|round)` (=|<>|<|>) \?/i);
  });
});

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/** The steps of a plan as comments, each further in than the step that it is a part of. */
function planOf(steps: readonly Step[]): string {
  const depths = new Map<number, number>();
  const lines = steps.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? 0) + 1;
    depths.set(id, depth);
    return `--${"  ".repeat(depth)}${detail.replace(/(SUBQUERY|subquery)[ -]\d+/g, "$1")}`;
  });
  return lines.join("\n");
}
