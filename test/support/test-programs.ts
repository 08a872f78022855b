import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { bindingName } from "../../src/programs/programs.ts";

/** Of programs other than the default one. */
export const DATABASES = [env.TEST_DATABASE_1, env.TEST_DATABASE_2];

/** Adds programs, each with a migrated database, to the default one; resolves with what takes them away. */
export async function addPrograms(...names: readonly string[]): Promise<() => void> {
  for (const [index, name] of names.entries()) {
    const database = DATABASES[index];
    if (database === undefined) throw new Error(`There are ${DATABASES.length} databases for programs of tests.`);
    await applyD1Migrations(database, env.TEST_MIGRATIONS);
    setVariables({ [bindingName("DB", name)]: database });
  }
  return () => setVariables(Object.fromEntries(names.map((name) => [bindingName("DB", name), undefined])));
}

/** Sets bindings and variables of the Worker; undefined takes one away. */
export function setVariables(variables: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) Reflect.deleteProperty(env, name);
    else Reflect.set(env, name, value);
  }
}
