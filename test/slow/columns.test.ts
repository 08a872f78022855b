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

// A table whose column has another name in TypeScript, which is what the rest of the code is compiled against.
const renaming = (column: string) => `
declare function renamed<Name extends string, Columns extends Record<string, import("drizzle-orm/sqlite-core").SQLiteColumnBuilderBase>>(
  name: Name, columns: Columns, constraints?: (table: any) => unknown
): import("drizzle-orm/sqlite-core").SQLiteTableWithColumns<{
  name: Name; schema: undefined; dialect: "sqlite";
  columns: import("drizzle-orm").BuildColumns<Name, { [K in keyof Columns as K extends "${column}" ? "renamed" : K]: Columns[K] }, "sqlite">;
}>;`;

describe("a renamed column is a compile error", () => {
  const edited = new Map<string, string>();
  const compiler = new API({ cwd: ROOT, fs: { readFile: (file) => edited.get(file) } });
  afterAll(() => compiler.close());
  let snapshot = compiler.updateSnapshot({ openProjects: [CONFIG] });

  /** The first of these files that no longer compiles. */
  function firstBroken(table: string, column: string, files: typeof sources): string | undefined {
    const declaration = `export const ${table} = sqliteTable(`;
    const declaring = sources.find(({ text }) => text.includes(declaration));
    if (declaring === undefined) throw new Error(`No file declares ${table}.`);
    edited.set(
      declaring.file,
      declaring.text.replace(declaration, declaration.replace("sqliteTable", "renamed")) + renaming(column),
    );
    snapshot.dispose();
    snapshot = compiler.updateSnapshot({ fileChanges: { changed: [...edited.keys()] } });
    const program = snapshot.getProject(CONFIG)?.program;
    if (program === undefined) throw new Error("The compiler has not opened the project.");
    const broken = files.find(({ file }) => program.getSemanticDiagnostics(file).length > 0);
    edited.set(declaring.file, declaring.text);
    return broken?.file;
  }

  it.for(Object.entries(tables).filter(([, table]) => is(table, SQLiteTable)))("in %s", ([name, table], { expect }) => {
    const others = sources.filter((source) => !isTables(source));
    const users = others.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text));

    const unnoticed = Object.keys(getTableColumns(table)).filter((column) => {
      // It is quickest where the column is named.
      const naming = users.filter(({ text }) => text.includes(`${name}.${column}`));
      return firstBroken(name, column, [...new Set([...naming, ...users, ...others])]) === undefined;
    });

    expect(firstBroken(name, "no column", users)).toBeUndefined();
    expect(unnoticed.map((column) => `${name}.${column}`)).toEqual([]);
  });
});
