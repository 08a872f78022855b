import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { buildExampleApp } from "../../scripts/lib/example-app.ts";
import { buildReference } from "../../scripts/lib/reference.ts";
import { ROOT } from "./command.ts";

describe("the example app's files", () => {
  it("have tokens in one file, and a policy that allows no code, style or address but their own", async ({
    expect,
  }) => {
    const { files, headers } = await buildExampleApp("production");

    expect(files.size).toBeGreaterThan(3);
    const filesWithTokens = [...files].filter(([, text]) => /eyJ[\w-]{10}/.test(text));
    expect(filesWithTokens.map(([name]) => name)).toEqual(["app/session.json"]);
    expect(headers).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers).not.toMatch(/unsafe|'?\*'?;/);
  });

  it("are no part of a deployment", ({ expect }) => {
    buildReference();

    const read = (name: string) => readFileSync(path.join(ROOT, "dist", "reference", name), "utf8");
    expect(existsSync(path.join(ROOT, "dist", "reference", "app"))).toBe(false);
    expect(read("_headers")).not.toContain("/app");
    // A page with a token would give it to everybody.
    expect(JSON.parse(read("settings.json"))).toEqual({});
  });
});
