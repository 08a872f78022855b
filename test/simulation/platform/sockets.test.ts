import { describe, it } from "vitest";
import { during } from "./during.ts";
import { AppSocket, socketPairs } from "./sockets.ts";
import { Time } from "./time.ts";

/** A connection whose ends note what they hear. */
function connection() {
  const time = new Time();
  const Pair = socketPairs(time);
  const { 0: client, 1: server } = new Pair();
  const heard: string[] = [];
  server.accept({ onText: (text) => heard.push(`server ${text}`), onClose: (code) => heard.push(`server ${code}`) });
  const open = () => {
    const app = new AppSocket(Promise.resolve(client));
    app.addEventListener("message", (event) => heard.push(`app ${(event as { data: string }).data}`));
    app.addEventListener("close", (event) => heard.push(`app ${(event as { code: number }).code}`));
    return app;
  };
  return { server, open, heard, pass: () => during(time, time.wait(100)) };
}

describe("a simulated socket", () => {
  it("brings texts in their order, also those sent before the app holds it", async ({ expect }) => {
    const { server, open, heard, pass } = connection();
    server.send("hello");
    server.send("changed");
    await pass();

    open();
    await pass();

    expect(heard).toEqual(["app hello", "app changed"]);
  });

  it("tells the other end the code with which it closes", async ({ expect }) => {
    const { server, open, heard, pass } = connection();
    open();
    server.close(4401);
    await pass();

    expect(heard).toEqual(["app 4401"]);
  });

  it("breaks at both ends, and then brings nothing", async ({ expect }) => {
    const { server, open, heard, pass } = connection();
    open();
    await pass();
    server.send("lost");
    server.break();
    await pass();

    expect(heard.toSorted()).toEqual(["app 1006", "server 1006"]);
  });
});
