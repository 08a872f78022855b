// Every command starts here, on any Node from 20 on and with nothing installed. This file installs the packages of the
// lock file if any may be missing. Then it runs scripts/COMMAND.ts with the project's own Node, through
// scripts/lib/main.ts. If there is no such script, it runs a tool of node_modules, such as biome.
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";

const root = path.dirname(import.meta.dirname ?? new URL(".", import.meta.url).pathname);
const [named = "edge", ...args] = process.argv.slice(2);
// `npm run edge -- --help` is `npm run edge`.
const command = ["--help", "-h"].includes(named) ? "edge" : named;

const WATCH_NPM_EVERY_MS = 500;

// The process of the install, or of the command.
let child;
// The signal that stopped this process.
let stopSignal;
// A terminal sends Ctrl-C to the child too. A kill reaches only this process, so this process passes it on.
process.on("SIGINT", () => {
  stopSignal = "SIGINT";
});
process.on("SIGTERM", passOnKill);
if (process.env.npm_lifecycle_event !== undefined) endWithNpm();

if (installIsStale()) await install();
await handOver();

function installIsStale() {
  if (!existsSync(projectNode())) return true;
  const installed = path.join(root, "node_modules", ".package-lock.json");
  const lock = path.join(root, "package-lock.json");
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs;
}

async function install() {
  console.error("Installing what package-lock.json names: half a minute to two …");
  const flags = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  // Packages run scripts while they are installed, which need no secrets.
  const secrets = Object.keys(process.env).filter((name) => /^CLOUDFLARE_|JWT_SECRET|^LOYALTY_EDGE_TOKEN$/.test(name));
  const env = { ...process.env, ...Object.fromEntries(secrets.map((name) => [name, undefined])) };
  const options = { cwd: root, env, stdio: ["ignore", 2, 2] };
  const { status, error } =
    npm === undefined ? await run("npm", flags, options) : await run(process.execPath, [npm, ...flags], options);
  if (error !== undefined) fail(`npm cannot be run (${error.message}). Install Node 20 or newer with its npm.`);
  if (stopSignal !== undefined) fail("Stopped.", 128 + constants.signals[stopSignal]);
  if (status !== 0) fail("The install failed; see npm's output above.");
  if (!existsSync(projectNode())) failWithoutNode();
}

async function handOver() {
  const bin = path.join(root, "node_modules", ".bin");
  const script = path.join(root, "scripts", `${command}.ts`);
  const entry = path.join(root, "scripts", "lib", "main.ts");
  const tool = path.join(bin, command);
  if (!existsSync(script) && !existsSync(tool))
    fail(`There is no command ${command}. Two lists have all: npm run, and npm run edge.`);
  const env = {
    ...process.env,
    PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}`,
    // Node caches compiled modules in this folder, so that a command starts in two thirds of the time.
    NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node"),
  };
  // The channel closes if this process is killed, so the script notices (scripts/lib/main.ts).
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const { status, signal, error } = existsSync(script)
    ? await run(projectNode(), [entry, command, ...args], { cwd: process.env.INIT_CWD ?? root, env, stdio })
    : await run(tool, args, { cwd: root, env, stdio: "inherit" });
  if (error !== undefined) throw error;
  process.exit(status ?? 128 + (constants.signals[signal] ?? 0));
}

/** Runs a program. Resolves with its status or signal, or with the error if it could not start. */
function run(file, args, options) {
  return new Promise((resolve) => {
    child = spawn(file, args, options);
    child.on("error", (error) => resolve({ error }));
    child.on("exit", (status, signal) => resolve({ status, signal }));
  });
}

function passOnKill() {
  stopSignal = "SIGTERM";
  child?.kill("SIGTERM");
}

/** A kill of npm ends npm's shell, but this process gets no signal. So it watches whether the shell still runs. */
function endWithNpm() {
  const shell = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watching);
    passOnKill();
  }, WATCH_NPM_EVERY_MS).unref();
}

function projectNode() {
  return path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
}

function failWithoutNode() {
  fail("The install left no Node behind. Run: npm ci --include=dev --ignore-scripts=false");
}

function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}
