import { describe, it } from "vitest";
import { send } from "../support/api.ts";
import { routes } from "../support/calls.ts";

const ROUTES = routes.filter((route) => route.includes(" /api/")).map((route) => route.split(" ") as [string, string]);
// Hono decodes a path before it looks for middleware, and `.` in a regular expression matches none of these characters.
const LINE_ENDS = ["%0A", "%0D", "%E2%80%A8"];

/** The status and the code of requests without a token, once for each path. */
async function refusals(method: string, paths: readonly string[]) {
  // Each request has an address of its own, so that none is limited.
  const headers = () => ({ "CF-Connecting-IP": `192.0.2.${crypto.randomUUID()}` });
  const answers = await Promise.all(paths.map((path) => send(path, { method, headers: headers() })));
  return new Set(answers.map(({ status, body }) => `${status} ${body.errorCode}`));
}

describe("a path with the end of a line in it", () => {
  const routesWithId = ROUTES.filter(([, path]) => path.includes("/:id"));

  it.for(routesWithId)("needs a token: %s %s", async ([method, path], { expect }) => {
    const paths = LINE_ENDS.map((end) => path.replace(":id", `a${end}b`));

    expect(await refusals(method, paths)).toEqual(new Set(["401 UNAUTHENTICATED"]));
  });

  it.for(ROUTES)("is not found where no id may be: %s %s", async ([method, path], { expect }) => {
    const paths = LINE_ENDS.flatMap((end) => [`${path}${end}`, path.replace("/api", `/api${end}`)]);

    expect(await refusals(method, paths)).toEqual(new Set(["404 NOT_FOUND"]));
  });
});
