import { expectFailure, expectInvalid } from "../expect.ts";
import { section } from "../suite.ts";

export const restore = section("restore, 1", ({ suite, ann, make, it }) => {
  const token = (accounts: unknown, scope = "feed restore") => suite.tokens.sign({ scope, sub: "conform", accounts });

  it('**The token** has both words `feed restore` in its `scope`, and `"accounts": "*"`.', async () => {
    expectFailure(await suite.send([], await token("*", "restore")), 403, "FORBIDDEN");
  });
  it("With a list of accounts the answer is 403.", async () => {
    expectFailure(await suite.send([], await token([suite.accountId()])), 403, "FORBIDDEN");
  });
  it("Once a request without `restore` is committed, even one without lines, no restore is taken any more.", async () => {
    await suite.feed(make.caller(ann));
    expectFailure(await suite.send([make.caller(ann)], await token("*")), 403, "FORBIDDEN");
  });
});

const PROGRAM_LINE = {
  record: "program",
  message_stamp: "2026-01-01 00:00:00",
  message_clock_said: "2026-01-01 00:00:00",
};

export const restoreLines = section("restore, 2", ({ suite, it }) => {
  it("Without `restore` these fields have the meaning that the feed gives them, and there is no record `program`.", async () =>
    expectInvalid(await suite.send([PROGRAM_LINE]), "line 1.record"));
});
