import { describe, it } from "vitest";
import { CONFIG, run, writeConfig } from "./deploying.ts";

type Edit = [from: string | RegExp, to: string];

/** wrangler.toml with these texts replaced, wherever they are. */
const edited = (edits: readonly Edit[]) => edits.reduce((text, [from, to]) => text.replaceAll(from, to), CONFIG);
const shared = (what: string) => `staging and production would share ${what}: give each its own.`;

const WRONG_RADIUS: Edit = ['NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"'];
const RADIUS_RULE = "must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables";

describe("npm run deploy", () => {
  // test/service/variables.test.ts has the rule of each variable.
  it.for<[what: string, says: string, ...edits: Edit[]]>([
    ["a wrong variable", `NEARBY_RADIUS_MILES of staging ${RADIUS_RULE}`, WRONG_RADIUS],
    ["a misspelt variable", "There is no variable JWT_ISUER, which staging sets.", ["JWT_ISSUER =", "JWT_ISUER ="]],
    [
      "the name development",
      "No environment can be deployed as development: give it another name.",
      [/\bstaging\b/g, "development"],
    ],
    [
      "another ENVIRONMENT",
      "ENVIRONMENT of staging must be the name of its environment, staging.",
      ['ENVIRONMENT = "staging"', 'ENVIRONMENT = "x"'],
    ],
    [
      "another environment's tokens",
      shared('the tokens of https://id.example/keys for "loyalty"'),
      ['JWKS_URL = ""', 'JWKS_URL = "https://id.example/keys"'],
      ['JWT_AUDIENCE = ""', 'JWT_AUDIENCE = "loyalty"'],
    ],
    [
      "another environment's database",
      shared("the database loyalty-edge"),
      ['database_name = "loyalty-edge-staging"', 'database_name = "loyalty-edge"'],
    ],
    [
      "another environment's KV namespace",
      shared("the KV namespace k"),
      ['binding = "CACHE"', 'binding = "CACHE"\nid = "k"'],
    ],
    [
      "another environment's rate limits",
      shared("the namespace_id of rate limits 7"),
      [/namespace_id = "\d+"/g, 'namespace_id = "7"'],
    ],
    ["another environment's Worker", shared("the Worker loyalty-edge"), ["loyalty-edge-staging", "loyalty-edge"]],
    [
      "another environment's route",
      shared("the route loyalty.example"),
      ["[assets]", 'route = "loyalty.example"\n[assets]'],
    ],
  ])("refuses %s", async ([, says, ...edits], { expect }) => {
    writeConfig(edited(edits));

    const { status, output } = await run("deploy", ["--all"]);

    expect({ status, output: output.trim() }).toEqual({ status: 1, output: says });
  });

  it("refuses a wrong variable as npm start does", async ({ expect }) => {
    writeConfig(edited([WRONG_RADIUS]));

    const { status, output } = await run("start", ["--no-demo"]);

    expect(status).toBe(1);
    expect(output).toContain(`NEARBY_RADIUS_MILES of production ${RADIUS_RULE}`);
  });
});
