import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runtimeMemory } from "../../soak/memory.ts";
import type { Runtime } from "../runtime.ts";
import { Sockets } from "./sockets.ts";

/** What open sockets take of the machine, each of another customer. */
export interface SocketMemory {
  sockets: number;
  /** Inboxes that have stored something. */
  objects: number;
  /** What the Workers runtime takes for each, in KiB: once all are open, and when nothing has happened for a while. */
  openKibibytes: number;
  idleKibibytes: number;
  /** What each inbox takes on disk, in KiB. */
  storedKibibytes: number;
}

const SOCKETS = 2_000;
// What a runtime takes for its first sockets is not what each takes.
const WARM_UP_SOCKETS = 100;
// An object hibernates ten seconds after it last had something to do.
export const IDLE_AFTER_MS = 15_000;
const OBJECTS = /^[0-9a-f]{64}\.sqlite$/;

const customers = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Opens a socket for each of many customers, who need not be stored, and waits until they are idle. */
export async function measureMemory(runtime: Runtime, folder: string): Promise<SocketMemory> {
  const first = await Sockets.open(runtime, customers("warm", WARM_UP_SOCKETS));
  await first.close();
  await sleep(IDLE_AFTER_MS);
  const before = await runtimeMemory(process.pid);
  const sockets = await Sockets.open(runtime, customers("idle", SOCKETS));
  try {
    const open = await runtimeMemory(process.pid);
    await sleep(IDLE_AFTER_MS);
    const idle = await runtimeMemory(process.pid);
    const objects = storedObjects(folder);
    const bytes = objects.reduce((sum, size) => sum + size, 0);
    const each = (mebibytes: number) => ((mebibytes - before) * 1_024) / sockets.count;
    return {
      sockets: sockets.count,
      objects: objects.length - WARM_UP_SOCKETS,
      openKibibytes: each(open),
      idleKibibytes: each(idle),
      storedKibibytes: bytes / objects.length / 1_024,
    };
  } finally {
    await sockets.close();
  }
}

/** The sizes of the inboxes' databases, in bytes. */
function storedObjects(folder: string): number[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter(({ name, parentPath }) => OBJECTS.test(name) && parentPath.endsWith("Inbox"))
    .map(({ name, parentPath }) => statSync(path.join(parentPath, name)).size);
}
