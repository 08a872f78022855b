import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { generate } from "orval";
import { afterAll, beforeAll, describe, it } from "vitest";
import { removeFolder } from "./clone.ts";
import { command, freePort, printed, ROOT, type Running } from "./command.ts";

// What developers do whose platform has no client of ours: they generate one from the OpenAPI document.
const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-generators-"));
const source = path.join(folder, "openapi.json");

let service: Running;
let url: string;
let token: string;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = command("start", ["--port", String(port), "--persist-to", path.join(folder, "state")]);
  await printed(service, "Ctrl-C stops it");
  token = /^TOKEN=(.*)$/m.exec(service.output())?.[1] ?? "";
  writeFileSync(source, await (await fetch(`${url}/openapi.json`)).text());
});
afterAll(async () => {
  service.child.kill("SIGTERM");
  await service.ended;
  removeFolder(folder);
});

describe("a client generated from the OpenAPI document", () => {
  it("compiles strictly, and works", async ({ expect }) => {
    const target = path.join(folder, "generated.ts");
    await generate({ input: source, output: { target, client: "fetch", baseUrl: url } });
    copyFileSync(path.join(import.meta.dirname, "consumer", "generated-calls.ts"), path.join(folder, "calls.ts"));
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext" };
    const others = { allowImportingTsExtensions: true, lib: ["es2022", "dom", "dom.iterable"], types: ["node"] };
    const typeRoots = [path.join(ROOT, "node_modules", "@types")];
    const settings = { compilerOptions: { ...compilerOptions, ...others, typeRoots }, files: ["calls.ts"] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));

    const compiled = await run(path.join(ROOT, "node_modules", ".bin", "tsc"), ["-p", folder]).catch((error) => error);
    const bundle = path.join(folder, "calls.mjs");
    await build({ entryPoints: [path.join(folder, "calls.ts")], outfile: bundle, bundle: true, format: "esm" });
    const { stdout } = await run("node", [bundle, token]);

    expect(compiled.stdout).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      campaign: "k101-double",
      coupon: "cc0-2-pastry",
      company: "Blue Cup Coffee",
      group: "g1",
      fields: { query: ["must be at least 3 characters"] },
    });
  });
});
