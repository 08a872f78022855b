import { describe, it } from "vitest";
import { refusal } from "./cloudflare/reply.ts";
import { openAccount, run, STAGING, WORKER, writePrograms } from "./deploying.ts";

const DOMAIN = "loyalty.example";
/** An environments.toml in which staging has a domain of its own. */
const WITH_DOMAIN = `[production]\n[staging]\nroutes = [{ pattern = "${DOMAIN}", custom_domain = true }]\n`;

describe("npm run deploy, where the domain", () => {
  it.for([
    { what: "belongs to another Worker", says: `${DOMAIN} leads to the Worker website` },
    { what: "has a DNS record", says: `${DOMAIN} has a DNS record` },
  ])("$what, makes nothing, names it, and takes it only if told so", async ({ says }, { expect }) => {
    const { cloudflare, env, script } = await openAccount();
    if (says.includes("Worker")) cloudflare.scripts.make("website").domains = [DOMAIN, "www.example"];
    else cloudflare.scripts.dnsRecords.add(DOMAIN);
    writePrograms(WITH_DOMAIN);

    const refused = await run("deploy", STAGING, { env });
    const before = [cloudflare.databases.size, cloudflare.namespaces.size, cloudflare.writes.length];
    const stillThere = cloudflare.scripts.get("website")?.domains[0] ?? [...cloudflare.scripts.dnsRecords][0];
    const taken = await run("deploy", [...STAGING, "--take-domain", DOMAIN], { env });
    const repeated = await run("deploy", STAGING, { env });

    expect([refused.status, taken.status, repeated.status], taken.output + repeated.output).toEqual([1, 0, 0]);
    expect(refused.output).toContain(says);
    expect(refused.output).toContain(`npm run deploy -- --env staging --take-domain ${DOMAIN}`);
    expect(before).toEqual([0, 0, 0]);
    expect(stillThere).toBe(DOMAIN);
    expect(script()?.domains).toEqual([DOMAIN]);
    expect(cloudflare.scripts.get("website")?.domains ?? ["www.example"]).toEqual(["www.example"]);
    expect(taken.output).toContain(`ask https://${DOMAIN}/health`);
  });
});

describe("npm run deploy", () => {
  it("says which version runs and what it lacks, if the account may have no further schedule", async ({ expect }) => {
    const { cloudflare, env, script } = await openAccount();
    cloudflare.scripts.scheduleLimit = 0;

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    expect(output).toContain("The new version of staging runs, but without the schedule * * * * *.");
    expect(output).not.toContain("still runs");
    expect(script()?.bindings.map(({ name }) => name)).toContain("DB");
    expect(script()?.schedules).toEqual([]);
  });

  it("says that nobody knows which version runs, if the API does not say it", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    let isUploaded = false;
    cloudflare.intercept = ({ route, answer }) => {
      isUploaded ||= route === `PUT /workers/scripts/${WORKER}`;
      return isUploaded && route.endsWith("/deployments") ? refusal(403, 10000, "Authentication error") : answer();
    };

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    expect(output).toContain("Nobody knows whether the new version of staging runs. Cloudflare answers GET /workers/");
  });

  it("leaves no version but the deployed one at an address", async ({ expect }) => {
    const { env, script } = await openAccount();

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status, output).toBe(0);
    expect(script()).toMatchObject({ isOpen: true, hasOpenVersions: false });
  });

  it.for([
    {
      what: "a gradual deployment is under way",
      says: "- End the gradual deployment of staging: npm run wrangler -- versions deploy --env staging",
    },
    {
      what: "a secret would be replaced by a variable",
      says: "- Delete the secret JWT_ISSUER of staging, because it is a variable: npm run wrangler -- secret delete JWT_ISSUER --env staging",
    },
  ])("makes nothing while $what", async ({ says }, { expect }) => {
    const { cloudflare, env } = await openAccount();
    const secrets = ["JWT_SECRET", "FEED_JWT_SECRET", ...(says.includes("JWT_ISSUER") ? ["JWT_ISSUER"] : [])];
    const script = cloudflare.scripts.make(WORKER, ...secrets);
    const versions = ["one", "other"].map((version_id) => ({ version_id, percentage: 50 }));
    if (says.includes("gradual")) script.deployments.push(versions);

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    expect(output).toContain(says);
    expect(cloudflare.writes).toEqual([]);
  });

  it("waits for a secret that the API does not list yet", async ({ expect }) => {
    const { cloudflare, env, script } = await openAccount();
    const secrets = script()?.secrets ?? new Map();
    let asked = 0;
    cloudflare.intercept = ({ route, answer }) => {
      if (route === `GET /workers/scripts/${WORKER}/secrets`) asked += 1;
      Object.assign(script() ?? {}, { secrets: asked < 3 ? new Map() : secrets });
      return answer();
    };

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(status, output).toBe(0);
  });

  it("names the permission if wrangler is refused", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    cloudflare.intercept = ({ route, answer }) =>
      route.endsWith("/assets-upload-session") ? refusal(403, 10000, "Authentication error") : answer();

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    expect(output).toContain("no version of the service runs. The login needs the permission Workers Scripts: Edit.");
  });
});
