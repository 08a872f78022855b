import path from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  type AppPage,
  accessibilityFaults,
  DESK,
  faultsOfViews,
  goTo,
  layoutShift,
  openWindow,
  PHONE,
  type Screen,
  sendForm,
  VIEWS,
} from "./app-page.ts";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { temporaryFolder } from "./clone.ts";
import { stop } from "./command.ts";
import { type Service, startService } from "./service.ts";

const screenshots = temporaryFolder();

// The example app in a real browser, against a service that `npm start` has started.
const SERVICE_ARGS = ["--persist-to", temporaryFolder()];
const LIVE_WITHIN_MS = 3_000;
/** How soon a second window shows what the first has read, on an idle machine. */
const READ_WITHIN_MS = 1_500;
const FORBIDDEN = { status: false, errorCode: "FORBIDDEN", message: "Apps of this program may not write this: mute." };
/** Where screenshots go, for whoever wants to look at them. */
const screenshotOf = (name: string) => path.join(process.env.SCREENSHOTS ?? screenshots, `${name}.png`);
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
      const employee = page.getByRole("listitem").filter({ hasText: "Priya Nowak" });
      await employee.getByText("Runs 12").waitFor();
      await sendForm(page, "Record a play");
      await employee.getByText("Runs 32").waitFor();
    });
    // A test below awaits the promise, and reports a failure.
    playIsShown.catch(() => {});
  });
  afterAll(() => browser?.close());

  const inWindow = (screen: Screen, run: (page: Page, app: AppPage) => Promise<void>) =>
    openWindow(browser, service.url, screen, run);

  it("shows the demo program's data in each view", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors, foreignRequests }) => {
      await goTo(page, "Nearby");
      await page.getByText("20 stores of Blue Cup Coffee in Tokyo").waitFor();
      expect(await page.locator("main svg > g > circle[cx]").count()).toBe(20);
      expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
        expect.stringMatching(/^Double points\s+Double points at Blue Cup Coffee\s+\d+\.\d+ mi$/),
        expect.stringMatching(/^Weekend treats\s/),
      ]);

      await goTo(page, "Coupons");
      await page.getByRole("heading", { name: "From the stores" }).waitFor();
      const card = page.getByRole("listitem").filter({ hasText: "Five off" }).first();
      expect(await card.innerText()).toMatch(
        /Blue Cup Coffee\s+Five off\s+\$5\.00 off[\s\S]*Until .* left\s+000000000001/,
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
      await page.getByText(/^\d+ found\.$/).waitFor();
      await page.getByRole("searchbox").fill("gorna");
      await page.getByText("Showing results for goran instead of gorna.").waitFor();

      await goTo(page, "Board");
      await page
        .getByText(/^Runs \d+$/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Hits" }).click();
      await page
        .getByText(/^Hits \d+$/)
        .first()
        .waitFor();
      expect(await page.getByRole("contentinfo").innerText()).toMatch(/\d+ ms, .* round trips? · \d+ rows read/);
      await page.getByLabel("I am").selectOption("Kofi García");
      await goTo(page, "Messages");
      await page.getByText("Nobody has written yet.").waitFor();
      expect({ errors, foreignRequests }).toEqual({ errors: [], foreignRequests: [] });
    });
  });

  it("shows what the till sends within three seconds, without a reload", async ({ expect }) => {
    await inWindow(DESK, async (page, { errors }) => {
      const liveTimeout = { timeout: LIVE_WITHIN_MS };
      const points = async () => Number.parseFloat(await page.locator("#balance").innerText());
      const pointsBefore = await points();
      await page.locator("#balance").click();
      await page.getByLabel("Reason").fill("Because it rained");
      expect(await sendForm(page, "Book points")).toMatchObject([{ record: "balance_entry", amount: "5.00" }]);
      await expect.poll(points, liveTimeout).toBeCloseTo(pointsBefore + 5, 2);
      const newest = () => page.getByRole("listitem").first().innerText();
      await expect.poll(newest, liveTimeout).toContain("Because it rained");

      await goTo(page, "Coupons");
      expect(await page.getByText("Just arrived").count()).toBe(0);
      const [issued] = await Promise.all([
        sendForm(page, "Issue a coupon"),
        // The news disappears after some seconds, so the test waits for it from the start.
        page.getByText("A new coupon: Five off").waitFor(liveTimeout),
      ]);
      expect(issued).toMatchObject([{ record: "customer_coupon", customer_id: "c1" }]);
      await page.getByRole("heading", { name: "Just arrived" }).waitFor(liveTimeout);

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

  it("clears a badge in a second window when the first reads the group, and puts a refused change right", async ({
    expect,
  }) => {
    await inWindow(DESK, (page, { errors }) =>
      inWindow(DESK, async (other) => {
        const badgeOf = (window: Page) => window.locator('nav a[href="#messages"] b');
        const unreadIn = (window: Page) => window.getByText("Unread").count();
        for (const window of [page, other]) await goTo(window, "Messages");
        const texts = await page.getByRole("listitem").allInnerTexts();
        const index = texts.findIndex((text) => text.includes("Unread"));
        const [group, sameGroup] = [page, other].map((window) => window.getByRole("listitem").nth(index)) as [
          Locator,
          Locator,
        ];
        const before = await unreadIn(other);
        await page.screenshot({ path: screenshotOf("unread") });

        const readAt = performance.now();
        await group.locator("summary").click();
        expect(await unreadIn(page)).toBe(before - 1);
        await expect.poll(() => unreadIn(other), { interval: 20, timeout: 10_000 }).toBe(before - 1);
        const milliseconds = performance.now() - readAt;
        await page.screenshot({ path: screenshotOf("read-here") });
        await other.screenshot({ path: screenshotOf("read-there") });
        expect(milliseconds).toBeLessThan(READ_WITHIN_MS);
        expect(Number(await badgeOf(other).innerText())).toBe(before - 1);

        await group.getByRole("button", { name: "Mute", exact: true }).click();
        await sameGroup.getByText("muted").waitFor();
        await group
          .getByRole("button", { name: /^Block / })
          .first()
          .click();
        await group.getByRole("button", { name: /^Unblock / }).waitFor();
        await sameGroup.getByText("(1 blocked)").waitFor();
        await group.getByRole("button", { name: /^Unblock / }).click();
        await sameGroup.getByText("(1 blocked)").waitFor({ state: "detached" });

        await page.route("**/state", (route) => route.fulfill({ status: 403, json: FORBIDDEN }));
        await group.getByRole("button", { name: "Unmute" }).click();
        await page.getByText("Apps of this program may not write this").waitFor();
        await group.getByRole("button", { name: "Unmute" }).waitFor();
        expect(await accessibilityFaults(other)).toEqual([]);
        expect(errors.filter((error) => !error.includes("403"))).toEqual([]);
      }),
    );
  });

  it("says that the outcome of a sale is unknown if its answer is lost, and books it once if it is sent again", async ({
    expect,
  }) => {
    await inWindow(DESK, async (page) => {
      const form = page.locator("form[data-record=balance_entry]");
      const points = async () => Number.parseFloat(await page.locator("#balance").innerText());
      const pointsBefore = await points();
      await page.route("**/api/v1/feed", async (route) => {
        await route.fetch();
        await route.abort();
      });

      await form.getByRole("button", { name: "Book" }).click();
      await form.getByText("Unknown: no answer came.").waitFor();
      expect(await form.getByText("Refused").count()).toBe(0);
      await page.unroute("**/api/v1/feed");
      await form.getByRole("button", { name: "Book" }).click();
      await form.getByText("Committed.").waitFor();

      await expect.poll(points).toBeCloseTo(pointsBefore + 5, 2);
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
      await sendForm(page, "Book points");
      const news = page.getByText(/^Your balance is/);
      await news.waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      expect(await page.locator("dialog").isVisible()).toBe(false);
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
