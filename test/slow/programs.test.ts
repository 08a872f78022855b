import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
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
const OWN_CONFIG = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");
const textOfFile = () => readFileSync(file, "utf8");
const clone = cloneCheckout();
const run = (name: string, ...args: string[]) => inProcess(name, args, { root: clone });

describe("a wrangler.toml", () => {
  it("gets an environment with staging's bindings, production's variables, and names and ids of its own", ({
    expect,
  }) => {
    // The new environment must not get the address, retention, tokens and ids that production and staging have here.
    const text = OWN_CONFIG.replace(/# (\[\[env.staging.analytics_engine_datasets\]\])\n# (.*)\n# (.*)/, "$1\n$2\n$3")
      .replace(/(\[\[env.staging.kv_namespaces\]\]\nbinding = "CACHE")/, '$1\nid = "abc"')
      .replace('JWKS_URL = ""', 'JWKS_URL = "https://id.example/keys"')
      .replace("[assets]", 'routes = ["loyalty.example/*"]\nworkers_dev = false\n\n[assets]')
      .replaceAll('RETENTION_MONTHS = ""', 'RETENTION_MONTHS = "13"')
      .replace('name = "loyalty-edge-staging"', 'name = "loyalty-edge-staging"\nroute = "staging.example/*"')
      .replace('database_name = "loyalty-edge-staging"', "$&\ndatabase_id = 'def'");
    writeFileSync(file, text);

    addEnvironment("acme-eu", file);

    const [acme, staging, production] = ["acme-eu", "staging", "production"].map((name) => configOf(name, file));
    const name = "loyalty-edge-acme-eu";
    const { durable_objects, migrations, triggers, secrets, assets } = staging ?? {};
    expect(acme).toMatchObject({
      durable_objects,
      migrations,
      triggers,
      secrets,
      assets,
      main: production?.main,
    });
    expect(acme?.vars).toEqual({
      ...production?.vars,
      ENVIRONMENT: "acme-eu",
      RETENTION_MONTHS: "",
      JWT_AUDIENCE: name,
    });
    expect(acme).toMatchObject({
      name,
      routes: [],
      workers_dev: true,
      kv_namespaces: [{ binding: "CACHE" }],
    });
    expect(acme?.route).toBeUndefined();
    expect(acme?.d1_databases).toMatchObject([{ binding: "DB", database_name: name }]);
    expect(acme?.analytics_engine_datasets).toEqual([{ binding: "METRICS", dataset: "loyalty_edge_acme_eu" }]);
    // Large numbers, so that no other Worker of the account has the same id by chance.
    for (const { namespace_id } of acme?.ratelimits ?? [])
      expect(Number(namespace_id)).toBeGreaterThanOrEqual(100_000_000);
    expect(() => refuseShared("acme-eu", file)).not.toThrow();
    expect(textOfFile().startsWith(text)).toBe(true);
  });

  it("is replaced in one step, because a running npm start reads it at every change", ({ expect }) => {
    writeFileSync(file, OWN_CONFIG);
    const oldFile = openSync(file, "r");

    addEnvironment("acme", file);

    expect(readFileSync(oldFile, "utf8")).toBe(OWN_CONFIG);
    expect(textOfFile()).toContain("[env.acme]");
    expect(readdirSync(folder)).toEqual(["wrangler.toml"]);
    closeSync(oldFile);
  });

  it("loses exactly the section of a removed environment", ({ expect }) => {
    writeFileSync(file, OWN_CONFIG);
    addEnvironment("acme", file);
    addEnvironment("acme-eu", file);
    const withThreeEnvironments = `${textOfFile()}\n# Ours.\n[env.last]\nname = "last"\n`;
    writeFileSync(
      file,
      withThreeEnvironments.replace("[env.acme.vars]", '# Its own.\n[env.acme.vars]\n# Why.\nX = "y"'),
    );

    removeEnvironment("acme", file);
    const withTwoEnvironments = textOfFile();
    removeEnvironment("acme-eu", file);

    expect(withTwoEnvironments).toContain("[env.acme-eu.vars]");
    expect(withTwoEnvironments).not.toMatch(/\[env\.acme[.\]]|Its own|Why/);
    expect(textOfFile()).toBe(`${OWN_CONFIG}\n# Ours.\n[env.last]\nname = "last"\n`);
  });

  it.for<[what: string, text: string, edit: () => void, words: string]>([
    [
      "an environment that is there",
      OWN_CONFIG,
      () => addEnvironment("staging", file),
      "There is an environment staging",
    ],
    ["production's name", OWN_CONFIG, () => addEnvironment("production", file), "There is an environment production"],
    ["no staging", 'name = "x"\n', () => addEnvironment("acme", file), "no [env.staging]"],
    [
      "tables in one line",
      'name = "x"\nenv = { staging = {} }\n',
      () => addEnvironment("acme", file),
      "cannot be read: ",
    ],
    ["text that is no TOML", `${OWN_CONFIG}oops`, () => addEnvironment("acme", file), "cannot be read: "],
    [
      "a section that is not recognized",
      `${OWN_CONFIG}[env."acme"]\nname = "x"\n`,
      () => removeEnvironment("acme", file),
      "wrangler.toml is left as it is: edit the section by hand.",
    ],
  ])("does not change with %s", ([, text, edit, words], { expect }) => {
    writeFileSync(file, text);

    expect(edit).toThrow(words);

    expect(textOfFile()).toBe(text);
  });

  it("is refused with wrangler's reason", ({ expect }) => {
    writeFileSync(file, `${OWN_CONFIG}\n[[r2_buckets]]\nbinding = "FILES"\nbucket_name = "b"\n`);

    expect(() => configOf("production", file)).toThrow(/cannot be read: [\s\S]*bucket_name="b" is invalid/);
  });
});

describe("npm run edge -- programs", () => {
  it("adds a program and removes it, and says what to do next", async ({ expect }) => {
    const config = path.join(clone, "wrangler.toml");

    const added = await run("programs", "add", "acme-eu");
    const names = environmentNames(config);
    const removed = await run("programs", "remove", "acme-eu");

    expect([added.status, removed.status]).toEqual([0, 0]);
    for (const secret of ["JWT_SECRET", "FEED_JWT_SECRET"])
      expect(added.output).toContain(`npm run wrangler -- secret put ${secret} --env acme-eu`);
    expect(names).toEqual(["production", "staging", "acme-eu"]);
    expect(removed.output).toContain("no data is deleted");
    expect(removed.output).toContain("npm run wrangler -- d1 delete loyalty-edge-acme-eu");
    expect(readFileSync(config, "utf8")).toBe(OWN_CONFIG);
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
