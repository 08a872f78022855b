import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { getTableColumns, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { API } from "typescript/unstable/sync";
import { afterAll, describe, it } from "vitest";
import * as tables from "../../src/db/tables.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const CONFIG = path.join(ROOT, "tsconfig.json");

const sources = globSync("src/**/*.ts", { cwd: ROOT }).map((name) => {
  const file = path.join(ROOT, name);
  return { file, text: readFileSync(file, "utf8") };
});
const isTables = ({ file }: { file: string }) => file.endsWith("/db/tables.ts");

/** The columns that the rest of `src` never names. */
const ONLY_IN_SQL = [
  "customers.erased_at", // a trigger writes it, and npm run customer reads it
];

// A table whose columns, or one of them, have other names in TypeScript, which is what the rest of the code is compiled
// against.
const renaming = (columns: string) => `
declare function renamed<Name extends string, Columns extends Record<string, import("drizzle-orm/sqlite-core").SQLiteColumnBuilderBase>>(
  name: Name, columns: Columns, constraints?: (table: any) => unknown
): import("drizzle-orm/sqlite-core").SQLiteTableWithColumns<{
  name: Name; schema: undefined; dialect: "sqlite";
  columns: import("drizzle-orm").BuildColumns<Name, { [K in keyof Columns as K extends ${columns} ? \`renamed_\${K & string}\` : K]: Columns[K] }, "sqlite">;
}>;`;

describe("a renamed column is a compile error", () => {
  const edited = new Map<string, string>();
  const compiler = new API({ cwd: ROOT, fs: { readFile: (file) => edited.get(file) } });
  afterAll(() => compiler.close());
  let snapshot = compiler.updateSnapshot({ openProjects: [CONFIG] });

  /** What no longer compiles in these files: the code that each error names, file by file. */
  function* broken(table: string, columns: string, files: typeof sources): Generator<string> {
    const declaration = `export const ${table} = sqliteTable(`;
    const declaring = sources.find(({ text }) => text.includes(declaration));
    if (declaring === undefined) throw new Error(`No file declares ${table}.`);
    edited.set(
      declaring.file,
      declaring.text.replace(declaration, declaration.replace("sqliteTable", "renamed")) + renaming(columns),
    );
    snapshot.dispose();
    snapshot = compiler.updateSnapshot({ fileChanges: { changed: [...edited.keys()] } });
    edited.set(declaring.file, declaring.text);
    const program = snapshot.getProject(CONFIG)?.program;
    if (program === undefined) throw new Error("The compiler has not opened the project.");
    for (const { file, text } of files)
      yield* program.getSemanticDiagnostics(file).map(({ pos, end }) => text.slice(pos, end).trim());
  }

  it.for(Object.entries(tables).filter(([, table]) => is(table, SQLiteTable)))("in %s", ([name, table], { expect }) => {
    const others = sources.filter((source) => !isTables(source));
    const users = others.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text));

    // Most are noticed together; an error that hides another leaves few to be tried alone.
    const together = new Set(broken(name, "string", users));
    const unnoticed = Object.keys(getTableColumns(table)).filter((column) => {
      if (together.has(column)) return false;
      return broken(name, `"${column}"`, [...users, ...others]).next().done;
    });

    expect([...broken(name, "never", users)]).toEqual([]);
    const onlyInSql = ONLY_IN_SQL.filter((one) => one.startsWith(`${name}.`));
    expect(unnoticed.map((column) => `${name}.${column}`)).toEqual(onlyInSql);
  });
});
