import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from "miniflare";
import { SECRET_NAMES } from "../../scripts/lib/sign.ts";
import type { Scripts } from "./cloudflare/scripts.ts";

type Script = NonNullable<ReturnType<Scripts["get"]>>;
/** What was uploaded of a Worker. */
export type Uploaded = Pick<Script, "bindings" | "code" | "compatibility" | "tag">;

/** A Worker to run: as it was uploaded, but with the objects of another Worker if `objectsOf` names it. */
export interface Run {
  name: string;
  uploaded: Uploaded;
  objectsOf?: string;
}

export const SECRETS = Object.fromEntries(
  SECRET_NAMES.map((name) => [name, `the ${name} of a test, which guards nothing`]),
);

/** Runs Workers in workerd, with the bindings that they were uploaded with. Those with one database's id share it. */
export function runUploaded(runs: readonly Run[], port = 0): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
      workers: runs.map(workerOptions),
    }),
  );
}

function workerOptions({ name, uploaded: { bindings, code, compatibility, tag = "" }, objectsOf }: Run) {
  const ofType = (type: string) => bindings.filter((binding) => binding.type === type);
  const record = <Converted>(type: string, read: (binding: Script["bindings"][number]) => Converted) =>
    Object.fromEntries(ofType(type).map((binding) => [binding.name, read(binding)]));
  const [version] = ofType("version_metadata");
  return {
    name,
    modules: [{ type: "ESModule" as const, path: "index.js", contents: code }],
    compatibilityDate: compatibility.date,
    compatibilityFlags: compatibility.flags,
    bindings: {
      ...record("plain_text", ({ text }) => String(text)),
      ...SECRETS,
      ...(version && { [version.name]: { id: name, tag, timestamp: "" } }),
    },
    d1Databases: record("d1", ({ id }) => String(id)),
    // No test asks for a file of the reference page.
    serviceBindings: record("assets", () => () => new Response(null, { status: 404 })),
    kvNamespaces: record("kv_namespace", ({ namespace_id: id }) => String(id)),
    ratelimits: record("ratelimit", ({ namespace_id, simple }) => ({
      namespace_id: String(namespace_id),
      simple: simple as { limit: number; period: 60 },
    })),
    durableObjects: record("durable_object_namespace", ({ class_name: className, script_name }) => {
      const scriptName = objectsOf ?? script_name;
      const own = { className: String(className), useSQLite: true };
      return scriptName === undefined || scriptName === name ? own : { ...own, scriptName: String(scriptName) };
    }),
  };
}
