import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Databases } from "./databases.ts";
import { ok, refusal } from "./reply.ts";

interface Binding {
  name: string;
  type: string;
  [field: string]: unknown;
}

interface Script {
  /** In milliseconds since 1970. */
  createdAt: number;
  bindings: Binding[];
  /** The module of the Worker. */
  code: string;
  compatibility: { date: string; flags: string[] };
  /** The tag of the version. */
  tag?: string | undefined;
  /** The last migration of its Durable Objects; absent before the first. */
  migrationTag?: string | undefined;
  secrets: Set<string>;
  /** Whether it has an address at workers.dev. */
  isOpen: boolean;
  schedules: unknown[];
  domains: string[];
  /** The versions of each deployment, the newest deployment first. */
  deployments: { version_id: string; percentage: number }[][];
}

/** The Workers of an account. */
export class Scripts extends Map<string, Script> {
  /** Makes a Worker that is not deployed, as `secret put` does. */
  make(name: string, ...secrets: string[]): Script {
    const compatibility = { date: "", flags: [] };
    const empty = { bindings: [], code: "", compatibility, schedules: [], domains: [], deployments: [], isOpen: false };
    const script: Script = { ...empty, createdAt: Date.now(), secrets: new Set(secrets) };
    this.set(name, script);
    return script;
  }

  /** Runs a Worker for a request to workers.dev. */
  async run(name: string, request: Request, databases: Databases): Promise<Response> {
    const script = this.get(name);
    if (!script?.isOpen) return new Response("There is nothing here yet", { status: 404 });
    const module = Buffer.from(script.code).toString("base64");
    const worker = await import(/* @vite-ignore */ `data:text/javascript;base64,${module}`);
    const env = script.bindings.map(({ name, type, id, text }) => [name, type === "d1" ? databases.binding(id) : text]);
    return worker.default.fetch(request, Object.fromEntries(env));
  }

  /** The routes of the API below /workers. */
  routes() {
    const routes = new Hono<{ Variables: { script: Script } }>();
    routes.get("/scripts", () =>
      ok([...this].map(([id, { createdAt }]) => ({ id, created_on: new Date(createdAt).toISOString() }))),
    );
    // Uploads and deploys a Worker, as wrangler does to migrate Durable Objects. The Worker keeps its secrets.
    routes.put("/scripts/:name", async (c) => {
      const script = this.get(c.req.param("name")) ?? this.make(c.req.param("name"));
      await upload(script, c.req.raw);
      script.deployments.unshift([{ version_id: randomUUID(), percentage: 100 }]);
      return ok({ id: c.req.param("name"), etag: "etag", deployment_id: randomUUID() });
    });
    routes.use("/:type/:name/*", async (c, next) => {
      const script = this.get(c.req.param("name"));
      if (script === undefined) return refusal(404, 10007, "This Worker does not exist on your account.");
      c.set("script", script);
      return next();
    });
    routes.delete("/scripts/:name", (c) => ok(this.delete(c.req.param("name"))));
    routes.get("/services/:name", (c) => {
      const scriptResult = { tag: "tag", tags: [], migration_tag: c.var.script.migrationTag };
      return ok({ default_environment: { environment: "production", script: scriptResult } });
    });
    routes.get("/workers/:name", (c) => {
      const url = `https://${c.req.param("name")}.example.workers.dev`;
      return ok({ subdomain: { enabled: true, previews_enabled: true, url } });
    });
    routes.get("/scripts/:name/settings", (c) => ok({ bindings: c.var.script.bindings, tags: [] }));
    routes.get("/scripts/:name/secrets", (c) =>
      ok([...c.var.script.secrets].map((name) => ({ name, type: "secret_text" }))),
    );
    routes.put("/scripts/:name/secrets", async (c) => {
      const { name } = await c.req.json();
      c.var.script.secrets.add(name);
      return ok({ name, type: "secret_text" });
    });
    routes.post("/scripts/:name/domains/*", () => ok({ added: [], removed: [], updated: [], conflicting: [] }));
    routes.put("/scripts/:name/domains/*", async (c) => {
      const { origins } = await c.req.json<{ origins: { hostname: string }[] }>();
      c.var.script.domains = origins.map(({ hostname }) => hostname);
      return ok([]);
    });
    // Answers as if all files were uploaded already.
    routes.post("/scripts/:name/assets-upload-session", () => ok({ jwt: "uploaded", buckets: [] }));
    routes.post("/scripts/:name/versions", async (c) => {
      await upload(c.var.script, c.req.raw);
      const resources = { bindings: [], script: { etag: "etag" }, script_runtime: {} };
      return ok({ id: randomUUID(), startup_time_ms: 1, metadata: { has_preview: false }, resources });
    });
    routes.get("/scripts/:name/deployments", (c) => {
      const details = { id: randomUUID(), source: "api", created_on: "2026-11-23T00:00:00.000000Z" };
      return ok({ deployments: c.var.script.deployments.map((versions) => ({ ...details, versions })) });
    });
    routes.post("/scripts/:name/deployments", async (c) => {
      const { versions } = await c.req.json();
      c.var.script.deployments.unshift(versions);
      return ok({ id: randomUUID() });
    });
    routes.patch("/scripts/:name/script-settings", () => ok({}));
    routes.get("/scripts/:name/schedules", (c) => ok({ schedules: c.var.script.schedules }));
    routes.put("/scripts/:name/schedules", async (c) => {
      c.var.script.schedules = await c.req.json();
      return ok({ schedules: c.var.script.schedules });
    });
    routes.post("/scripts/:name/subdomain", (c) => {
      c.var.script.isOpen = true;
      return ok({ enabled: true, previews_enabled: true });
    });
    return routes;
  }
}

/** Replaces the code and the bindings of a Worker by those of an upload. */
async function upload(script: Script, request: Request): Promise<void> {
  const form = await request.formData();
  const metadata = JSON.parse(String(form.get("metadata"))) as {
    bindings?: Binding[];
    main_module?: string;
    migrations?: { new_tag: string };
    compatibility_date?: string;
    compatibility_flags?: string[];
    annotations?: { "workers/tag"?: string };
  };
  const file = form.get(metadata.main_module ?? "");
  script.code = file instanceof Blob ? await file.text() : "";
  script.compatibility = { date: metadata.compatibility_date ?? "", flags: metadata.compatibility_flags ?? [] };
  script.tag = metadata.annotations?.["workers/tag"];
  // An inherited binding names a secret, which the Worker has already.
  script.bindings = (metadata.bindings ?? []).filter(({ type }) => type !== "inherit");
  script.migrationTag = metadata.migrations?.new_tag ?? script.migrationTag;
}
