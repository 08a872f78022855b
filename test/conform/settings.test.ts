import { env } from "cloudflare:workers";
import { beforeEach, describe } from "vitest";
import { search } from "../../scripts/conform/sections/search.ts";
import { testSections } from "./sections.ts";

for (const customerSearch of ["friends", "none"] as const)
  await describe(`where a search finds ${customerSearch}`, async () => {
    beforeEach(() => {
      Object.assign(env, { CUSTOMER_SEARCH: customerSearch });
    });
    await testSections([search], { customerSearch });
  });
