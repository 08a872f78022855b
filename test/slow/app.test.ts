import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  type AppPage,
  accessibilityFaults,
  bookPoints,
  DESK,
  faultsOfViews,
  goTo,
  layoutShift,
  openWindow,
  PHONE,
  type Screen,
  scanCard,
  sendForm,
  VIEWS,
} from "./app-page.ts";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { temporaryFolder } from "./clone.ts";
import { stop } from "./command.ts";
import { type Service, startService } from "./service.ts";

// The example app in a real browser, against a service that `npm start` has started.
const SERVICE_ARGS = ["--persist-to", temporaryFolder()];
const LIVE_WITHIN_MS = 3_000;
const NOTICED_WITHIN_MS = 2_000;
const RECOVERED_WITHIN_MS = 20_000;

describe.skipIf(CHROMIUM === null)("the example app", () => {
  let service: Service;
  let browser: Browser;
  // Resolves once a window shows a new play. A cached board is up to half a minute old, so other tests run meanwhile.
  let playIsShown: Promise<void>;
  beforeAll(async () => {
    browser = await launchBrowser();
    service = await startService(SERVICE_ARGS);
    playIsShown = inWindow(DESK, async (page) => {
      await goTo(page, "Board");
      const employee = page.getByRole("row", { name: "Priya Nowak" });
      await employee.getByRole("cell", { name: "12", exact: true }).waitFor();
      await sendForm(page, "Record a play");
      await page
        .getByRole("timer")
        .getByText(/it is here in \d+ s at the latest/)
        .waitFor();
      await employee.getByRole("cell", { name: "32", exact: true }).waitFor();
    });
    // A test below awaits the promise, and reports a failure.
    playIsShown.catch(() => {});
  });
  afterAll(() => browser?.close());

  const inWindow = (screen: Screen, run: (page: Page, app: AppPage) => Promise<void>) =>
    openWindow(browser, service.url, screen, run);

  it("shows the demo program's data in each view", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors, foreignRequests }) => {
      await page.getByRole("region", { name: "Your card" }).getByRole("img", { name: "Bar code 4000000000" }).waitFor();
      await page
        .getByRole("group", { name: "Balance by chain" })
        .getByRole("button", { name: /^Blue Cup/ })
        .click();
      await page.getByRole("heading", { name: "History Blue Cup Coffee" }).waitFor();
      expect(await page.getByRole("listitem").first().innerText()).toMatch(/· \w+ \d+, 2026\s+\+\d+\.\d\d$/);

      await goTo(page, "Nearby");
      await page.getByText("20 stores of Blue Cup Coffee in Tokyo").waitFor();
      expect(await page.getByRole("img", { name: ", Tokyo" }).count()).toBe(20);
      expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
        expect.stringMatching(/^Double points\s+Double points at Blue Cup Coffee\s+\d+\.\d+ mi$/),
        expect.stringMatching(/^Weekend treats\s/),
      ]);

      await goTo(page, "Coupons");
      await page.getByRole("heading", { name: "From the stores" }).waitFor();
      const cards = page.getByRole("listitem");
      expect(await cards.first().innerText()).toMatch(/Oat latte on us[\s\S]*2 days left · 1 use/);
      const card = cards.filter({ hasText: "Five off" }).first();
      expect(await card.innerText()).toMatch(
        /Blue Cup Coffee\s+\w+ Street\s+\$5\.00 off\s+Five off[\s\S]*Valid for years · 1 use\s+000000000001/,
      );
      expect(await card.getByRole("img", { name: "Bar code 000000000001" }).count()).toBe(1);

      await goTo(page, "Messages");
      expect(await page.getByRole("listitem").count()).toBe(3);
      expect(await page.getByText("Unread").count()).toBe(2);

      await goTo(page, "Team");
      await page.getByRole("button", { name: "Team of Kofi Brown" }).click();
      await page.getByRole("button", { name: "Team of Rosa Fischer" }).click();
      await page.getByText("Level 3").first().waitFor();

      await goTo(page, "Search");
      await page.getByRole("searchbox").fill("blue har");
      await page.getByText("Harbour Street").first().waitFor({ timeout: RECOVERED_WITHIN_MS });
      await page.getByRole("heading", { name: "Stores the first 20" }).waitFor();
      await page.getByRole("searchbox").fill("gorna");
      await page.getByText("Showing results for goran instead of gorna.").waitFor();
      expect(
        await page
          .getByRole("listitem")
          .filter({ hasText: /Member · .* stores\s+\S/ })
          .count(),
      ).toBe(0);
      await page.getByRole("searchbox").fill("xqzw");
      await page.getByText("Nothing found. Type three letters or more").waitFor();

      await goTo(page, "Board");
      await page.getByRole("columnheader", { name: "Hits" }).getByRole("button").click();
      await page.locator("[aria-sort=descending]").getByText("Hits").waitFor();
      expect(await page.getByRole("row").nth(1).getByRole("cell").first().innerText()).toBe("1");
      expect(await page.getByRole("timer").innerText()).toMatch(/^The board is \d+ s old\.$/);
      expect(await page.getByRole("contentinfo").innerText()).toMatch(
        /leaderboard · \d+ ms, .* round trips? · \d+ rows read$/,
      );
      await page.getByLabel("I am").selectOption("Kofi García");
      await goTo(page, "Messages");
      await page.getByText("Nobody has written yet.").waitFor();
      await page.evaluate("location.hash = 'nowhere'");
      await page.getByRole("heading", { name: "Not found" }).waitFor();
      await page.getByRole("link", { name: "Go to your points" }).click();
      await page.getByRole("heading", { level: 1, name: "Points" }).waitFor();
      expect({ errors, foreignRequests }).toEqual({ errors: [], foreignRequests: [] });
    });
  });

  it("shows what the till sends within three seconds, without a reload", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors }) => {
      const liveTimeout = { timeout: LIVE_WITHIN_MS };
      const points = async () => Number.parseFloat(await page.locator("#balance").innerText());
      const pointsBefore = await points();
      await scanCard(page);
      await bookPoints(page, "5.00", "Because it rained");
      await expect.poll(points, liveTimeout).toBeCloseTo(pointsBefore + 5, 2);
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
      await page.getByText("Ben Patel: Tea at four?").waitFor(liveTimeout);
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
      await till.getByRole("button", { name: "Why not? Oat latte on us" }).click();
      await till.getByText("✗ not used up: 1 of 1 uses").waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);

      await till.getByRole("button", { name: "Reverse Oat latte on us" }).click();
      await till.getByText("Given back. 1 left.").waitFor();
      await shown.waitFor({ timeout: LIVE_WITHIN_MS });
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

  it("lists what is nearby again when a pointer or a key moves the pin", async ({ expect }) => {
    await inWindow(DESK, async (page) => {
      await goTo(page, "Nearby");
      const nearest = async () => page.getByRole("listitem").first().innerText();
      const nearestBefore = await nearest();
      const pin = await page.locator(".pin").boundingBox();
      if (pin === null) throw new Error("There is no pin.");
      await page.mouse.move(pin.x + pin.width / 2, pin.y + pin.height / 2);
      await page.mouse.down();
      await page.mouse.move(pin.x + 90, pin.y - 60, { steps: 5 });
      await page.mouse.up();
      await expect.poll(nearest).not.toBe(nearestBefore);

      const nearestAfterDrag = await nearest();
      await page.getByRole("application").focus();
      for (let mile = 0; mile < 4; mile += 1) await page.keyboard.press("ArrowLeft");
      await expect.poll(nearest).not.toBe(nearestAfterDrag);
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

  const SCREENS = [{ ...DESK, colorScheme: "dark" } as const, PHONE];
  it.for(SCREENS)("fits, stands still, and satisfies axe: $width pixels, $colorScheme", async (screen, { expect }) => {
    await inWindow(screen, async (page, { errors }) => {
      expect(await layoutShift(page)).toBeLessThan(0.05);
      expect(await faultsOfViews(page)).toEqual([]);
      if (screen.width < DESK.width) {
        await page.getByRole("button", { name: "Till" }).click();
        expect(await accessibilityFaults(page)).toEqual([]);
      }
      expect(errors).toEqual([]);
    });
  });

  it("shows a play once the board expires, without a reload", () => playIsShown);

  it("recovers by itself in every view when the service is back, and shows the same view after a reload", async ({
    expect,
  }) => {
    await inWindow(DESK, async (page) => {
      const failureText = page.getByText("The service does not answer.", { exact: true });
      await stop(service);
      await page.getByRole("contentinfo").getByText("Offline").waitFor({ timeout: NOTICED_WITHIN_MS });
      await page.getByLabel("I am").selectOption("Ben Patel");
      await failureText.first().waitFor({ timeout: NOTICED_WITHIN_MS });
      for (const view of ["Nearby", "Team", "Board"] as const) {
        await goTo(page, view);
        await failureText.first().waitFor();
      }
      await goTo(page, "Search");
      await page.getByRole("searchbox").fill("blue har");
      await failureText.waitFor();
      await page.getByRole("button", { name: "Try again" }).waitFor();

      service = await startService(SERVICE_ARGS, service);

      await page.getByText("Harbour Street").first().waitFor({ timeout: RECOVERED_WITHIN_MS });
      await page.reload();
      await page.getByText("Harbour Street").first().waitFor({ timeout: RECOVERED_WITHIN_MS });
      expect(await page.getByRole("searchbox").inputValue()).toBe("blue har");
      expect(await page.getByLabel("I am").locator("option:checked").innerText()).toBe("Ben Patel");
      // The address must not have a token.
      expect(page.url()).toBe(`${service.url}/app/?customer=c6&query=blue+har#search`);
      for (const view of VIEWS) {
        await goTo(page, view);
        await expect.poll(() => failureText.count(), { timeout: RECOVERED_WITHIN_MS, message: view }).toBe(0);
      }
      await page
        .locator("#balance")
        .getByText(/\d\.\d\d/)
        .waitFor();
      expect(await page.getByText("Offline").count()).toBe(0);
    });
  });
});
