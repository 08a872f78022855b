import { randomUUID } from "node:crypto";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { Hono } from "hono";
import { Databases } from "./cloudflare/databases.ts";
import { PERMISSIONS } from "./cloudflare/permissions.ts";
import { ok, refusal } from "./cloudflare/reply.ts";
import { Scripts } from "./cloudflare/scripts.ts";
import { sendLogLine } from "./cloudflare/tail.ts";
import { zoneRoutes } from "./cloudflare/triggers.ts";
import { serveHttp } from "./http-server.ts";

// An imitation of the part of Cloudflare's API that deployments use. Tests make it refuse or lose answers.

const ACCOUNT = { id: "0123456789abcdef0123456789abcdef", name: "Blue Cup" };
const WORKERS_DEV = path.join(import.meta.dirname, "cloudflare", "workers-dev.mjs");

interface Namespace {
  title: string;
  id: string;
  jurisdiction?: string | undefined;
}

interface InterceptedRequest {
  /** Such as "PUT /d1/database/ID", or "POST /workers.dev/NAME" for a request to a Worker. */
  route: string;
  body: string;
  headers: Headers;
  /** Answers as Cloudflare does. */
  answer: () => Promise<Response>;
}

/** Answers a request. `null` closes the connection without an answer. */
type Intercept = (request: InterceptedRequest) => Response | null | Promise<Response | null>;

export class Cloudflare {
  readonly databases = new Databases();
  readonly scripts = new Scripts();
  /** KV namespaces by title. */
  readonly namespaces = new Map<string, Namespace>();
  /** The names of the R2 buckets. */
  readonly buckets = new Set<string>();
  /** The permissions of the login. */
  readonly permissions = new Set<string>(PERMISSIONS.map(({ permission }) => permission));
  /** Answers each request. Tests replace it to refuse, delay or lose an answer. */
  intercept: Intercept = ({ answer }) => answer();
  /** Requests that the imitation does not know. */
  readonly unknownRequests: string[] = [];
  /** The requests that write, in order. */
  readonly writes: string[] = [];

  /** Starts a server. Resolves with the environment variables of a command that should use it. */
  async open(): Promise<Record<string, string>> {
    const routes = this.#routes();
    const url = await serveHttp(async (incoming, response) => {
      const { method = "GET" } = incoming;
      const body = await buffer(incoming);
      const address = (incoming.url ?? "").replace(`/accounts/${ACCOUNT.id}`, "");
      const headers = new Headers(incoming.headers as Record<string, string>);
      const answer = await this.intercept({
        route: `${method} ${address.replace(/\?.*/, "")}`,
        body: body.toString(),
        headers,
        answer: async () => routes.request(address, { method, headers, ...(body.length > 0 && { body }) }),
      });
      if (answer === null) return incoming.socket.destroy();
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    }, sendLogLine);
    this.scripts.webSocketUrl = url.replace("http", "ws");
    return {
      CLOUDFLARE_API_BASE_URL: url,
      CLOUDFLARE_API_TOKEN: "made-up",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT.id,
      NODE_OPTIONS: `--import=${WORKERS_DEV}`,
    };
  }

  #routes(): Hono {
    const routes = new Hono();
    routes.all("/workers.dev/:name", (c) => this.scripts.run(c.req.param("name"), c.req.raw, this.databases));
    routes.use(async ({ req }, next) => {
      const needed = PERMISSIONS.find(({ path }) => req.path.startsWith(path));
      if (needed !== undefined && !this.permissions.has(needed.permission))
        return refusal(403, 10000, "Authentication error");
      if (req.method !== "GET" && !/\/(query|changeset)$/.test(req.path)) this.writes.push(`${req.method} ${req.path}`);
      return next();
    });
    routes.get("/accounts", () => ok([ACCOUNT]));
    // Wrangler asks for these if no environment variable names the account.
    routes.get("/memberships", () => ok([{ id: "membership", account: ACCOUNT }]));
    // After a refusal, wrangler looks at the token.
    routes.get("/user/tokens/verify", () => ok({ id: "token", status: "active" }));
    routes.get("/user", () => ok({ email: "ada@club.example" }));
    routes.post("/r2/buckets", async ({ req }) => {
      const { name } = await req.json();
      this.buckets.add(name);
      return ok({ name });
    });
    routes.get("/workers/subdomain", () => ok({ subdomain: "example" }));
    routes.route("/workers", this.scripts.routes());
    routes.route("/zones", zoneRoutes(this.scripts));
    routes.route("/d1/database", this.databases.routes());
    routes.route("/storage/kv/namespaces", this.#namespaceRoutes());
    routes.notFound(({ req }) => {
      this.unknownRequests.push(`${req.method} ${req.path}`);
      return refusal(404, 7003, `No route for ${req.path}`);
    });
    return routes;
  }

  #namespaceRoutes(): Hono {
    const routes = new Hono();
    routes.get("/", ({ req }) => {
      const [page, size] = [Number(req.query("page") ?? 1), Number(req.query("per_page") ?? 20)];
      return ok([...this.namespaces.values()].slice((page - 1) * size, page * size));
    });
    routes.delete("/:id", ({ req }) => {
      const namespace = [...this.namespaces.values()].find(({ id }) => id === req.param("id"));
      if (namespace === undefined) return refusal(404, 10013, "namespace not found");
      this.namespaces.delete(namespace.title);
      return ok(null);
    });
    routes.post("/", async ({ req }) => {
      const { title, jurisdiction } = await req.json();
      if (this.namespaces.has(title))
        return refusal(400, 10014, "a namespace with this account ID and title already exists");
      const namespace = { title, id: randomUUID().replaceAll("-", ""), jurisdiction };
      this.namespaces.set(title, namespace);
      return ok(namespace);
    });
    return routes;
  }
}
