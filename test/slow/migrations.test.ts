import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { SCHEMA_QUERY, schemaDump, withoutComments } from "../../scripts/lib/schema-dump.ts";
import { missingStatements, statementsOf } from "../../scripts/lib/sql-statements.ts";
import { SPLITTERS } from "./cloudflare/splitters.ts";
import { ROOT } from "./command.ts";

const MIGRATIONS = readMigrations();
const SCHEMA = withoutComments(readFileSync(path.join(ROOT, "docs", "schema.sql"), "utf8"));
const written = (name: string) => readFileSync(path.join(ROOT, "migrations", name), "utf8");

function databaseOf(statements: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const statement of statements) database.exec(statement);
  return database;
}

function schemaOf(database: DatabaseSync): Map<string, string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema").all();
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

/** All that a database holds besides its search indexes, which have no contents. */
function contentsOf(database: DatabaseSync) {
  const rows = ["* FROM program_state", "name, lease_until FROM jobs"].map((columns) =>
    database.prepare(`SELECT ${columns}`).all(),
  );
  return [withoutComments(schemaDump(database.prepare(SCHEMA_QUERY).all())), rows];
}

const statementsFrom = (index: number) => MIGRATIONS.slice(index).flatMap(({ statements }) => statements);

describe("the statements that are deployed", () => {
  it("make the schema of docs/schema.sql", ({ expect }) => {
    const database = databaseOf(statementsFrom(0));

    expect(contentsOf(database)[0]).toBe(SCHEMA);
    expect(contentsOf(database)).toEqual([
      SCHEMA,
      contentsOf(databaseOf(MIGRATIONS.map(({ name }) => written(name))))[1],
    ]);
  });

  it("stand on one line each, without comments", ({ expect }) => {
    for (const statement of statementsFrom(0)) expect(statement).toMatch(/^[A-Z](?!.*(--|\/\*)).*;$/);
  });

  it.for([...SPLITTERS])("are cut as they are by a splitter that cuts %s", ([, split], { expect }) => {
    const ledger = (name: string) => `\nINSERT INTO "d1_migrations" (name)\nvalues ('${name}');`;

    for (const { name, statements } of MIGRATIONS) {
      const pieces = split(statements.join("\n") + ledger(name)).map((piece) => piece.trim());
      expect(pieces, name).toEqual([...statements, ledger(name).trim()]);
    }
    // The files as they are written are not.
    const wrong = MIGRATIONS.filter(({ name, statements }) => {
      const pieces = split(written(name)).map((piece) => withoutComments(piece).replaceAll("( ", "("));
      return pieces.join("\n") !== statements.map((one) => one.replaceAll("( ", "(")).join("\n");
    });
    expect(wrong.length).toBeGreaterThan(8);
  });

  it.for(MIGRATIONS.map(({ name, statements }, index) => ({ name, statements, index })))(
    "complete $name wherever it was cut off",
    ({ statements, index }, { expect }) => {
      const before = MIGRATIONS.slice(0, index).flatMap((one) => one.statements);
      const whole = contentsOf(databaseOf(statementsFrom(0)));

      for (let length = 0; length <= statements.length; length += 1) {
        const database = databaseOf([...before, ...statements.slice(0, length)]);
        const schema = schemaOf(database);
        for (const { statements } of MIGRATIONS.slice(index))
          for (const statement of missingStatements(statements, schema)) database.exec(statement);

        expect(contentsOf(database), `after ${length} statements`).toEqual(whole);
      }
    },
  );
});

describe("a migration", () => {
  const complete = (text: string, database: DatabaseSync) => {
    for (const statement of missingStatements(statementsOf(text), schemaOf(database))) database.exec(statement);
  };

  it("that adds columns and makes a trigger anew is completed wherever it was cut off", ({ expect }) => {
    const before = ["CREATE TABLE t (a TEXT, x TEXT)", "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END"];
    const text = `ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT ''; -- it's new; really
      ALTER TABLE t ADD COLUMN c;
      DROP TRIGGER IF EXISTS g;
      CREATE TRIGGER g AFTER INSERT ON t
      BEGIN
        SELECT 2; -- two
        SELECT '; -- three';
      END;
      INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING`;
    const whole = databaseOf([...before, ...statementsOf(text)]);

    for (let length = 0; length < 5; length += 1) {
      const database = databaseOf([...before, ...statementsOf(text).slice(0, length)]);
      complete(text, database);
      expect(schemaOf(database)).toEqual(schemaOf(whole));
    }
    expect(statementsOf(text)[3]).toBe("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 2; SELECT '; -- three'; END;");
  });

  it.for(["UPDATE t SET a = a + 1;", "INSERT INTO t (a) VALUES (1);", "DROP TABLE t;", "create table t (a);"])(
    "is refused where it could not be completed: %s",
    (text, { expect }) => {
      expect(() => missingStatements(statementsOf(text), new Map())).toThrow("could not be completed");
    },
  );
});
