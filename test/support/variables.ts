import { env } from "cloudflare:workers";

/** Sets bindings and variables of the Worker. `undefined` removes one. */
export function setVariables(variables: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) Reflect.deleteProperty(env, name);
    else Reflect.set(env, name, value);
  }
}
