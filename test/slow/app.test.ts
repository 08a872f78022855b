import path from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  type AppPage,
  accessibilityFaults,
  DESK,
  faultsOfViews,
  goTo,
  hasFocus,
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
      await goTo(page, "Leaderboard");
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
      expect(await page.getByRole("navigation").getByRole("link", { name: "Points", exact: true }).count()).toBe(1);
      await page.getByRole("link", { name: "Messages 2 unread" }).waitFor();
      await page.getByRole("button", { name: "Show earlier entries" }).click();
      await expect.poll(() => page.getByRole("listitem").count()).toBe(27);
      expect(await hasFocus(page.getByRole("listitem").nth(20))).toBe(true);
      await page.getByText("7 earlier entries shown").waitFor();
      await page
        .getByRole("group", { name: "Balance by chain" })
        .getByRole("button", { name: /^Blue Cup/ })
        .click();
      await page.getByRole("heading", { name: "History Blue Cup Coffee" }).waitFor();
      expect(await page.getByRole("listitem").first().innerText()).toMatch(/· \w+ \d+, \d{4}\s+\+\d+\.\d\d$/);

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
      expect(await cards.first().innerText()).toMatch(/Oat latte on us[\s\S]*3 days left · 1 use/);
      // Several uses of one coupon are one card.
      const card = cards.filter({ hasText: "Five off" });
      expect(await card.allInnerTexts()).toEqual([
        expect.stringMatching(
          /Blue Cup Coffee\s+\$5\.00 off\s+Five off\s+From Harbour Street\s+Valid for years · 3 of 4 uses left\s+From Mill Street\s+No end · 1 use\s+Terms\s+000000000001$/,
        ),
      ]);
      expect(await card.getByText("One per visit").isVisible()).toBe(false);
      await card.getByText("Terms").click();
      await card.getByText("One per visit").waitFor();
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
      await page.getByText("Nothing found. Each word must begin a word of a result.").waitFor();

      await goTo(page, "Leaderboard");
      await page.getByRole("columnheader", { name: "Hits" }).getByRole("button").click();
      await page.locator("[aria-sort=descending]").getByText("Hits").waitFor();
      expect(await page.getByRole("row").nth(1).getByRole("cell").first().innerText()).toBe("1");
      expect(await page.getByRole("timer").innerText()).toMatch(/^Updated \d+ s ago\.$/);
      expect(await page.getByRole("navigation").locator("[aria-current]").allInnerTexts()).toEqual(["More"]);
      expect(await page.locator("#cost").isVisible()).toBe(false);
      await page.getByText("For developers: what this view asked").click();
      expect(await page.locator("#cost").innerText()).toMatch(
        /^\/customer\/gamification\/leaderboard · \d+ ms, .* round trips? · \d+ rows read$/,
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

        // The window paints before the service has the request.
        const painted = Promise.withResolvers<void>();
        await page.route("**/state", (route) => painted.promise.then(() => route.continue()), { times: 1 });
        const readAt = performance.now();
        await group.locator("summary").click();
        await expect.poll(() => unreadIn(page), { interval: 20, timeout: 10_000 }).toBe(before - 1);
        painted.resolve();
        await expect.poll(() => unreadIn(other), { interval: 20, timeout: 10_000 }).toBe(before - 1);
        const milliseconds = performance.now() - readAt;
        await page.screenshot({ path: screenshotOf("read-here") });
        await other.screenshot({ path: screenshotOf("read-there") });
        expect(milliseconds).toBeLessThan(READ_WITHIN_MS);
        expect(Number(await badgeOf(other).innerText())).toBe(before - 1);

        await group.getByRole("button", { name: "Mute", exact: true }).click();
        await sameGroup.getByText("muted").waitFor();
        await page.locator("#said", { hasText: / muted$/ }).waitFor();
        expect(await hasFocus(group.getByRole("button", { name: "Unmute" }))).toBe(true);
        await group
          .getByRole("button", { name: /^Block / })
          .first()
          .click();
        const question = page.getByRole("dialog", { name: /^Block / });
        await question.getByRole("button", { name: "Cancel" }).click();
        expect(await group.getByRole("button", { name: /^Unblock / }).count()).toBe(0);
        await group
          .getByRole("button", { name: /^Block / })
          .first()
          .click();
        await question.getByRole("button", { name: "Block", exact: true }).click();
        await group.getByRole("button", { name: /^Unblock / }).waitFor();
        expect(await hasFocus(group.getByRole("button", { name: /^Unblock / }))).toBe(true);
        await sameGroup.getByText("(1 blocked)").waitFor();
        await group.getByRole("button", { name: /^Unblock / }).click();
        await sameGroup.getByText("(1 blocked)").waitFor({ state: "detached" });

        let refusals = 0;
        await page.route("**/state", (route) => {
          refusals += 1;
          return route.fulfill({ status: 403, json: FORBIDDEN });
        });
        await group.getByRole("button", { name: "Unmute" }).click();
        await page.getByText("Apps of this program may not write this").waitFor();
        await group.getByRole("button", { name: "Unmute" }).waitFor();
        const unread = page.getByRole("listitem").filter({ hasText: "Unread" });
        await unread.locator("summary").click();
        await expect.poll(() => refusals).toBe(2);
        await unread.getByText("Unread").waitFor();
        await page.waitForLoadState("networkidle");
        // A refused read mark is not sent again by itself.
        expect(refusals).toBe(2);
        expect(await accessibilityFaults(other)).toEqual([]);
        expect(errors.filter((error) => !error.includes("403"))).toEqual([]);
      }),
    );
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

  const LARGE = [
    { ...PHONE, fontSize: "200%" },
    // A browser's zoom to 200 % halves the pixels of a page.
    { width: DESK.width / 2, height: DESK.height / 2, colorScheme: "light" as const, fontSize: "100%" },
  ];
  it.for(LARGE)(
    "reflows when all is twice as large, with no notice over the header: $width pixels",
    async ({ fontSize, ...screen }, { expect }) => {
      await inWindow(screen, async (page) => {
        await page.evaluate(`document.documentElement.style.fontSize = "${fontSize}"`);
        expect(await faultsOfViews(page)).toEqual([]);

        await goTo(page, "Points");
        await page.getByRole("button", { name: "Show earlier entries" }).click();
        const notice = await page.getByText("7 earlier entries shown").boundingBox();
        const [header, balance] = [
          await page.getByRole("banner").boundingBox(),
          await page.locator("#balance").boundingBox(),
        ];
        const bottomOf = (box: typeof header) => (box?.y ?? 0) + (box?.height ?? 0);
        expect(notice?.y).toBeGreaterThanOrEqual(bottomOf(header));
        expect(bottomOf(header)).toBeGreaterThanOrEqual(bottomOf(balance));
      });
    },
  );

  it("shows a play once the board expires, without a reload", () => playIsShown);

  it("recovers by itself in every view when the service is back, and shows the same view after a reload", async ({
    expect,
  }) => {
    await inWindow(DESK, async (page) => {
      const failureText = page.getByText("The service does not answer.", { exact: true });
      await stop(service);
      await page.getByRole("banner").getByText("Offline").waitFor({ timeout: NOTICED_WITHIN_MS });
      await page.getByLabel("I am").selectOption("Ben Patel");
      await failureText.first().waitFor({ timeout: NOTICED_WITHIN_MS });
      for (const view of ["Nearby", "Team", "Leaderboard"] as const) {
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
