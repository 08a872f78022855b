import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import { listenAs } from "../../support/live.ts";
import * as seed from "../../support/seed.ts";

const MESSAGES = "/api/v1/customer/messages";

/** Waits until a second has just begun, so that what follows is in one second. */
async function secondBegins(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_010 - (Date.now() % 1_000)));
}

describe("a message whose second is not over when a socket opens", () => {
  it("has its frame, because what the app asks after hello does not show it", async ({ expect }) => {
    const [ada, bo] = [seed.customer(), seed.customer()];
    const group = seed.group([ada.id, bo.id]);
    await mustFeed([ada, bo, group]);
    await secondBegins();

    await mustFeed([seed.message(group.id, ada.id, { body: "Just now" })]);
    const socket = await listenAs(bo.id);
    const afterHello = await as(bo.id).get(MESSAGES);
    const frame = await socket.next();
    const afterFrame = await as(bo.id).get(MESSAGES);

    expect(afterHello.body).toMatchObject({ status: false, errorCode: "NO_ITEMS" });
    expect(frame).toEqual({ type: "changed", what: ["messages"] });
    expect(afterFrame.body.items).toMatchObject([{ last_message: "Just now" }]);
    socket.socket.close();
  });
});
