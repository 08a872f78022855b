import { Hono } from "hono";
import { ok, refusal } from "./reply.ts";
import type { Script } from "./script.ts";

// What leads to a Worker: schedules, domains, routes and its address at workers.dev. These belong to no version.

interface Origins {
  override_existing_origin: boolean;
  override_existing_dns_record: boolean;
  origins: { hostname: string }[];
}

/** The Workers of an account, and what limits it. */
interface Scripts extends Map<string, Script> {
  dnsRecords: Set<string>;
  scheduleLimit: number;
}

/** The routes of the API below /workers that change what leads to a Worker. */
export function triggerRoutes(scripts: Scripts) {
  const routes = new Hono<{ Variables: { script: Script } }>();
  const ownerOf = (hostname: string) => [...scripts].find(([, { domains }]) => domains.includes(hostname))?.[0];
  const domainOf = (hostname: string) => ({ id: hostname, hostname, service: ownerOf(hostname) });

  routes.get("/domains", () => ok([...scripts.values()].flatMap(({ domains }) => domains.map(domainOf))));
  routes.get("/domains/records/:hostname", (c) => ok(domainOf(c.req.param("hostname"))));
  routes.use("/scripts/:name/:part/*", async (c, next) => {
    const script = scripts.get(c.req.param("name"));
    if (script !== undefined) c.set("script", script);
    return script === undefined ? refusal(404, 10007, "This Worker does not exist on your account.") : next();
  });
  routes.post("/scripts/:name/domains/changeset", async (c) => {
    const origins: { hostname: string }[] = await c.req.json();
    const isOther = ({ hostname }: { hostname: string }) =>
      ![undefined, c.req.param("name")].includes(ownerOf(hostname));
    return ok({
      added: origins.filter(({ hostname }) => ownerOf(hostname) === undefined),
      removed: [],
      updated: origins.filter(isOther).map(({ hostname }) => ({ ...domainOf(hostname), modified: true })),
      conflicting: origins.filter(({ hostname }) => scripts.dnsRecords.has(hostname)),
    });
  });
  // Replaces the domains of the Worker.
  routes.put("/scripts/:name/domains/records", async (c) => {
    const { origins, ...overrides }: Origins = await c.req.json();
    const hostnames = origins.map(({ hostname }) => hostname);
    for (const hostname of hostnames) {
      const owner = ownerOf(hostname);
      if (owner !== undefined && owner !== c.req.param("name") && !overrides.override_existing_origin)
        return refusal(409, 100116, "Hostname is already used by another Worker");
      if (scripts.dnsRecords.has(hostname) && !overrides.override_existing_dns_record)
        return refusal(409, 100117, "Hostname already has externally managed DNS records");
    }
    for (const script of scripts.values()) script.domains = script.domains.filter((name) => !hostnames.includes(name));
    for (const hostname of hostnames) scripts.dnsRecords.delete(hostname);
    c.var.script.domains = hostnames;
    return ok(hostnames.map(domainOf));
  });
  // Replaces the routes of the Worker.
  routes.put("/scripts/:name/routes", async (c) => {
    const patterns: { pattern: string }[] = await c.req.json();
    c.var.script.routes = patterns.map(({ pattern }) => pattern);
    return ok(patterns);
  });
  routes.get("/services/:name/environments/production/routes", (c) =>
    ok(scripts.get(c.req.param("name"))?.routes.map((pattern) => ({ pattern }))),
  );
  routes.get("/scripts/:name/schedules", (c) => ok({ schedules: c.var.script.schedules }));
  routes.put("/scripts/:name/schedules", async (c) => {
    const schedules: Script["schedules"] = await c.req.json();
    const others = [...scripts.values()].filter((script) => script !== c.var.script);
    if (others.flatMap((script) => script.schedules).length + schedules.length > scripts.scheduleLimit)
      return refusal(400, 10072, "This account has reached the Workers Free limit of 5 cron triggers per account.");
    c.var.script.schedules = schedules;
    return ok({ schedules });
  });
  const subdomainOf = ({ isOpen, hasOpenVersions }: Script) => ({ enabled: isOpen, previews_enabled: hasOpenVersions });
  routes.get("/scripts/:name/subdomain", (c) => ok(subdomainOf(c.var.script)));
  routes.post("/scripts/:name/subdomain", async (c) => {
    // Without a setting, the addresses of versions are open where that of the Worker is.
    const { enabled, previews_enabled = enabled } = await c.req.json();
    Object.assign(c.var.script, { isOpen: enabled, hasOpenVersions: previews_enabled });
    return ok(subdomainOf(c.var.script));
  });
  routes.patch("/scripts/:name/script-settings", async (c) => {
    const { observability } = await c.req.json();
    c.var.script.observability = observability;
    return ok({ observability });
  });
  return routes;
}

/** The routes of the API below /zones. The account has one zone. */
export function zoneRoutes(scripts: Scripts) {
  const routes = new Hono();
  routes.get("/", () => ok([{ id: "zone" }]));
  routes.get("/:zone/workers/routes", () =>
    ok([...scripts].flatMap(([script, { routes }]) => routes.map((pattern) => ({ pattern, script })))),
  );
  routes.post("/:zone/workers/routes", async ({ req }) => {
    const { pattern, script } = await req.json();
    scripts.get(script)?.routes.push(pattern);
    return ok({ pattern });
  });
  return routes;
}
