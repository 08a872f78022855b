/**
 * A closed world: its accounts, customers, feed, search, boards and inboxes, in a database of its own
 * (docs/contract/programs.md). Nothing in one can name, find or change anything in another.
 */
export interface Program {
  /** 1 to 32 of `a-z`, `0-9` and `-`; empty for the default program, whose tokens name none. */
  name: string;
  database: D1Database;
}

export const DEFAULT_PROGRAM = "";

// The secret of a program "previous" would be JWT_SECRET_PREVIOUS: what its tenant signs would be the default program's.
const NAME = /^(?!previous)[a-z0-9-]{1,32}$/;
const DATABASE = /^DB_([A-Z0-9_]{1,32})$/;

/** Whether a program other than the default one may have this name. */
export function isProgramName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

/** The program of this name, where it is configured: where its database is bound. */
export function findProgram(env: Env, name: string): Program | null {
  if (name !== DEFAULT_PROGRAM && !isProgramName(name)) return null;
  const database = bindingOf(env, bindingName("DB", name));
  return isDatabase(database) ? { name, database } : null;
}

/** All programs that are configured, the default one first. */
export function listPrograms(env: Env): Program[] {
  return Object.keys(env)
    .map(programOfDatabase)
    .filter((name) => name !== null)
    .sort()
    .map((name) => findProgram(env, name))
    .filter((program) => program !== null);
}

/**
 * What a program's own binding or variable is called: `DB` of `acme-eu` is `DB_ACME_EU`. No two names come to the same,
 * because a name has neither capitals nor underscores.
 */
export function bindingName(base: string, program: string): string {
  return program === DEFAULT_PROGRAM ? base : `${base}_${program.toUpperCase().replaceAll("-", "_")}`;
}

/** The name of the program whose database has this binding; null where it is no program's. */
export function programOfDatabase(binding: string): string | null {
  if (binding === bindingName("DB", DEFAULT_PROGRAM)) return DEFAULT_PROGRAM;
  return DATABASE.exec(binding)?.[1]?.toLowerCase().replaceAll("_", "-") ?? null;
}

/** A program's own variable; undefined where it has none. */
export function ownVariable(env: Env, base: string, program: string): string | undefined {
  const value = bindingOf(env, bindingName(base, program));
  return typeof value === "string" ? value : undefined;
}

/** What a line of the log says of the program: of the default one nothing. */
export function nameInLog({ name }: Program): { program?: string } {
  return name === DEFAULT_PROGRAM ? {} : { program: name };
}

/** What something of a program is called outside its database. JSON of both, so that no two pairs come to the same. */
export function qualify(program: string, name: string): string {
  return JSON.stringify([program, name]);
}

function bindingOf(env: Env, name: string): unknown {
  return Reflect.get(env, name);
}

function isDatabase(binding: unknown): binding is D1Database {
  return typeof binding === "object" && binding !== null && "withSession" in binding;
}
