import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe } from "vitest";
import { search } from "../../scripts/conform/sections/search.ts";
import { testSections } from "./sections.ts";

for (const customerSearch of ["friends", "none"] as const)
  await describe(`where a search finds ${customerSearch}`, async () => {
    beforeAll(() => {
      Object.assign(env, { CUSTOMER_SEARCH: customerSearch });
    });
    afterAll(() => {
      Object.assign(env, { CUSTOMER_SEARCH: "all" });
    });
    await testSections([search], { customerSearch });
  });
