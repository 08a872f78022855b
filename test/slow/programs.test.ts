import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { beforeAll, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { addEnvironment, removeEnvironment } from "../../scripts/lib/edit-environments.ts";
import { configOf, environmentNames, refuseShared } from "../../scripts/lib/environments.ts";
import { cloneCheckout, temporaryFolder } from "./clone.ts";
import { ROOT } from "./command.ts";
import { inProcess } from "./in-process.ts";
import { startService } from "./service.ts";

const folder = temporaryFolder();
const file = path.join(folder, "wrangler.toml");
const OURS = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");
const textOfFile = () => readFileSync(file, "utf8");
const clone = cloneCheckout();
const run = (name: string, ...args: string[]) => inProcess(name, args, { root: clone });

/** The configuration of an environment without the names, ids and variables that differ in each. */
function withoutNames(env: string) {
  const { name, main, targetEnvironment, d1_databases, ratelimits, vars, ...config } = configOf(env, file);
  return {
    ...config,
    d1_databases: d1_databases.map((database) => ({ ...database, database_name: "" })),
    ratelimits: ratelimits.map((limit) => ({ ...limit, namespace_id: "" })),
  };
}

describe("a wrangler.toml", () => {
  it("gets an environment with staging's bindings, production's variables and new names", ({ expect }) => {
    writeFileSync(file, OURS);

    addEnvironment("acme-eu", file);

    const { name, main, vars, d1_databases, ratelimits } = configOf("acme-eu", file);
    expect(main).toBe(configOf("production", file).main);
    expect(withoutNames("acme-eu")).toEqual(withoutNames("staging"));
    expect({ name, vars }).toEqual({
      name: "loyalty-edge-acme-eu",
      vars: { ...configOf("production", file).vars, ENVIRONMENT: "acme-eu", WORKER_NAME: "loyalty-edge-acme-eu" },
    });
    expect(d1_databases.map(({ database_name }) => database_name)).toEqual(["loyalty-edge-acme-eu"]);
    const ids = [...ratelimits, ...configOf("staging", file).ratelimits].map(({ namespace_id }) =>
      Number(namespace_id),
    );
    expect(new Set(ids).size).toBe(4);
    // Large numbers, so that no other Worker of the account has the same id by chance.
    for (const id of ids) expect(id).toBeGreaterThanOrEqual(100_000_000);
    expect(textOfFile().startsWith(OURS)).toBe(true);
  });

  it("is replaced in one step, because a running npm start reads it at every change", ({ expect }) => {
    writeFileSync(file, OURS);
    const oldFile = openSync(file, "r");

    addEnvironment("acme", file);

    expect(readFileSync(oldFile, "utf8")).toBe(OURS);
    expect(textOfFile()).toContain("[env.acme]");
    expect(readdirSync(folder)).toEqual(["wrangler.toml"]);
    closeSync(oldFile);
  });

  it("loses exactly the section of a removed environment", ({ expect }) => {
    writeFileSync(file, OURS);
    addEnvironment("acme", file);
    addEnvironment("acme-eu", file);
    const withThree = `${textOfFile()}\n# Ours.\n[env.last]\nname = "last"\n`;
    writeFileSync(file, withThree.replace("[env.acme.vars]", '# Its own.\n[env.acme.vars]\n# Why.\nX = "y"'));

    removeEnvironment("acme", file);
    const withTwo = textOfFile();
    removeEnvironment("acme-eu", file);

    expect(withTwo).toContain("[env.acme-eu.vars]");
    expect(withTwo).not.toMatch(/\[env\.acme[.\]]|Its own|Why/);
    expect(textOfFile()).toBe(`${OURS}\n# Ours.\n[env.last]\nname = "last"\n`);
  });

  it("gives no environment the address, the history, the tokens or the ids of another", ({ expect }) => {
    const staging = OURS.replace(
      /# (\[\[env.staging.r2_buckets\]\])\n# (.*)\n# (.*)/,
      '$1\n$2\n$3\n[[env.staging.analytics_engine_datasets]]\nbinding = "METRICS"\ndataset = "loyalty_edge_staging"',
    ).replace(/(\[\[env.staging.kv_namespaces\]\]\nbinding = "CACHE")/, '$1\nid = "abc"');
    const text = staging
      .replace('JWKS_URL = ""', 'JWKS_URL = "https://id.example/keys"')
      .replace("[assets]", 'routes = ["loyalty.example/*"]\nworkers_dev = false\n\n[assets]')
      .replaceAll('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"')
      .replace('name = "loyalty-edge-staging"', 'name = "loyalty-edge-staging"\nroute = "staging.example/*"');
    writeFileSync(file, text.replace('database_name = "loyalty-edge-staging"', "$&\ndatabase_id = 'def'"));

    addEnvironment("acme-eu", file);

    const config = configOf("acme-eu", file);
    expect(config).toMatchObject({ routes: [], workers_dev: true, r2_buckets: [] });
    expect(config.route).toBeUndefined();
    expect(config.vars).toMatchObject({
      ...{ HISTORY_MONTHS: "", JWKS_URL: "https://id.example/keys", JWT_AUDIENCE: "loyalty-edge-acme-eu" },
    });
    expect(config.analytics_engine_datasets).toEqual([{ binding: "METRICS", dataset: "loyalty_edge_acme_eu" }]);
    expect(() => refuseShared("acme-eu", file)).not.toThrow();
  });

  it.for([
    ["an environment that is there", OURS, "staging", "There is an environment staging already."],
    ["production's name", OURS, "production", "There is an environment production already."],
    ["no staging", 'name = "x"\n', "acme", "no [env.staging]"],
    ["environments in one line", 'name = "x"\nenv = { staging = {} }\n', "acme", "cannot be read: "],
    ["text that is no TOML", `${OURS}oops`, "acme", "cannot be read: "],
  ] as const)("does not change with %s", ([, text, name, words], { expect }) => {
    writeFileSync(file, text);

    expect(() => addEnvironment(name, file)).toThrow(words);

    expect(textOfFile()).toBe(text);
  });

  it("is refused with wrangler's reason", ({ expect }) => {
    writeFileSync(file, `${OURS}\n[[r2_buckets]]\nbinding = "HISTORY"\nbucket_name = "b"\n`);

    expect(() => configOf("production", file)).toThrow(/cannot be read: [\s\S]*bucket_name="b" is invalid/);
  });

  it("does not change if the section cannot be recognized", ({ expect }) => {
    const text = `${OURS}[env."acme"]\nname = "x"\n`;
    writeFileSync(file, text);

    expect(() => removeEnvironment("acme", file)).toThrow("wrangler.toml is left as it is: edit the section by hand.");

    expect(textOfFile()).toBe(text);
  });
});

describe("npm run programs", () => {
  it("adds a program, lists it and removes it, and says what to do next", async ({ expect }) => {
    const config = path.join(clone, "wrangler.toml");

    const added = await run("programs", "add", "acme-eu");
    const listed = await run("programs", "list");
    const names = environmentNames(config);
    const removed = await run("programs", "remove", "acme-eu");

    expect([added.status, listed.status, removed.status]).toEqual([0, 0, 0]);
    expect(added.output).toContain("npm run wrangler -- secret put JWT_SECRET --env acme-eu");
    expect(listed.output).toMatch(
      /^\| acme-eu +\| loyalty-edge-acme-eu +\| loyalty-edge-acme-eu +\| workers\.dev +\|$/m,
    );
    expect(names).toEqual(["production", "staging", "acme-eu"]);
    expect(removed.output).toContain("no data is deleted");
    expect(removed.output).toContain("npm run wrangler -- d1 delete loyalty-edge-acme-eu");
    expect(readFileSync(config, "utf8")).toBe(OURS);
  });
});

describe("the Worker in front of examples/front", () => {
  it("forwards a request to the program that the host names", async ({ expect }) => {
    const script = readFileSync(path.join(ROOT, "examples", "front", "front.js"), "utf8");
    const services = ["loyalty-edge-acme-eu", "loyalty-edge-globex"].map((name) => ({
      ...{ name, modules: true, script: `export default { fetch: ({ url }) => new Response("${name} " + url) }` },
    }));
    const serviceBindings = { ACME_EU: "loyalty-edge-acme-eu", GLOBEX: "loyalty-edge-globex" };
    const front = { name: "front", modules: true, script, serviceBindings };
    const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [front, ...services] }));
    const ask = async (url: string) => {
      const response = await miniflare.dispatchFetch(url);
      return response.ok ? response.text() : response.status;
    };

    const answers = await Promise.all(
      ["http://acme-eu.loyalty.example/health", "http://globex.loyalty.example/", "http://x.loyalty.example/"].map(ask),
    );
    await miniflare.dispose();

    expect(answers).toEqual([
      "loyalty-edge-acme-eu http://acme-eu.loyalty.example/health",
      "loyalty-edge-globex http://globex.loyalty.example/",
      404,
    ]);
  });
});

describe("two programs on this machine", { timeout: 600_000 }, () => {
  const urls = { production: "", acme: "" };

  beforeAll(async () => {
    await run("programs", "add", "acme");
    // The previous secret still counts while the secret is being changed.
    writeFileSync(path.join(clone, ".dev.vars.acme"), 'JWT_SECRET="the-new-one"\nJWT_SECRET_PREVIOUS="the-old:one"\n');
    for (const env of ["production", "acme"] as const) {
      const { url } = await startService(["--env", env, "--no-demo"], { cwd: clone });
      urls[env] = url;
      const line = JSON.stringify({ record: "customer", id: "c1", first_name: "One", last_name: env });
      writeFileSync(path.join(clone, `${env}.ndjson`), line);
      await run("feed", `${env}.ndjson`, "--env", env, "--url", url);
    }
  });

  /** A token of the customer c1, signed with a secret, or with the secret of the program on this machine. */
  async function tokenOf(program: keyof typeof urls, secret = ""): Promise<string> {
    const env = { JWT_SECRET: secret };
    const { output } = await inProcess("token", ["customer", "c1", "--env", program], { root: clone, env });
    return /^ey\S+$/m.exec(output)?.[0] ?? "";
  }

  /** The last name of the customer in a program, which is the program's name, or the status of a refusal. */
  async function ask(program: keyof typeof urls, token: string): Promise<string | number> {
    const { status, body } = await call(`${urls[program]}/api/v1/customer/me`, { token });
    return body.items?.last_name ?? status;
  }

  it("answers the same customer from its own data, and refuses the other's secret", async ({ expect }) => {
    const secretOfProduction = /"(.*)"/.exec(readFileSync(path.join(clone, ".dev.vars"), "utf8"))?.[1];
    const [production, acme] = [await tokenOf("production"), await tokenOf("acme")];
    const wrongSecret = await tokenOf("acme", secretOfProduction);

    expect([await ask("production", production), await ask("acme", acme)]).toEqual(["production", "acme"]);
    expect([await ask("acme", production), await ask("production", acme)]).toEqual([401, 401]);
    expect(await ask("acme", wrongSecret)).toBe(401);
  });

  it("accepts its own previous secret of .dev.vars, and no other program's", async ({ expect }) => {
    expect(await ask("acme", await tokenOf("acme", "the-old:one"))).toBe("acme");
    expect(await ask("production", await tokenOf("production", "the-old:one"))).toBe(401);
  });
});
