import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Databases } from "./databases.ts";
import { ok, refusal } from "./reply.ts";
import type { Binding, Script, Version } from "./script.ts";
import { triggerRoutes } from "./triggers.ts";

/** The Workers of an account. */
export class Scripts extends Map<string, Script> {
  /** The hostnames that have a DNS record already. */
  readonly dnsRecords = new Set<string>();
  /** The ids of the tails that listen to the log. */
  readonly tails = new Set<string>();
  webSocketUrl = "";
  /** How many schedules the account may have. */
  scheduleLimit = 250;

  /** Makes a Worker that is not deployed, as `secret put` does. */
  make(name: string, ...secrets: string[]): Script {
    const compatibility = { date: "", flags: [] };
    const triggers = { schedules: [], domains: [], routes: [], isOpen: false, hasOpenVersions: false };
    const empty = { bindings: [], code: "", compatibility, deployments: [], versions: new Map(), ...triggers };
    const texts = new Map(secrets.map((secret) => [secret, `the first ${secret}`]));
    const script: Script = { ...empty, createdAt: Date.now(), secrets: texts };
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
    routes.route("/", triggerRoutes(this));
    // Uploads and deploys a Worker, as wrangler does to migrate Durable Objects. The Worker keeps its secrets.
    routes.put("/scripts/:name", async (c) => {
      const script = this.get(c.req.param("name")) ?? this.make(c.req.param("name"));
      deploy(script, await upload(script, c.req.raw));
      return ok({ id: c.req.param("name"), etag: "etag", deployment_id: randomUUID() });
    });
    routes.get("/tails/by-consumer/:name", () => ok([]));
    routes.use("/:type/:name/*", async (c, next) => {
      const script = this.get(c.req.param("name"));
      if (script === undefined) return refusal(404, 10007, "This Worker does not exist on your account.");
      c.set("script", script);
      return next();
    });
    routes.get("/scripts/:name/references", () => ok({}));
    routes.delete("/services/:name", (c) => ok(this.delete(c.req.param("name"))));
    routes.delete("/scripts/:name/secrets/:secret", (c) => {
      const { script } = c.var;
      const secrets = new Map(script.secrets);
      if (!secrets.delete(c.req.param("secret"))) return refusal(404, 10056, "There is no secret of this name.");
      deploy(script, add(script, { ...versionOf(script), secrets }));
      return ok(null);
    });
    routes.post("/scripts/:name/tails", () => {
      const id = randomUUID();
      this.tails.add(id);
      return ok({ id, url: `${this.webSocketUrl}/${id}`, expires_at: "2099-01-01T00:00:00Z" });
    });
    routes.delete("/scripts/:name/tails/:id", (c) => ok(this.tails.delete(c.req.param("id")) && null));
    routes.delete("/scripts/:name", (c) => ok(this.delete(c.req.param("name"))));
    // Wrangler asks for these, and deletes the service, for `wrangler delete`.
    routes.get("/scripts/:name/references", () => ok({}));
    routes.delete("/services/:name", (c) => ok(this.delete(c.req.param("name"))));
    routes.get("/services/:name", (c) => {
      const scriptResult = { tag: "tag", tags: [], migration_tag: c.var.script.migrationTag };
      return ok({ default_environment: { environment: "production", script: scriptResult } });
    });
    routes.get("/workers/:name", (c) => {
      const url = `https://${c.req.param("name")}.example.workers.dev`;
      const { isOpen, hasOpenVersions } = c.var.script;
      return ok({ subdomain: { enabled: isOpen, previews_enabled: hasOpenVersions, url } });
    });
    routes.get("/scripts/:name/settings", (c) =>
      ok({ bindings: c.var.script.bindings, observability: c.var.script.observability, tags: [] }),
    );
    routes.get("/scripts/:name/secrets", (c) =>
      ok([...c.var.script.secrets.keys()].map((name) => ({ name, type: "secret_text" }))),
    );
    routes.put("/scripts/:name/secrets", async (c) => {
      const { name, text } = await c.req.json();
      const { script } = c.var;
      const newest = [...script.versions.keys()].at(-1);
      if (newest !== script.deployments[0]?.[0]?.version_id)
        return refusal(
          400,
          10215,
          "Secret edit failed. You attempted to modify a secret, but the latest version of your Worker isn't currently deployed.",
        );
      const secrets = new Map(script.secrets).set(name, text);
      // Each secret makes a version, and deploys it.
      if (newest === undefined) script.secrets = secrets;
      else deploy(script, add(script, { ...versionOf(script), secrets }));
      return ok({ name, type: "secret_text" });
    });
    // Answers as if all files were uploaded already.
    routes.post("/scripts/:name/assets-upload-session", () => ok({ jwt: "uploaded", buckets: [] }));
    routes.post("/scripts/:name/versions", async (c) => {
      const id = await upload(c.var.script, c.req.raw);
      return ok({ ...resultFor(id), startup_time_ms: 1 });
    });
    routes.get("/scripts/:name/versions", (c) => ok({ items: [...c.var.script.versions.keys()].map(resultFor) }));
    routes.get("/scripts/:name/versions/:id", (c) => ok(resultFor(c.req.param("id"))));
    routes.get("/scripts/:name/deployments", (c) => {
      const details = { id: randomUUID(), source: "api", created_on: "2026-11-23T00:00:00.000000Z" };
      return ok({ deployments: c.var.script.deployments.map((versions) => ({ ...details, versions })) });
    });
    routes.post("/scripts/:name/deployments", async (c) => {
      const { versions } = await c.req.json();
      const { script } = c.var;
      const id: string = versions[0].version_id;
      const secrets = script.versions.get(id)?.secrets;
      const changed = [...script.secrets].filter(([name, text]) => secrets?.get(name) !== text).map(([name]) => name);
      const isRollback = id !== [...script.versions.keys()].at(-1);
      if (isRollback && changed.length > 0 && c.req.query("force") !== "true")
        return refusal(400, 10220, `The following secrets have changed: ${changed.join(", ")}`);
      deploy(script, id);
      return ok({ id: randomUUID() });
    });
    return routes;
  }
}

/** What the API says of a version. */
function resultFor(id: string): object {
  const resources = { bindings: [], script: { etag: "etag" }, script_runtime: {} };
  const metadata = {
    has_preview: false,
    created_on: "2026-11-23T00:00:00.000000Z",
    author_email: "somebody@club.example",
  };
  return { id, number: 1, metadata, annotations: {}, resources };
}

function versionOf({ bindings, code, compatibility, tag, migrationTag, secrets }: Version): Version {
  return { bindings, code, compatibility, tag, migrationTag, secrets };
}

/** Adds a version. Returns its id. */
function add(script: Script, version: Version): string {
  const id = randomUUID();
  script.versions.set(id, version);
  return id;
}

function deploy(script: Script, id: string): void {
  Object.assign(script, script.versions.get(id));
  script.deployments.unshift([{ version_id: id, percentage: 100 }]);
}

/** Adds the version of an upload, with the secrets of the newest version. Returns its id. */
async function upload(script: Script, request: Request): Promise<string> {
  const form = await request.formData();
  const metadata = JSON.parse(String(form.get("metadata"))) as {
    bindings?: Binding[];
    main_module?: string;
    migrations?: { new_tag: string };
    compatibility_date?: string;
    compatibility_flags?: string[];
    annotations?: { "workers/tag"?: string };
    observability?: unknown;
  };
  // Only a first upload has an effect on what belongs to no version.
  if (request.method === "PUT") script.observability = metadata.observability;
  const file = form.get(metadata.main_module ?? "");
  return add(script, {
    code: file instanceof Blob ? await file.text() : "",
    compatibility: { date: metadata.compatibility_date ?? "", flags: metadata.compatibility_flags ?? [] },
    tag: metadata.annotations?.["workers/tag"],
    // An inherited binding names a secret, which the Worker has already.
    bindings: (metadata.bindings ?? []).filter(({ type }) => type !== "inherit"),
    migrationTag: metadata.migrations?.new_tag ?? script.migrationTag,
    secrets: [...script.versions.values()].at(-1)?.secrets ?? script.secrets,
  });
}
