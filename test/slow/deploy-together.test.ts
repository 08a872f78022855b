import { describe, it } from "vitest";
import { startCommand } from "./command.ts";
import { clone, openAccount, run, SCHEMA, STAGING, schemaOf, WORKER } from "./deploying.ts";

const MIGRATE = ["--migrate", ...STAGING];
const TEMPORARY = new RegExp(`^${WORKER}-migrations-[0-9a-f]{6}$`);

/** Lets requests to workers.dev wait until `open` is called. Resolves `reached` at the first. */
function gate() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = async () => {
    reached.resolve();
    await opened.promise;
  };
  return { wait, reached: reached.promise, open: () => opened.resolve() };
}

describe("npm run deploy", () => {
  it("is refused at once while another deployment migrates, which goes on", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const { wait, reached, open } = gate();
    cloudflare.intercept = async ({ route, answer }) => {
      if (route.includes("/workers.dev/")) await wait();
      return answer();
    };

    const first = startCommand("deploy", MIGRATE, { env, cwd: clone });
    await reached;
    cloudflare.writes.splice(0);
    const second = await run("deploy", MIGRATE, { env });
    const writesOfSecond = [...cloudflare.writes];
    const [temporary = ""] = [...cloudflare.scripts.keys()].filter((name) => TEMPORARY.test(name));
    open();

    expect(second.status).toBe(1);
    expect(second.output).toMatch(/^Another deployment of loyalty-edge-staging runs: it began at \d{4}-.*Z\./m);
    expect(second.output).toContain(`npm run wrangler -- delete --name ${temporary}`);
    expect(writesOfSecond).toEqual([]);
    expect(await first.ended, first.output()).toBe(0);
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });

  it("gives way if another deployment began at the same time and a little earlier", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    cloudflare.intercept = async ({ route, answer }) => {
      // The other deployment uploads its Worker after this one has looked for it.
      if (/^PUT .*-migrations-/.test(route)) cloudflare.scripts.make(`${WORKER}-migrations-000000`);
      return answer();
    };

    const { status, output } = await run("deploy", MIGRATE, { env });

    expect(status).toBe(1);
    expect(output).toContain("Another deployment of loyalty-edge-staging runs");
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER, `${WORKER}-migrations-000000`]);
    expect(schemaOf(cloudflare)).not.toBe(SCHEMA);
  });

  it("removes the temporary Worker of a deployment that was killed", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    cloudflare.scripts.make(`${WORKER}-migrations-0a1b2c`).createdAt -= 16 * 60_000;
    const others = ["website", `${WORKER}-migrations-of-others`, "loyalty-edge-migrations-0a1b2c"];
    for (const other of others) cloudflare.scripts.make(other).createdAt = 0;

    const { status, output } = await run("deploy", MIGRATE, { env });

    expect(status, output).toBe(0);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER, ...others]);
  });

  it.for([
    {
      what: "a redirect to the login",
      answer: () => redirectTo("https://blue-cup.cloudflareaccess.com/cdn-cgi/access"),
    },
    { what: "a page", answer: () => new Response("<title>Forbidden ・ Cloudflare Access</title>", { status: 403 }) },
  ])(
    "names Cloudflare Access at once, which answers with $what, and sends its service token",
    async (access, { expect }) => {
      const { cloudflare, env } = await openAccount();
      cloudflare.intercept = ({ route, headers, answer }) =>
        route.includes("/workers.dev/") && headers.get("CF-Access-Client-Secret") !== "open sesame"
          ? access.answer()
          : answer();
      const tokenOf = (secret: string) => ({
        CLOUDFLARE_ACCESS_CLIENT_ID: "id",
        CLOUDFLARE_ACCESS_CLIENT_SECRET: secret,
      });

      const startedAt = Date.now();
      const refused = await run("deploy", MIGRATE, { env });
      const seconds = (Date.now() - startedAt) / 1_000;
      const passed = await run("deploy", MIGRATE, { env: { ...env, ...tokenOf("open sesame") } });

      expect(refused.status).toBe(1);
      expect(refused.output).toContain("Cloudflare Access guards the addresses at workers.dev");
      expect(refused.output).toContain("CLOUDFLARE_ACCESS_CLIENT_ID and CLOUDFLARE_ACCESS_CLIENT_SECRET");
      expect(seconds).toBeLessThan(20);
      expect(passed.status, passed.output).toBe(0);
      expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
    },
  );
});

const redirectTo = (url: string) => new Response(null, { status: 302, headers: { Location: url } });
