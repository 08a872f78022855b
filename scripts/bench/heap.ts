import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";
import { CommandError } from "../lib/project.ts";

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

const POKE_MS = 5;

/** The heap of a Worker's isolate, asked of its inspector. */
export class Heap {
  readonly #socket: WebSocket;
  readonly #poke: () => Promise<unknown>;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #sent = 0;

  /** `poke` is a request that the isolate answers: only then does it look at what the inspector asked for. */
  static async open(url: string, poke: () => Promise<unknown>): Promise<Heap> {
    // The inspector takes pages of this machine only, and this WebSocket names none unless told to.
    const socket = new WebSocket(url, { headers: { Origin: "http://localhost" } });
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Heap(socket, poke);
  }

  private constructor(socket: WebSocket, poke: () => Promise<unknown>) {
    this.#socket = socket;
    this.#poke = poke;
    socket.onmessage = ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    };
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new CommandError("The Worker's runtime has ended."));
    };
  }

  /**
   * What is live, in MB: collected first, with the contents of buffers. The isolate collects between two turns only; with
   * `turn`, what it allocates in the next one counts too, garbage or not.
   */
  async megabytes({ turn = false } = {}): Promise<number> {
    const read = () => this.#send("Runtime.getHeapUsage") as Promise<HeapUsage>;
    // Asked for at once: a poke may wait for a long turn.
    const collected = this.#send("HeapProfiler.collectGarbage").then(read);
    const isCollected = collected.then(() => true);
    while (!(await Promise.race([isCollected, sleep(POKE_MS, false)]))) await this.#poke();
    const usage = turn ? await read() : await collected;
    return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / 1_000_000;
  }

  /** The most that is live while work is under way; with `turn`, of work that holds its memory for one turn only. */
  async mostDuring(work: Promise<unknown>, { turn = false } = {}): Promise<number> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    let most = 0;
    while (!isDone) most = Math.max(most, await this.megabytes({ turn }));
    await done;
    return most;
  }

  close(): void {
    this.#socket.close();
  }

  #send(method: string): Promise<unknown> {
    this.#sent += 1;
    const id = this.#sent;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ id, method }));
      else reject(new CommandError("The Worker's runtime has ended."));
    });
  }
}
