import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { beforeAll, describe, it } from "vitest";
import { buildClient } from "../../scripts/lib/client-package.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { temporaryFolder } from "./clone.ts";
import { freePort, ROOT, startProgram, stop, untilPrinted } from "./command.ts";
import { startService } from "./service.ts";

const folder = temporaryFolder();
const notes = path.join(folder, "notes.json");
const STATE = ["--persist-to", path.join(folder, "state")];
const NODE = path.join(ROOT, "node_modules", ".bin", "node");
const REDEMPTION = "POST /api/v1/till/redemptions";

beforeAll(async () => {
  await buildClient();
});

/**
 * Passes the connections to a port on to the service. If `isCut`, the answer to the first redemption is lost, and the port
 * refuses connections from then on. Resolves with a function that does so, and a promise of that moment.
 */
async function forward(
  port: number,
  servicePort: number,
  isCut: boolean,
): Promise<{ cut: () => void; redeemed: Promise<void> }> {
  const sockets = new Set<Socket>();
  const { promise: redeemed, resolve } = Promise.withResolvers<void>();
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    resolve();
  };
  const server = createServer((socket) => {
    const toService = connect(servicePort, "127.0.0.1");
    for (const end of [socket, toService]) sockets.add(end.on("error", () => {}).unref());
    let isRedeeming = false;
    socket.on("data", (bytes) => {
      isRedeeming ||= isCut && bytes.includes(REDEMPTION);
      toService.write(bytes);
    });
    toService.on("data", (bytes) => (isRedeeming ? cut() : socket.write(bytes)));
    toService.on("end", () => socket.end());
    socket.on("end", () => toService.end());
  });
  await once(server.unref().listen(port, "127.0.0.1"), "listening");
  return { cut, redeemed };
}

describe("examples/till/visit.mjs", () => {
  it("goes on if the service stops after a redemption, and takes back what a killed process did not hear of", async ({
    expect,
  }) => {
    const service = await startService(STATE);
    const port = await freePort();
    const TOKEN = await devToken({ scope: "till", accounts: "*", stores: ["s101-1-1"] });
    const visit = () =>
      startProgram(NODE, [path.join(ROOT, "examples", "till", "visit.mjs"), `http://127.0.0.1:${port}`, notes], {
        env: { TOKEN },
      });

    const stopping = await forward(port, service.port, true);
    const first = visit();
    await stopping.redeemed;
    await stop(service);
    const again = await startService(STATE, { port: service.port });
    const line = await forward(port, again.port, false);
    expect(await first.ended, first.output()).toBe(0);
    line.cut();

    const losing = await forward(port, again.port, true);
    const killed = visit();
    await losing.redeemed;
    killed.child.kill("SIGKILL");
    await killed.ended;
    await forward(port, again.port, false);
    expect(readFileSync(notes, "utf8")).toContain('"act":"redeem"');
    const last = visit();
    await untilPrinted(last, "taking it back");
    expect(await last.ended, last.output()).toBe(0);

    const left = (output: string) => [...output.matchAll(/Left: (\d+)/g)].map(([, count]) => Number(count));
    const [used = 0, restored = 0] = left(first.output());
    expect(restored).toBe(used + 1);
    expect(left(last.output())).toEqual([used, restored]);
    expect(last.output()).toContain("Not spent: NOT_POSSIBLE");
    expect(existsSync(notes) && readFileSync(notes, "utf8")).toBe("[]");
  });
});
