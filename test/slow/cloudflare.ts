import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

// As much of Cloudflare's API as a deployment asks for, on this machine. The databases in it are real ones, so that what
// was migrated can be looked at; it says no as the API does where something is not there.

const ACCOUNT = "0123456789abcdef0123456789abcdef";

interface Binding {
  name: string;
  type: string;
  [field: string]: unknown;
}

interface Script {
  secrets: Set<string>;
  bindings: Binding[];
  deployments: number;
  /** Versions and deployments, the newest first. */
  versions?: string[];
  history?: { version_id: string; percentage: number }[][];
  domains?: string[];
  /** The last migration of its Durable Objects; absent before the first. */
  migrationTag?: string | undefined;
}

interface Reply {
  /** In place of an envelope: the bytes of an object. */
  bytes?: Buffer;
  result?: unknown;
  result_info?: { cursor?: string | undefined };
  status?: number;
  headers?: Record<string, string>;
  code?: number;
  message?: string;
}

interface Database {
  uuid: string;
  sql: DatabaseSync;
  replication: "auto" | "disabled";
  jurisdiction: string | undefined;
}

export class Cloudflare {
  readonly databases = new Map<string, Database>();
  readonly namespaces = new Map<string, string>();
  readonly scripts = new Map<string, Script>();
  /** The objects of all buckets, by bucket and key. */
  readonly objects = new Map<string, Buffer>();
  /** Called before a request for an object is answered; what it returns is answered instead. */
  beforeObject: ((request: string) => Reply | undefined) | undefined;
  /** What was asked for that is not here. */
  readonly unknown: string[] = [];
  /** Requests in their order, without those that only look. */
  readonly writes: string[] = [];
  /** What a migration is cut off by: before it is committed, or before its answer. */
  interruption: { migration: string; when: "before the commit" | "after the commit" } | undefined;
  /** Whether the token may edit databases beyond asking them. */
  mayEditDatabases = true;
  #server: Server | undefined;
  #uploading = new Map<string, Binding[]>();

  async open(): Promise<Record<string, string>> {
    this.#server = createServer(async (request, response) => {
      const {
        bytes,
        result = null,
        result_info,
        status = 200,
        headers,
        code,
        message = "",
      } = await this.#answer(request);
      if (bytes !== undefined) return response.end(bytes);
      const errors = code === undefined ? [] : [{ code, message }];
      response.writeHead(status, { "Content-Type": "application/json", ...headers });
      response.end(JSON.stringify({ success: code === undefined, errors, messages: [], result, result_info }));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => this.#server?.once("listening", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_API_TOKEN: "made-up",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    };
  }

  close(): void {
    this.#server?.close();
    for (const { sql } of this.databases.values()) sql.close();
  }

  makeDatabase(name: string, jurisdiction?: string): void {
    const sql = new DatabaseSync(":memory:");
    this.databases.set(name, { uuid: randomUUID(), sql, replication: "disabled", jurisdiction });
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const path = pathname.replace(`/accounts/${ACCOUNT}`, "");
    const method = request.method ?? "GET";
    if (method !== "GET" && !path.endsWith("/query")) this.writes.push(`${method} ${path}`);
    const body = new Response(Buffer.concat(chunks), {
      headers: { "Content-Type": request.headers["content-type"] ?? "" },
    });
    const [, area = "", kind = "", name = "", ...rest] = path.split("/");
    const account = { id: ACCOUNT, name: "Blue Cup" };
    if (area === "accounts" && kind === "") return { result: [account] };
    if (area === "memberships") return { result: [{ id: "1", account }] };
    if (area === "d1") return this.#d1(method, name, body, rest[0] === "query");
    if (area === "r2" && method === "POST") return { result: {} };
    if (area === "r2" && rest.length === 1 && method === "GET")
      return this.#list(`${name}/`, searchParams.get("prefix") ?? "", searchParams.get("cursor"));
    if (area === "r2" && rest[0] === "objects")
      return this.#object(method, [name, ...rest.slice(1)].join("/"), Buffer.concat(chunks));
    // Wrangler asks for further pages until one is empty.
    if (area === "storage" && method === "GET" && Number(searchParams.get("page")) > 1) return { result: [] };
    if (area === "storage") return this.#kv(method, body);
    if (area === "workers" && ["scripts", "services", "workers"].includes(kind)) {
      // What follows names one version, one secret, or what is done with domains.
      const [resource = "", one = ""] = rest;
      if (resource === "versions" && this.scripts.get(name)?.versions?.includes(one)) return { result: versionOf(one) };
      const reply = await this.#script(`${method} ${kind} ${resource}`, name, body);
      if (reply !== null) return reply;
    }
    this.unknown.push(`${method} ${path}`);
    return { status: 404, code: 7003, message: `No route for ${path}` };
  }

  /** One object after the other, so that a second page is asked for. */
  #list(bucket: string, prefix: string, cursor: string | null): Reply {
    const keys = [...this.objects.keys()].sort().filter((name) => name.startsWith(bucket + prefix));
    const [key, next] = keys.map((name) => name.slice(bucket.length)).filter((name) => name > (cursor ?? ""));
    return { result: key === undefined ? [] : [{ key }], result_info: next === undefined ? {} : { cursor: key } };
  }

  #object(method: string, name: string, body: Buffer): Reply {
    const instead = this.beforeObject?.(`${method} ${name}`);
    if (instead !== undefined) return instead;
    if (method === "PUT") this.objects.set(name, body);
    const bytes = this.objects.get(name);
    if (bytes === undefined) return { status: 404, code: 10007, message: "The specified key does not exist." };
    return method === "GET" ? { bytes } : { result: {} };
  }

  async #d1(method: string, name: string, body: Response, isQuery: boolean): Promise<Reply> {
    if (method === "POST" && name === "") {
      const { name, jurisdiction } = (await body.json()) as { name: string; jurisdiction?: string };
      this.makeDatabase(name, jurisdiction);
      return { result: { name, uuid: this.databases.get(name)?.uuid } };
    }
    const found = [...this.databases].find(([key, { uuid }]) => [key, uuid].includes(decodeURIComponent(name)));
    if (found === undefined) return { status: 404, code: 7404, message: "The database could not be found" };
    const [key, database] = found;
    const { uuid, sql } = database;
    if (method === "PUT" && !this.mayEditDatabases)
      return { status: 403, code: 10000, message: "Authentication error" };
    if (method === "PUT") {
      const { read_replication } = (await body.json()) as { read_replication: { mode: Database["replication"] } };
      database.replication = read_replication.mode;
    }
    if (method === "DELETE") this.databases.delete(key);
    if (!isQuery) return { result: { name: key, uuid, read_replication: { mode: database.replication } } };
    const { sql: text } = (await body.json()) as { sql: string };
    const { migration = null, when } = this.interruption ?? {};
    const isInterrupted = migration !== null && text.includes(`('${migration}')`);
    try {
      if (isInterrupted && when === "before the commit") throw new Error("D1 DB storage operation exceeded timeout");
      const results = /^\s*SELECT\b/.test(text) ? text.split("; ").map((one) => run(sql, one)) : [run(sql, text)];
      if (isInterrupted) throw new Error("Network connection lost");
      return { result: results.map((rows) => ({ success: true, meta: { duration: 0 }, results: rows })) };
    } catch (error) {
      return { status: 400, code: 7500, message: `${error instanceof Error ? error.message : error}: SQLITE_ERROR` };
    }
  }

  async #kv(method: string, body: Response): Promise<Reply> {
    if (method === "GET") return { result: [...this.namespaces].map(([title, id]) => ({ title, id })) };
    const { title } = (await body.json()) as { title: string };
    if (this.namespaces.has(title))
      return { status: 400, code: 10014, message: "a namespace with this account ID and title already exists" };
    this.namespaces.set(title, randomUUID().replaceAll("-", ""));
    return { result: { title, id: this.namespaces.get(title) } };
  }

  async #script(what: string, name: string, body: Response): Promise<Reply | null> {
    const script = this.scripts.get(name);
    if (what === "PUT scripts ") {
      // A Worker whose Durable Objects are migrated is put as a whole, and keeps the secrets that it has.
      const { bindings, migrationTag = script?.migrationTag } = await readUpload(body);
      const [secrets, deployments] = [script?.secrets ?? new Set<string>(), (script?.deployments ?? 0) + 1];
      const version = randomUUID();
      this.scripts.set(name, {
        ...{ ...script, secrets, bindings: inherited(bindings, script), deployments, migrationTag },
        versions: [version, ...(script?.versions ?? [])],
        history: [[{ version_id: version, percentage: 100 }], ...(script?.history ?? [])],
      });
      return { result: { id: name, etag: "etag", deployment_id: randomUUID() } };
    }
    if (script === undefined)
      return { status: 404, code: 10007, message: "This Worker does not exist on your account." };
    switch (what) {
      case "GET services ":
        return {
          result: {
            default_environment: {
              environment: "production",
              script: { tag: "tag", tags: [], migration_tag: script.migrationTag },
            },
          },
        };
      case "GET scripts secrets":
        return { result: [...script.secrets].map((secret) => ({ name: secret, type: "secret_text" })) };
      case "PUT scripts secrets": {
        const { name: secret } = (await body.json()) as { name: string };
        script.secrets.add(secret);
        return { result: { name: secret, type: "secret_text" } };
      }
      case "GET scripts settings":
        return { result: { bindings: script.bindings, tags: [] } };
      case "DELETE scripts secrets":
        return { result: null };
      case "GET scripts deployments": {
        const about = { source: "api", strategy: "percentage", created_on: SOME_TIME, author_email: "" };
        const deployments = (script.history ?? []).map((versions) => ({ id: randomUUID(), ...about, versions }));
        return { result: { deployments } };
      }
      case "GET scripts versions":
        return { result: { items: (script.versions ?? []).map(versionOf) } };
      case "POST scripts domains":
        return { result: { added: [], removed: [], updated: [], conflicting: [] } };
      case "PUT scripts domains": {
        const { origins } = (await body.json()) as { origins: { hostname: string }[] };
        script.domains = origins.map(({ hostname }) => hostname);
        return { result: [] };
      }
      case "POST scripts assets-upload-session":
        // Every file is there from before.
        return { result: { jwt: "uploaded", buckets: [] } };
      case "POST scripts versions": {
        const id = randomUUID();
        const { bindings } = await readUpload(body);
        const absent = bindings.find((one) => one.type === "inherit" && !canInherit(script, one.name));
        if (absent !== undefined)
          return { status: 400, code: 10057, message: `inherit binding '${absent.name}' is invalid` };
        this.#uploading.set(id, inherited(bindings, script));
        script.versions = [id, ...(script.versions ?? [])];
        return { result: { ...versionOf(id), startup_time_ms: 1 } };
      }
      case "POST scripts deployments": {
        const { versions } = (await body.json()) as { versions: { version_id: string; percentage: number }[] };
        script.history = [versions, ...(script.history ?? [])];
        script.bindings = this.#uploading.get(versions[0]?.version_id ?? "") ?? script.bindings;
        script.deployments += 1;
        return { result: { id: randomUUID() } };
      }
      case "PATCH scripts script-settings":
      case "PUT scripts schedules":
        return { result: {} };
      case "GET workers ":
        return {
          result: { subdomain: { enabled: true, previews_enabled: true, url: `https://${name}.example.workers.dev` } },
        };
      case "POST scripts subdomain":
        return { result: { enabled: true, previews_enabled: true } };
      default:
        return null;
    }
  }
}

const SOME_TIME = "2026-11-23T00:00:00.000000Z";

function versionOf(id: string) {
  const metadata = {
    created_on: SOME_TIME,
    modified_on: SOME_TIME,
    source: "api",
    author_email: "",
    has_preview: false,
  };
  return { id, number: 1, metadata, resources: { bindings: [], script: { etag: "etag" }, script_runtime: {} } };
}

function canInherit({ secrets, bindings }: Script, name: string): boolean {
  return secrets.has(name) || bindings.some((one) => one.name === name);
}

/** The bindings of an upload, with those in place of which it inherits what the Worker has. */
function inherited(bindings: readonly Binding[], script: Script | undefined): Binding[] {
  const before = (name: string) => script?.bindings.find((one) => one.name === name);
  return bindings.flatMap((one) => (one.type === "inherit" ? (before(one.name) ?? []) : one));
}

/** What an upload binds, and to which tag it migrates Durable Objects. */
async function readUpload(upload: Response): Promise<{ bindings: Binding[]; migrationTag: string | undefined }> {
  const metadata = (await upload.formData()).get("metadata");
  const { bindings = [], migrations } = JSON.parse(String(metadata)) as {
    bindings?: Binding[];
    migrations?: { new_tag: string };
  };
  return { bindings, migrationTag: migrations?.new_tag };
}

/** All statements of a request are one transaction, as the API's documentation says of its batch. */
function run(sql: DatabaseSync, text: string): unknown[] {
  if (/^\s*(SELECT|WITH|PRAGMA|UPDATE .* RETURNING)\b/i.test(text)) return sql.prepare(text).all();
  sql.exec("BEGIN");
  try {
    sql.exec(text);
    sql.exec("COMMIT");
  } catch (error) {
    sql.exec("ROLLBACK");
    throw error;
  }
  return [];
}
