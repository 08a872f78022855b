import { CommandError } from "./command-error.ts";

export interface Migration {
  name: string;
  text: string;
}

/** Something that a migration creates, with the comment before it. */
export interface Created {
  name: string;
  description: string;
}

export interface Comments {
  /** A section for each migration, in order. */
  sections: { migration: string; created: Created[] }[];
  /** The comment at the end of a column's line, by `table.column`. */
  columns: ReadonlyMap<string, string>;
}

const CREATE = /^CREATE (TABLE|VIRTUAL TABLE|INDEX|VIEW|TRIGGER) (\w+)/;
const COLUMN = /^ {2}([a-z]\w*) .*? -- (.*)$/;

/** What the comments of the migrations say. Throws where something is created without a comment before it. */
export function readComments(migrations: readonly Migration[]): Comments {
  const columns = new Map<string, string>();
  const sections = migrations.map(({ name, text }) => ({
    migration: name,
    created: readMigration(name, text, columns),
  }));
  return { sections, columns };
}

function readMigration(migration: string, text: string, columns: Map<string, string>): Created[] {
  const created: Created[] = [];
  let comment: string[] = [];
  let table: string | undefined;
  for (const line of text.split("\n")) {
    const [, kind = "", name = ""] = CREATE.exec(line) ?? [];
    const [, column, said] = COLUMN.exec(line) ?? [];
    if (name !== "") {
      if (comment.length === 0)
        throw new CommandError(`Say in a comment before ${name} in migrations/${migration} what it is for.`);
      created.push({ name, description: comment.join(" ") });
      table = kind === "TABLE" ? name : undefined;
    } else if (table !== undefined && column !== undefined && said !== undefined) {
      columns.set(`${table}.${column}`, said);
    }
    if (line.startsWith("-- ")) comment.push(line.slice(3));
    else comment = [];
  }
  return created;
}
