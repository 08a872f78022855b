import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { Databases } from "./cloudflare/databases.ts";
import { Faults } from "./cloudflare/faults.ts";
import type { Reply } from "./cloudflare/reply.ts";
import { Scripts } from "./cloudflare/scripts.ts";
import { serveHttp } from "./http-server.ts";

// An imitation of the part of Cloudflare's API that deployments use, with its refusals and its known failures.

const ACCOUNT = { id: "0123456789abcdef0123456789abcdef", name: "Blue Cup" };
const WORKERS_DEV = path.join(import.meta.dirname, "cloudflare", "workers-dev.mjs");

interface Namespace {
  id: string;
  jurisdiction?: string | undefined;
}

export class Cloudflare {
  readonly faults = new Faults();
  readonly databases = new Databases(this.faults);
  readonly scripts = new Scripts(this.faults);
  /** KV namespaces by title. */
  readonly namespaces = new Map<string, Namespace>();
  /** The names of R2 buckets that were made. */
  readonly buckets = new Set<string>();
  /** The objects of all buckets, by bucket and key. */
  readonly objects = new Map<string, Buffer>();
  /** Called before a request for an object is answered. A reply that it returns is the answer. */
  beforeObject: ((request: string) => Reply | undefined) | undefined;
  /** Requests that the imitation does not know. */
  readonly unknown: string[] = [];
  /** The requests that write, in order. */
  readonly writes: string[] = [];

  /** Starts the imitation. Resolves with the environment variables of a command that should use it. */
  async open(): Promise<Record<string, string>> {
    const url = await serveHttp(async (request, response) => {
      const reply = await this.#answer(request);
      const { bytes, result = null, result_info, status = 200, headers, code, message = "" } = reply;
      if (reply.hangsUp) return request.socket.destroy();
      if (bytes !== undefined) return response.writeHead(status).end(bytes);
      const errors = code === undefined ? [] : [{ code, message }];
      response.writeHead(status, { "Content-Type": "application/json", ...headers });
      response.end(JSON.stringify({ success: code === undefined, errors, messages: [], result, result_info }));
    });
    return {
      CLOUDFLARE_API_BASE_URL: url,
      CLOUDFLARE_API_TOKEN: "made-up",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT.id,
      NODE_OPTIONS: `--import=${WORKERS_DEV}`,
    };
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const bytes = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const route = pathname.replace(`/accounts/${ACCOUNT.id}`, "");
    const method = request.method ?? "GET";
    // Such as /workers/scripts/NAME/secrets, or /r2/buckets/NAME/objects/KEY with a key that has slashes.
    const [, area = "", type = "", name = "", resource = "", ...key] = route.split("/");
    if (area === "workers.dev") {
      const headers = { Authorization: request.headers.authorization ?? "" };
      return this.scripts.run(type, new Request("http://localhost", { method, headers, body: bytes }), this.databases);
    }
    if (!this.faults.takesCall(`${method} ${route}`))
      return { status: 429, code: 971, message: "Please wait and consider throttling your request speed" };
    if (method !== "GET" && resource !== "query") this.writes.push(`${method} ${route}`);
    const body = new Response(bytes, { headers: { "Content-Type": request.headers["content-type"] ?? "" } });
    if (route === "/accounts") return { result: [ACCOUNT] };
    if (area === "d1") return this.databases.answer(method, name, body, resource === "query");
    if (area === "storage") return this.#kv(method, body, searchParams);
    if (area === "r2" && resource !== "objects") return this.#bucket(method, name, body);
    if (area === "r2" && key.length > 0) return this.#object(method, [name, ...key].join("/"), bytes);
    if (area === "r2") return this.#list(`${name}/`, searchParams.get("prefix") ?? "", searchParams.get("cursor"));
    if (route === "/workers/subdomain" && method === "GET")
      return this.faults.hasSubdomain
        ? { result: { subdomain: "example" } }
        : { status: 404, code: 10007, message: "You do not have a workers.dev subdomain." };
    if (area === "workers" && name !== "") {
      const reply = await this.scripts.answer(`${method} ${type} ${resource}`, name, body);
      if (reply !== null) return reply;
    }
    this.unknown.push(`${method} ${route}`);
    return { status: 404, code: 7003, message: `No route for ${route}` };
  }

  async #bucket(method: string, name: string, body: Response): Promise<Reply> {
    if (!this.faults.hasR2)
      return { status: 403, code: 10042, message: "Please enable R2 through the Cloudflare Dashboard." };
    if (method === "GET" && name === "")
      return { result: { buckets: [...this.buckets].map((bucket) => ({ name: bucket })) } };
    if (method === "POST") this.buckets.add(((await body.json()) as { name: string }).name);
    else if (!this.buckets.has(name))
      return { status: 404, code: 10006, message: "The specified bucket does not exist." };
    return { result: { name } };
  }

  /** Lists the keys of a bucket. A page has one object, so that clients must ask for a second page. */
  #list(bucket: string, prefix: string, cursor: string | null): Reply {
    const keys = [...this.objects.keys()].sort().filter((name) => name.startsWith(bucket + prefix));
    const [key, next] = keys.map((name) => name.slice(bucket.length)).filter((name) => name > (cursor ?? ""));
    return { result: key === undefined ? [] : [{ key }], result_info: next === undefined ? {} : { cursor: key } };
  }

  #object(method: string, name: string, body: Buffer): Reply {
    const replyOfTest = this.beforeObject?.(`${method} ${name}`);
    if (replyOfTest !== undefined) return replyOfTest;
    if (method === "PUT") this.objects.set(name, body);
    const bytes = this.objects.get(name);
    if (bytes === undefined) return { status: 404, code: 10007, message: "The specified key does not exist." };
    return method === "GET" ? { bytes } : { result: {} };
  }

  async #kv(method: string, body: Response, searchParams: URLSearchParams): Promise<Reply> {
    if (method === "GET") {
      const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("per_page") ?? 20)];
      const namespaces = [...this.namespaces].map(([title, namespace]) => ({ title, ...namespace }));
      return { result: namespaces.slice((page - 1) * size, page * size) };
    }
    const { title, jurisdiction } = (await body.json()) as { title: string; jurisdiction?: string };
    if (this.namespaces.has(title))
      return { status: 400, code: 10014, message: "a namespace with this account ID and title already exists" };
    this.namespaces.set(title, { id: randomUUID().replaceAll("-", ""), jurisdiction });
    return { result: { title, ...this.namespaces.get(title) } };
  }
}
