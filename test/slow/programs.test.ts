import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { cloneCheckout } from "./clone.ts";
import { ROOT, startProgram } from "./command.ts";
import { PROGRAMS } from "./deploying.ts";
import { inProcess } from "./in-process.ts";
import { startService } from "./service.ts";

const clone = cloneCheckout();
const file = path.join(clone, "environments.toml");
const run = (name: string, ...args: string[]) => inProcess(name, args, { root: clone });

/** Runs work on the programs of this file. */
async function withPrograms<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  writeFileSync(file, text);
  return work().finally(() => writeFileSync(file, PROGRAMS));
}

/** The configuration of a program that wrangler got. */
async function configOf(env: string) {
  const { output } = await run("deploy", "--env", env);
  const config = readFileSync(path.join(clone, "dist", "programs", env, "wrangler.json"), "utf8");
  return { config: JSON.parse(config), output };
}

describe("the configuration of a program", () => {
  it("is the service's with the settings of its table, and with names and limits of its own", async ({ expect }) => {
    const table = `[acme-eu]
database_id = "d"
kv_id = "k"
account_id = "a"
metrics = true
jwks_service = "identity"
routes = [{ pattern = "acme.example", custom_domain = true }]
vars = { CUSTOMER_SEARCH = "friends" }
wrangler = { logpush = true, observability = { enabled = false } }
`;
    const { config: acme } = await withPrograms(`${PROGRAMS}\n${table}`, () => configOf("acme-eu"));
    const { config: production } = await withPrograms(PROGRAMS, () => configOf("production"));

    const name = "loyalty-edge-acme-eu";
    const { durable_objects, migrations, triggers, secrets, compatibility_date, version_metadata } = production;
    expect(acme).toMatchObject({
      durable_objects,
      migrations,
      triggers,
      secrets,
      compatibility_date,
      version_metadata,
    });
    expect(acme).toMatchObject({ name, account_id: "a", logpush: true, observability: { enabled: false } });
    expect(acme.vars).toEqual({ ...production.vars, ENVIRONMENT: "acme-eu", CUSTOMER_SEARCH: "friends" });
    expect(acme.d1_databases).toMatchObject([{ binding: "DB", database_name: name, database_id: "d" }]);
    expect(acme.kv_namespaces).toEqual([{ binding: "CACHE", id: "k" }]);
    expect(acme.analytics_engine_datasets).toEqual([{ binding: "METRICS", dataset: "loyalty_edge_acme_eu" }]);
    expect(acme.services).toEqual([{ binding: "JWKS_SERVICE", service: "identity" }]);
    expect(acme.routes).toEqual([{ pattern: "acme.example", custom_domain: true }]);
    expect(production).not.toHaveProperty("routes");
    for (const folder of [acme.main, acme.assets.directory, acme.d1_databases[0].migrations_dir])
      expect(folder).toMatch(new RegExp(`^${clone}/`));
    const ids = [acme, production].flatMap(({ ratelimits }) => ratelimits).map(({ namespace_id: id }) => Number(id));
    expect(new Set(ids).size).toBe(6);
    expect(Math.max(...ids)).toBeLessThan(2 ** 31);
  });
});

describe("npm run programs", () => {
  it("appends a short table with production's variables, lists it, and says what to do next", async ({ expect }) => {
    const own = `# Ours.
[production] # Blue Cup
routes = ["loyalty.example/*"]
database_id = "d"

[production.vars]
JWKS_URL = "https://id.example/keys"
JWT_AUDIENCE = "loyalty"
RETENTION_MONTHS = "13"
REVOKED_TOKENS = "x"

[staging]
`;
    const { added, text, listed } = await withPrograms(own, async () => {
      const added = await run("programs", "add", "acme-eu");
      return { added, text: readFileSync(file, "utf8"), listed: await run("programs", "list") };
    });

    expect(added.status, added.output).toBe(0);
    for (const secret of ["JWT_SECRET", "FEED_JWT_SECRET"])
      expect(added.output).toContain(`npm run wrangler -- secret put ${secret} --env acme-eu`);
    expect(text).toBe(`${own}
[acme-eu]
[acme-eu.vars]
JWKS_URL = "https://id.example/keys"
JWT_AUDIENCE = "loyalty-edge-acme-eu"
`);
    expect(listed.output).toMatch(/\| production \| loyalty-edge +\| loyalty-edge +\| loyalty\.example\/\*/);
    expect(listed.output).toMatch(/\| acme-eu +\| loyalty-edge-acme-eu \| loyalty-edge-acme-eu \| workers\.dev/);
  });

  it("says how to remove a program, and changes nothing", async ({ expect }) => {
    const own = `${PROGRAMS}
[acme]
vars = { CUSTOMER_SEARCH = "none" }

[acme-eu]
[acme.wrangler]
logpush = true
`;
    const { removed, text } = await withPrograms(own, async () => ({
      removed: await run("programs", "remove", "acme"),
      text: readFileSync(file, "utf8"),
    }));

    expect(text).toBe(own);
    expect(removed.output).toContain(`\n\n[acme]
vars = { CUSTOMER_SEARCH = "none" }

[acme.wrangler]
logpush = true

Its Worker`);
    expect(removed.output).toContain("npm run wrangler -- d1 delete loyalty-edge-acme\n");
  });

  it("refuses a name that is there", async ({ expect }) => {
    expect(await run("programs", "add", "staging")).toMatchObject({
      status: 1,
      output: "There is a program staging already.\n",
    });
  });
});

describe("the Worker in front of examples/front", () => {
  it("forwards a request to the program that the host names", async ({ expect }) => {
    const programNamed = (name: string) => ({ fetch: async ({ url }: Request) => new Response(`${name} ${url}`) });
    const env = { ACME_EU: programNamed("acme-eu"), GLOBEX: programNamed("globex") };
    const file = path.join(ROOT, "examples", "front", "front.js");
    const { default: front } = await import(/* @vite-ignore */ file);
    const ask = async (url: string) => {
      const response: Response = await front.fetch(new Request(url), env);
      return response.ok ? response.text() : response.status;
    };

    expect(await ask("http://acme-eu.loyalty.example/health")).toBe("acme-eu http://acme-eu.loyalty.example/health");
    expect(await ask("http://globex.loyalty.example/")).toBe("globex http://globex.loyalty.example/");
    expect(await ask("http://x.loyalty.example/")).toBe(404);
  });
});

describe("two programs on this machine", { timeout: 600_000 }, () => {
  const urls = { production: "", acme: "" };
  type Program = keyof typeof urls;

  beforeAll(async () => {
    await run("programs", "add", "acme");
    // The previous secret still counts while the secret is being changed.
    writeFileSync(path.join(clone, ".dev.vars.acme"), 'JWT_SECRET="the-new-one"\nJWT_SECRET_PREVIOUS="the-old:one"');
    for (const env of ["production", "acme"] as const) {
      const { url } = await startService(["--env", env, "--no-demo"], { cwd: clone });
      urls[env] = url;
      const line = JSON.stringify({ record: "customer", id: "c1", first_name: "One", last_name: env });
      writeFileSync(path.join(clone, `${env}.ndjson`), line);
      await run("feed", `${env}.ndjson`, "--env", env, "--url", url);
    }
  });

  it("npm run wrangler reads the data of the program that --env names", async ({ expect }) => {
    const command = ["wrangler", "d1", "execute", "DB", "--json", "--command", "SELECT last_name FROM customers"];
    const { ended, output } = startProgram("node", ["scripts/run.mjs", ...command, "--env", "acme"], { cwd: clone });

    expect(await ended, output()).toBe(0);
    expect(output()).toContain('"last_name": "acme"');
  });

  const OLD_SECRET = { signer: "acme", secret: "the-old:one" } as const;
  it.for<{ what: string; signer: Program; secret?: string; asked: Program; answer: Program | 401 }>([
    { what: "production answers its own token", signer: "production", asked: "production", answer: "production" },
    { what: "acme answers its own token", signer: "acme", asked: "acme", answer: "acme" },
    { what: "acme refuses a token of production", signer: "production", asked: "acme", answer: 401 },
    { what: "production refuses a token of acme", signer: "acme", asked: "production", answer: 401 },
    { what: "acme accepts its previous secret", ...OLD_SECRET, asked: "acme", answer: "acme" },
    { what: "production refuses the previous secret of acme", ...OLD_SECRET, asked: "production", answer: 401 },
  ])("$what", async ({ signer, secret = "", asked, answer }, { expect }) => {
    const args = ["customer", "c1", "--env", signer];
    const { output } = await inProcess("token", args, { root: clone, env: { JWT_SECRET: secret } });
    const [token = ""] = /^ey\S+$/m.exec(output) ?? [];

    const { status, body } = await call(`${urls[asked]}/api/v1/customer/me`, { token });

    expect(body.items?.last_name ?? status).toBe(answer);
  });
});
