import { expectFailure, expectOk } from "../expect.ts";
import type { Section, Suite } from "../suite.ts";

const LIST = "/api/v1/customer/coupons";

/** docs/contract/programs.md, 1 */
export async function programs(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const read = async (program: unknown, secret?: string) =>
    suite.http.send(LIST, { token: await suite.tokens.sign({ scope: "customer", sub: ann.id, program }, {}, secret) });

  return {
    cited: "programs, 1",
    reads: {
      "A token without the claim is for the **default program**.": async () => {
        expectOk(await suite.http.send(LIST, { token: ann.token }));
      },
      "A name that is not configured, or not of this form (an empty one, one in capitals, a list, `null`): 403 `FORBIDDEN`.":
        async () => {
          for (const program of ["conform-is-not-configured", "", "ACME", ["acme"], null, "x".repeat(33)])
            expectFailure(await read(program), 403, "FORBIDDEN");
        },
      "A token with a bad signature is 401 whatever it names.": async () => {
        for (const program of ["conform-is-not-configured", ""])
          expectFailure(await read(program, "another secret of thirty-two bytes"), 401, "UNAUTHENTICATED");
      },
    },
  };
}
