import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  type AppPage,
  accessibilityFaults,
  bookPoints,
  DESK,
  goTo,
  hasFocus,
  openWindow,
  PHONE,
  type Screen,
  scanCard,
  sendForm,
} from "./app-page.ts";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { temporaryFolder } from "./clone.ts";
import { type Service, startService } from "./service.ts";

// The till beside the example app, in a real browser, against a service that `npm start` has started.
const LIVE_WITHIN_MS = 3_000;

describe.skipIf(CHROMIUM === null)("the example app's till", () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
    service = await startService(["--persist-to", temporaryFolder()]);
  });
  afterAll(() => browser?.close());

  const inWindow = (screen: Screen, run: (page: Page, app: AppPage) => Promise<void>) =>
    openWindow(browser, service.url, screen, run);

  it("shows what the till sends within three seconds, without a reload", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors }) => {
      const liveTimeout = { timeout: LIVE_WITHIN_MS };
      const points = async () => Number.parseFloat(await page.locator("#balance").innerText());
      const pointsBefore = await points();
      await scanCard(page);
      await bookPoints(page, "5.00", "Because it rained");
      await expect.poll(points, liveTimeout).toBeCloseTo(pointsBefore + 5, 2);
      await page.getByText(/^\+5\.00 booked\. The balance at Blue Cup Coffee is [\d.]+ now\.$/).waitFor();
      const newest = () => page.getByRole("listitem").first().innerText();
      await expect.poll(newest, liveTimeout).toContain("Because it rained");

      const [issued] = await Promise.all([
        sendForm(page, "Issue a coupon"),
        // The news disappears after some seconds, so the test waits for it from the start.
        page.getByText("A new coupon: Five off").waitFor(liveTimeout),
      ]);
      expect(issued).toMatchObject([{ record: "customer_coupon", customer_id: "c1" }]);
      const badge = page.getByRole("navigation").getByTitle("1 new");
      await badge.waitFor(liveTimeout);
      await goTo(page, "Coupons");
      await page.getByRole("heading", { name: "Just arrived" }).waitFor(liveTimeout);
      expect(await badge.count()).toBe(0);

      await goTo(page, "Messages");
      const [lines] = await Promise.all([
        sendForm(page, "Send a message"),
        page.getByText("Ben Patel writes: Tea at four?").waitFor(liveTimeout),
      ]);
      expect(lines.map(({ record }) => record)).toEqual(["message_group", "message"]);
      await page.getByText("Ben Patel: Tea at four?").click(liveTimeout);
      await page.locator("#till").getByLabel("Message").fill("Or coffee?");
      await sendForm(page, "Send a message");
      const thread = page.getByRole("list", { name: "Messages of Ben Patel" }).getByRole("listitem");
      await thread.getByText("Or coffee?").waitFor(liveTimeout);
      await thread.getByText(/^Ben Patel · .* · read$/).waitFor();
      expect(await thread.allInnerTexts()).toEqual([
        expect.stringMatching(/^Ben Patel · .*\d:\d\d [AP]M\s+Tea at four\?$/),
        expect.stringMatching(/^Ben Patel · .*\d:\d\d [AP]M · read\s+Or coffee\?$/),
      ]);
      expect(errors).toEqual([]);
    });
  });

  it("books a sale once although its first answer is lost, and refuses to spend what is not there", async ({
    expect,
  }) => {
    await inWindow(DESK, async (page) => {
      const points = async () => Number.parseFloat(await page.locator("#balance").innerText());
      const pointsBefore = await points();
      await scanCard(page);
      let isLost = false;
      await page.route("**/api/v1/till/entries", async (route) => {
        if (isLost) return route.continue();
        isLost = true;
        await route.fetch();
        await route.abort();
      });

      await bookPoints(page, "5.00", "Two coffees");
      await page.getByText("Booked once; its first answer was lost.").waitFor();
      await expect.poll(points).toBeCloseTo(pointsBefore + 5, 2);
      await bookPoints(page, "-100000.00", "A coffee machine");

      await page.getByText(/^Refused: the balance is [\d.]+, and at least 0\.00 must be left\./).waitFor();
    });
  });

  it("redeems a coupon at the till, gives it back, and says why another cannot be used", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors }) => {
      await goTo(page, "Coupons");
      const shown = page.locator("main").getByText("Oat latte on us");
      await shown.waitFor();
      await scanCard(page);
      const till = page.locator("#visit");

      await till.getByRole("button", { name: "Redeem Oat latte on us" }).click();
      await till.getByText("Redeemed. 0 left.").waitFor();
      await expect.poll(() => shown.count(), { timeout: LIVE_WITHIN_MS }).toBe(0);
      const whyNot = till.getByRole("button", { name: "Why not? Oat latte on us" });
      await whyNot.waitFor();
      expect(await hasFocus(whyNot)).toBe(true);
      await whyNot.click();
      await till.getByText("✗ Already used (1 of 1)").waitFor();
      expect(await till.getByText("✓ the customer holds it").isVisible()).toBe(false);
      const ended = till.getByRole("listitem").filter({ hasText: "Last summer's treat" });
      for (const text of await ended.allInnerTexts()) expect(text).toMatch(/From \w+ Street\s+\d left · Ended /);
      expect(await ended.count()).toBeGreaterThan(0);
      expect(await accessibilityFaults(page)).toEqual([]);

      await till.getByRole("button", { name: "Reverse Oat latte on us" }).click();
      await till.getByText("Given back. 1 left.").waitFor();
      await shown.waitFor({ timeout: LIVE_WITHIN_MS });
      expect(await hasFocus(till.getByRole("button", { name: "Redeem Oat latte on us" }))).toBe(true);
      expect(errors).toEqual([]);
    });
  });

  it("opens the till with a button on a phone, and shows news only to the customer whom it concerns", async ({
    expect,
  }) => {
    await inWindow(PHONE, async (page) => {
      await goTo(page, "Coupons");
      await page.getByRole("button", { name: "Till" }).click();
      await sendForm(page, "Issue a coupon");
      await page.getByText("Just arrived").waitFor({ timeout: LIVE_WITHIN_MS });
      await scanCard(page);
      await bookPoints(page, "5.00", "Two coffees");
      // A modal dialog covers everything outside of it.
      await page
        .locator("dialog")
        .getByText(/^Your balance is/)
        .waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      expect(await page.locator("dialog").isVisible()).toBe(false);
      const news = page.getByText(/^Your balance is/);
      const [nameBox, newsBox] = [await page.locator("#who").boundingBox(), await news.boundingBox()];
      await page.getByLabel("I am").selectOption("Ben Patel");

      expect(await news.count()).toBe(0);
      expect(newsBox?.y).toBeGreaterThan((nameBox?.y ?? 0) + (nameBox?.height ?? 0));
    });
  });

  it("shows each error of a line of the till beside its input, until the input is correct", async ({ expect }) => {
    await inWindow(DESK, async (page) => {
      await page.getByText("Make a mistake").click();
      const form = page.locator("form[data-record=mistake]");
      const send = form.getByRole("button", { name: "Send it as it is" });
      const faultOf = (name: string) => form.locator("label", { hasText: name }).locator(".fault");
      await send.click();

      await faultOf("Points").getByText("must be a decimal").waitFor();
      await faultOf("Time").waitFor();
      expect(await form.locator("[aria-invalid=true]").count()).toBe(2);
      expect(await accessibilityFaults(page)).toEqual([]);

      await form.getByLabel("Points").fill("5.00");
      await form.getByLabel("Time").fill("2026-11-20 09:30:00");
      await send.click();
      await faultOf("Store").waitFor();
      expect(await form.locator("[aria-invalid=true]").count()).toBe(1);

      await form.getByLabel("Store").fill("s101-1-1");
      await send.click();
      await form.getByText("Committed.").waitFor();
      expect(await form.locator(".fault").count()).toBe(0);
      await form.getByLabel("Points").fill("many");
      expect(await form.getByText("Committed.").count()).toBe(0);
    });
  });
});
