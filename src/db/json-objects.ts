import { type SQL, sql } from "drizzle-orm";

/** The members of a JSON object, itself text, without the braces around them. The last of them must be a scalar. */
export function membersOf(object: SQL): SQL {
  // Not substr(), which counts characters from the start.
  return sql`trim(${object}, '{}')`;
}

/** A JSON object, as text, of members that are text; none of the parts is empty. */
export function objectWith(parts: readonly SQL[]): SQL {
  return sql`('{' || ${sql.join([...parts], sql` || ',' || `)} || '}')`;
}
