import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "./command.ts";
import { openAccount, run, STAGING, WORKER } from "./deploying.ts";

// Why the way back is the former tag (docs/deploying.md): a version of Cloudflare carries its secrets and bindings.

async function deployed() {
  const { cloudflare, env, script } = await openAccount();
  const deploy = () => run("deploy", STAGING, { env });
  const wrangler = (args: readonly string[], stdin = "") => run("wrangler", [...args, ...STAGING], { env, stdin });
  const putSecret = (text: string) => wrangler(["secret", "put", "FEED_JWT_SECRET"], text);
  const secret = () => script()?.secrets.get("FEED_JWT_SECRET");
  const databaseId = () => script()?.bindings.find(({ name }) => name === "DB")?.id;
  const first = await deploy();
  if (first.status !== 0) throw new Error(first.output);
  return { cloudflare, deploy, wrangler, putSecret, secret, databaseId };
}

describe("Cloudflare's rollback", () => {
  it("brings a leaked secret back, and refuses another; the former tag does neither", async ({ expect }) => {
    const { deploy, wrangler, putSecret, secret } = await deployed();
    const leaked = secret();
    await putSecret("the new one");

    const rolledBack = await wrangler(["rollback", "--yes"]);
    const secretAfterRollback = secret();
    const refused = await putSecret("the third one");
    const redeployed = await deploy();
    const put = await putSecret("the third one");

    expect([rolledBack.status, refused.status, redeployed.status, put.status], refused.output).toEqual([0, 1, 0, 0]);
    expect(secretAfterRollback).toBe(leaked);
    expect(refused.output).toContain("latest version of your Worker isn't currently deployed");
    expect(secret()).toBe("the third one");
  });

  it("points to a lost database; the former tag does not", async ({ expect }) => {
    const { cloudflare, deploy, wrangler, databaseId } = await deployed();
    const lost = databaseId();
    cloudflare.databases.delete(WORKER);
    await deploy();
    const made = databaseId();

    await wrangler(["rollback", "--yes"]);
    const afterRollback = databaseId();
    const { status, output } = await deploy();

    expect(status, output).toBe(0);
    expect(made).not.toBe(lost);
    expect([afterRollback, databaseId()]).toEqual([lost, made]);
  });

  it("is no remedy of the manuals", ({ expect }) => {
    const pages = readdirSync(path.join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
    const naming = pages.filter((name) =>
      /wrangler -- rollback/.test(readFileSync(path.join(ROOT, "docs", name), "utf8")),
    );

    expect(naming).toEqual([]);
  });
});
