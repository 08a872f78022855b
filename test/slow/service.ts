import { freePort, type Running, startCommand, untilPrinted } from "./command.ts";

export interface Service extends Running {
  url: string;
  port: number;
}

interface StartOptions {
  port?: number;
  /** A clone to run in. */
  cwd?: string;
}

/** Runs `npm start`, until the tests of the file have ended. Resolves once the service answers. */
export async function startService(args: readonly string[], { port, cwd }: StartOptions = {}): Promise<Service> {
  const chosen = port ?? (await freePort());
  const started = startCommand("start", ["--port", String(chosen), ...args], cwd === undefined ? {} : { cwd });
  await untilPrinted(started, "Ctrl-C stops it");
  return { ...started, port: chosen, url: `http://127.0.0.1:${chosen}` };
}

/** The token of the demo program's customer, as `npm start` prints it. */
export function demoToken({ output }: Service): string {
  return /^TOKEN=(.*)$/m.exec(output())?.[1] ?? "";
}
