import { randomUUID } from "node:crypto";
import type { Databases } from "./databases.ts";
import type { Faults } from "./faults.ts";
import type { Reply } from "./reply.ts";

interface Binding {
  name: string;
  type: string;
  [field: string]: unknown;
}

interface Script {
  secrets: Set<string>;
  bindings: Binding[];
  deployments: number;
  /** The module of a Worker that can run. */
  code?: string;
  /** Whether it has an address at workers.dev. */
  isOpen?: boolean;
  schedules?: unknown[];
  /** Versions and deployments, the newest first. */
  versions?: string[];
  history?: { version_id: string; percentage: number }[][];
  domains?: string[];
  /** The last migration of its Durable Objects; absent before the first. */
  migrationTag?: string | undefined;
}

interface UploadedFile {
  text: () => Promise<string>;
}

/** The Workers of an account. */
export class Scripts extends Map<string, Script> {
  readonly #faults: Faults;
  readonly #uploading = new Map<string, Binding[]>();
  /** Called before a Worker at workers.dev answers. */
  beforeAnswer: (() => Promise<void> | undefined) | undefined;

  constructor(faults: Faults) {
    super();
    this.#faults = faults;
  }

  /** Runs a Worker for a request to workers.dev. */
  async run(name: string, request: Request, databases: Databases): Promise<Reply> {
    const { isOpen = false, code = "", bindings = [] } = this.get(name) ?? {};
    if (!isOpen) return { status: 404, bytes: Buffer.from("There is nothing here yet") };
    await this.beforeAnswer?.();
    const worker = await import(
      /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
    );
    const text = await request.clone().text();
    const env = bindings.map(({ name, type, id, text }) => [name, type === "d1" ? databases.binding(id) : text]);
    const response: Response = await worker.default.fetch(request, Object.fromEntries(env));
    if (text.includes(this.#faults.losesAnswerTo ?? "\0")) return { hangsUp: true };
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  /** `what` is the method, the resource and its part, such as "GET scripts secrets". Null for an unknown request. */
  async answer(what: string, name: string, body: Response): Promise<Reply | null> {
    const script = this.get(name);
    if (what === "PUT scripts ") return this.#put(name, script, body);
    if (script === undefined)
      return { status: 404, code: 10007, message: "This Worker does not exist on your account." };
    switch (what) {
      case "DELETE scripts ":
        this.delete(name);
        return { result: null };
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
        // No bucket is left to upload.
        return { result: { jwt: "uploaded", buckets: [] } };
      case "POST scripts versions":
        return this.#postVersion(script, body);
      case "POST scripts deployments": {
        const { versions } = (await body.json()) as { versions: { version_id: string; percentage: number }[] };
        script.history = [versions, ...(script.history ?? [])];
        script.bindings = this.#uploading.get(versions[0]?.version_id ?? "") ?? script.bindings;
        script.deployments += 1;
        return { result: { id: randomUUID() } };
      }
      case "PATCH scripts script-settings":
        return { result: {} };
      case "GET scripts schedules":
        return { result: { schedules: script.schedules ?? [] } };
      case "PUT scripts schedules":
        return this.#schedule(name, script, (await body.json()) as unknown[]);
      case "GET workers ":
        return {
          result: { subdomain: { enabled: true, previews_enabled: true, url: `https://${name}.example.workers.dev` } },
        };
      case "POST scripts subdomain":
        script.isOpen = true;
        return { result: { enabled: true, previews_enabled: true } };
      default:
        return null;
    }
  }

  /** Uploads a whole Worker, as wrangler does to migrate Durable Objects. The Worker keeps its secrets. */
  async #put(name: string, script: Script | undefined, body: Response): Promise<Reply> {
    const { bindings, code, migrationTag = script?.migrationTag } = await readUpload(body);
    if (script === undefined && !this.#faults.hasSubdomain)
      return { status: 400, code: 10063, message: "You need a workers.dev subdomain in order to proceed." };
    const refusal = this.#refusal(bindings);
    if (refusal !== undefined) return refusal;
    const [secrets, deployments] = [script?.secrets ?? new Set<string>(), (script?.deployments ?? 0) + 1];
    const version = randomUUID();
    this.set(name, {
      ...{ ...script, secrets, bindings: inherited(bindings, script), deployments, migrationTag, code },
      versions: [version, ...(script?.versions ?? [])],
      history: [[{ version_id: version, percentage: 100 }], ...(script?.history ?? [])],
    });
    return { result: { id: name, etag: "etag", deployment_id: randomUUID() } };
  }

  async #postVersion(script: Script, body: Response): Promise<Reply> {
    const id = randomUUID();
    const { bindings } = await readUpload(body);
    const absent = bindings.find((one) => one.type === "inherit" && !canInherit(script, one.name));
    if (absent !== undefined)
      return { status: 400, code: 10057, message: `inherit binding '${absent.name}' is invalid` };
    const refusal = this.#refusal(bindings);
    if (refusal !== undefined) return refusal;
    this.#uploading.set(id, inherited(bindings, script));
    script.versions = [id, ...(script.versions ?? [])];
    return { result: { ...versionOf(id), startup_time_ms: 1 } };
  }

  #refusal(bindings: readonly Binding[]): Reply | undefined {
    const binds = (wanted: string) => bindings.some(({ type }) => type === wanted);
    const { hasAnalyticsEngine, hasR2, refusesUploads } = this.#faults;
    if (!hasAnalyticsEngine && binds("analytics_engine"))
      return { status: 403, code: 10089, message: "You need to enable Analytics Engine." };
    if (!hasR2 && binds("r2_bucket"))
      return { status: 403, code: 10136, message: "Please enable R2 through the Cloudflare Dashboard." };
    if (refusesUploads && binds("kv_namespace"))
      return { status: 400, code: 10021, message: "Script startup exceeded CPU time limit." };
    return undefined;
  }

  /** An account above its limit refuses every change, even to fewer triggers (workers-sdk#15194). */
  #schedule(name: string, script: Script, schedules: unknown[]): Reply {
    const others = [...this].flatMap(([other, { schedules = [] }]) => (other === name ? [] : schedules));
    if (others.length + schedules.length > this.#faults.cronLimit)
      return { status: 400, code: 10072, message: "This account has reached its limit of cron triggers." };
    script.schedules = schedules;
    return { result: { schedules } };
  }
}

const SOME_TIME = "2026-11-23T00:00:00.000000Z";

export function versionOf(id: string) {
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

/** The bindings of an upload, with inherited bindings replaced by those of the Worker. */
function inherited(bindings: readonly Binding[], script: Script | undefined): Binding[] {
  const before = (name: string) => script?.bindings.find((one) => one.name === name);
  return bindings.flatMap((one) => (one.type === "inherit" ? (before(one.name) ?? []) : one));
}

/** The bindings of an upload, its module, and the tag to which it migrates Durable Objects. */
async function readUpload(upload: Response) {
  const form = await upload.formData();
  const metadata = JSON.parse(String(form.get("metadata"))) as {
    bindings?: Binding[];
    main_module?: string;
    migrations?: { new_tag: string };
  };
  const file = form.get(metadata.main_module ?? "") as UploadedFile | null;
  const code = (await file?.text?.()) ?? "";
  return { bindings: metadata.bindings ?? [], code, migrationTag: metadata.migrations?.new_tag };
}
