import { randomUUID } from "node:crypto";
import type { Databases } from "./databases.ts";
import type { Faults } from "./faults.ts";
import type { Reply } from "./reply.ts";

interface Binding {
  name: string;
  type: string;
  [field: string]: unknown;
}

interface Upload {
  bindings: Binding[];
  /** The module of the Worker. */
  code: string;
  /** The last migration of its Durable Objects; absent before the first. */
  migrationTag?: string | undefined;
}

interface Script extends Upload {
  secrets: Set<string>;
  /** Whether it has an address at workers.dev. */
  isOpen: boolean;
  schedules: unknown[];
  domains: string[];
  /** The versions of each deployment, the newest deployment first. */
  deployments: { version_id: string; percentage: number }[][];
}

interface UploadedFile {
  text: () => Promise<string>;
}

/** The Workers of an account. */
export class Scripts extends Map<string, Script> {
  readonly #faults: Faults;
  /** The bindings of versions, by the version's id. */
  readonly #bindingsOfVersions = new Map<string, Binding[]>();
  /** Called before a Worker at workers.dev answers. */
  beforeAnswer: (() => Promise<void> | undefined) | undefined;

  constructor(faults: Faults) {
    super();
    this.#faults = faults;
  }

  /** Makes a Worker that is not deployed, as `secret put` does. */
  make(name: string, ...secrets: string[]): Script {
    const empty = { bindings: [], code: "", schedules: [], domains: [], deployments: [], isOpen: false };
    const script: Script = { ...empty, secrets: new Set(secrets) };
    this.set(name, script);
    return script;
  }

  /** Runs a Worker for a request to workers.dev. */
  async run(name: string, request: Request, databases: Databases): Promise<Reply> {
    const script = this.get(name);
    if (!script?.isOpen) return { status: 404, bytes: Buffer.from("There is nothing here yet") };
    await this.beforeAnswer?.();
    const module = Buffer.from(script.code).toString("base64");
    const worker = await import(/* @vite-ignore */ `data:text/javascript;base64,${module}`);
    const requestText = await request.clone().text();
    const env = script.bindings.map(({ name, type, id, text }) => [name, type === "d1" ? databases.binding(id) : text]);
    const response: Response = await worker.default.fetch(request, Object.fromEntries(env));
    const { losesAnswerTo } = this.#faults;
    if (losesAnswerTo !== undefined && requestText.includes(losesAnswerTo)) return { hangsUp: true };
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  /**
   * The answer to a request about a Worker. `request` is the method and two parts of the path, such as
   * "GET scripts secrets". Null for a request that the imitation does not know.
   */
  async answer(request: string, name: string, body: Response): Promise<Reply | null> {
    const script = this.get(name);
    if (request === "PUT scripts ") return this.#put(name, script, body);
    if (script === undefined)
      return { status: 404, code: 10007, message: "This Worker does not exist on your account." };
    switch (request) {
      case "DELETE scripts ":
        this.delete(name);
        return { result: null };
      case "GET services ": {
        const worker = { tag: "tag", tags: [], migration_tag: script.migrationTag };
        return { result: { default_environment: { environment: "production", script: worker } } };
      }
      case "GET scripts secrets":
        return { result: [...script.secrets].map((secret) => ({ name: secret, type: "secret_text" })) };
      case "PUT scripts secrets": {
        const { name: secret } = (await body.json()) as { name: string };
        script.secrets.add(secret);
        return { result: { name: secret, type: "secret_text" } };
      }
      case "GET scripts settings":
        return { result: { bindings: script.bindings, tags: [] } };
      case "GET scripts deployments": {
        const details = { source: "api", created_on: "2026-11-23T00:00:00.000000Z" };
        const deployments = script.deployments.map((versions) => ({ id: randomUUID(), ...details, versions }));
        return { result: { deployments } };
      }
      case "POST scripts domains":
        return { result: { added: [], removed: [], updated: [], conflicting: [] } };
      case "PUT scripts domains": {
        const { origins } = (await body.json()) as { origins: { hostname: string }[] };
        script.domains = origins.map(({ hostname }) => hostname);
        return { result: [] };
      }
      case "POST scripts assets-upload-session":
        // As if all files were uploaded already.
        return { result: { jwt: "uploaded", buckets: [] } };
      case "POST scripts versions":
        return this.#postVersion(script, body);
      case "POST scripts deployments": {
        const { versions } = (await body.json()) as { versions: Script["deployments"][number] };
        script.deployments = [versions, ...script.deployments];
        script.bindings = this.#bindingsOfVersions.get(versions[0]?.version_id ?? "") ?? script.bindings;
        return { result: { id: randomUUID() } };
      }
      case "PATCH scripts script-settings":
        return { result: {} };
      case "GET scripts schedules":
        return { result: { schedules: script.schedules } };
      case "PUT scripts schedules":
        return this.#schedule(name, script, (await body.json()) as unknown[]);
      case "GET workers ": {
        const subdomain = { enabled: true, previews_enabled: true, url: `https://${name}.example.workers.dev` };
        return { result: { subdomain } };
      }
      case "POST scripts subdomain":
        script.isOpen = true;
        return { result: { enabled: true, previews_enabled: true } };
      default:
        return null;
    }
  }

  /** Uploads and deploys a Worker, as wrangler does to migrate Durable Objects. The Worker keeps its secrets. */
  async #put(name: string, before: Script | undefined, body: Response): Promise<Reply> {
    const upload = await readUpload(body);
    if (before === undefined && !this.#faults.hasSubdomain)
      return { status: 400, code: 10063, message: "You need a workers.dev subdomain in order to proceed." };
    const refusal = this.#refusal(upload.bindings);
    if (refusal !== undefined) return refusal;
    const script = before ?? this.make(name);
    const version = randomUUID();
    Object.assign(script, {
      code: upload.code,
      bindings: inherited(upload.bindings, script),
      migrationTag: upload.migrationTag ?? script.migrationTag,
      deployments: [[{ version_id: version, percentage: 100 }], ...script.deployments],
    });
    return { result: { id: name, etag: "etag", deployment_id: randomUUID() } };
  }

  async #postVersion(script: Script, body: Response): Promise<Reply> {
    const id = randomUUID();
    const { bindings } = await readUpload(body);
    const absent = bindings.find((binding) => binding.type === "inherit" && !canInherit(script, binding.name));
    if (absent !== undefined)
      return { status: 400, code: 10057, message: `inherit binding '${absent.name}' is invalid` };
    const refusal = this.#refusal(bindings);
    if (refusal !== undefined) return refusal;
    this.#bindingsOfVersions.set(id, inherited(bindings, script));
    const resources = { bindings: [], script: { etag: "etag" }, script_runtime: {} };
    return { result: { id, startup_time_ms: 1, metadata: { has_preview: false }, resources } };
  }

  #refusal(bindings: readonly Binding[]): Reply | undefined {
    const binds = (wantedType: string) => bindings.some(({ type }) => type === wantedType);
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
    const otherSchedules = [...this].flatMap(([other, { schedules }]) => (other === name ? [] : schedules));
    if (otherSchedules.length + schedules.length > this.#faults.cronLimit)
      return { status: 400, code: 10072, message: "This account has reached its limit of cron triggers." };
    script.schedules = schedules;
    return { result: { schedules } };
  }
}

function canInherit({ secrets, bindings }: Script, name: string): boolean {
  return secrets.has(name) || bindings.some((binding) => binding.name === name);
}

/** The bindings of an upload, with inherited bindings replaced by those of the Worker. */
function inherited(bindings: readonly Binding[], script: Script): Binding[] {
  const bindingOf = (name: string) => script.bindings.find((binding) => binding.name === name);
  return bindings.flatMap((binding) => (binding.type === "inherit" ? (bindingOf(binding.name) ?? []) : binding));
}

async function readUpload(upload: Response): Promise<Upload> {
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
