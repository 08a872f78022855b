import { fillPlaceholders, is, Placeholder, type Query, type SQL, sql } from "drizzle-orm";
import type { BuilderQuery, CompiledStatement, RowOf } from "./database.ts";
import { writtenQuery } from "./dialect.ts";

/** Marks where a value goes in a compiled statement. */
export type PlaceholderOf<Name extends string> = (name: Name) => Placeholder;

type Values<Name extends string> = Readonly<Record<Name, string | number | null>>;

/** What compiles: a template, or a query of the builder. */
type Written = SQL | BuilderQuery;

/** What tests read of a compiled statement: a test compares its text and its plan with its file in test/statements/. */
interface Definition {
  name: string;
  hasShapes: boolean;
  write(shape: unknown): Query;
}

/** Every compiled statement of the modules that are loaded. */
export const COMPILED: Definition[] = [];

/**
 * Compiles a statement once, because Drizzle takes longer to write a long statement than D1 to run it. TypeScript infers the
 * values and the rows: `compileOnce("me/balances", (placeholder: PlaceholderOf<"id" | "limit">) => select(…))`.
 */
export function compileOnce<S extends Written, Name extends string = never>(
  name: string,
  write: (placeholder: PlaceholderOf<Name>) => S,
): (...values: [Name] extends [never] ? [] : [Values<Name>]) => CompiledStatement<RowOf<S>> {
  const compiled = compilePer(name, (_: null, placeholder: PlaceholderOf<Name>) => write(placeholder), false);
  return (...[values]) => compiled(null, values ?? ({} as Values<Name>));
}

/** For a statement whose text depends on a shape, which is a JSON value: compiles the statement once for each shape. */
export function compilePer<Shape, S extends Written, Name extends string>(
  name: string,
  writeStatement: (shape: Shape, placeholder: PlaceholderOf<Name>) => S,
  hasShapes = true,
): (shape: Shape, values: Values<Name>) => CompiledStatement<RowOf<S>> {
  const write = (shape: Shape) =>
    withoutRepetition(withoutIndentation(writtenQuery(writeStatement(shape, (value) => sql.placeholder(value)))));
  COMPILED.push({ name, hasShapes, write });
  const compiled = new Map<string, Query>();
  return (shape, values) => ({
    toSQL() {
      const key = JSON.stringify(shape);
      const query = compiled.get(key) ?? write(shape);
      compiled.set(key, query);
      return { sql: query.sql, params: fillPlaceholders(query.params, values) };
    },
  });
}

/** Removes indentation: the text becomes a third shorter. Statements have no comments, and no literal with a line break. */
function withoutIndentation(query: Query): Query {
  return { ...query, sql: query.sql.replace(/\s*\n\s*/g, " ").trim() };
}

/** Gives each value one parameter, however often the statement uses it. */
function withoutRepetition({ sql: text, params, ...query }: Query): Query {
  const keys = params.map((value) => (is(value, Placeholder) ? `:${value.name}` : value));
  const distinct = [...new Set(keys)];
  return {
    ...query,
    sql: text.replace(/\?(\d+)/g, (_, number) => `?${distinct.indexOf(keys[number - 1]) + 1}`),
    params: distinct.map((key) => params[keys.indexOf(key)]),
  };
}
