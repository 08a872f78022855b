// The way into every command. It runs on any Node from 20 on with nothing installed: it installs what the lock file
// says when that is needed, and hands over to the project's own Node, which runs scripts/*.ts as they are. What is no
// script there is a tool of node_modules, such as biome.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";

const root = path.dirname(import.meta.dirname ?? new URL(".", import.meta.url).pathname);
const [command, ...args] = process.argv.slice(2);

if (installIsStale()) install();
handOver();

function installIsStale() {
  if (!existsSync(projectNode())) return true;
  const installed = path.join(root, "node_modules", ".package-lock.json");
  const lock = path.join(root, "package-lock.json");
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs;
}

function install() {
  console.error("Installing what package-lock.json names: about half a minute …");
  const flags = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const [file, first] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const { status, error } = spawnSync(file, [...first, ...flags], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (error !== undefined) fail(`npm cannot be run (${error.message}). Install Node 20 or newer with its npm.`);
  if (status !== 0) fail("The install failed; see npm's output above.");
  if (!existsSync(projectNode())) failWithoutNode();
}

function handOver() {
  const bin = path.join(root, "node_modules", ".bin");
  const script = path.join(root, "scripts", `${command}.ts`);
  const tool = path.join(bin, command ?? "");
  if (command === undefined || !(existsSync(script) || existsSync(tool)))
    fail(`There is no command ${command ?? ""}. See "scripts" in package.json.`);
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}` };
  const child = existsSync(script)
    ? spawn(projectNode(), [script, ...args], { cwd: process.env.INIT_CWD ?? root, env, stdio: "inherit" })
    : spawn(tool, args, { cwd: root, env, stdio: "inherit" });
  // A terminal sends Ctrl-C to both; a kill reaches only this one, and is passed on.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function projectNode() {
  return path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
}

function failWithoutNode() {
  fail("The install left no Node behind. Run: npm ci --include=dev --ignore-scripts=false");
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
