import { describe, it } from "vitest";
import { app } from "../../src/app.ts";
import { Frame } from "../../src/customer/live/schema.ts";
import { exportRecords, sendLines } from "../../src/feed/operations.ts";
import { TOPICS } from "../../src/inbox/protocol.ts";
import { pascalCase } from "../../src/openapi/json-schema.ts";
import { notesOf } from "../../src/openapi/notes.ts";
import { OPERATIONS } from "../../src/reference.ts";
import { routes } from "../support/calls.ts";
import { document, validatorOf } from "../support/openapi.ts";

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

type ObjectSchema = { properties: object; required?: string[] };

type Schema = { [keyword: string]: unknown };

/** All schemas in a part of the document that have a keyword, each with its path. */
function schemasWith(keyword: string, part: unknown, location = ""): [location: string, schema: Schema][] {
  if (typeof part !== "object" || part === null || /\.examples?$/.test(location)) return [];
  const ownSchema: [string, Schema][] =
    keyword in part && !location.endsWith(".properties") ? [[location, part as Schema]] : [];
  return [
    ...ownSchema,
    ...Object.entries(part).flatMap(([name, inner]) => schemasWith(keyword, inner, `${location}.${name}`)),
  ];
}

describe("the OpenAPI document", () => {
  it("describes every route that is served, and no other", ({ expect }) => {
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(routes.toSorted());
    expect(routes.length).toBeGreaterThan(3);
  });

  it("describes frames of the socket that name one change or all", ({ expect }) => {
    const fits = (what: readonly string[]) => Frame.safeParse({ type: "changed", what, bookmark: "b" }).success;

    expect([fits([]), fits(["coupons"]), fits(TOPICS)]).toEqual([false, true, true]);
  });

  it("requires a body for each POST and for the state of a group, and for nothing else", ({ expect }) => {
    const requirements = operations.map(({ method, operation }) => [
      method,
      (operation.requestBody as { required?: boolean } | undefined)?.required,
    ]);

    const hasBody = ({ method, path }: (typeof operations)[number]) => method === "POST" || path.endsWith("/state");
    expect(requirements).toEqual(operations.map((one) => [one.method, hasBody(one) ? true : undefined]));
  });

  it("requires a field of a JSON body exactly if a body without it is refused", ({ expect }) => {
    const wrong = Object.entries(OPERATIONS).flatMap(([endpoint, { id, examples }]) => {
      const [method = "", path = ""] = endpoint.split(" ");
      const [handlers] = app.router.match(method, path);
      const { schema, mediaType } = handlers.flatMap(([[handler]]) => notesOf(handler).body ?? []).at(-1) ?? {};
      if (schema === undefined || mediaType !== "application/json") return [];
      const { required = [], properties } = document.components.schemas[`${pascalCase(id)}Body`] as ObjectSchema;
      const whole = Object.assign({}, ...examples.map(({ body }) => body));
      return Object.keys(properties).flatMap((field) => {
        const { [field]: _, ...rest } = whole;
        return schema.safeParse(rest).success === required.includes(field) ? [[id, field]] : [];
      });
    });

    // The query string may have it.
    expect(wrong).toEqual([["leaderboard", "location_id"]]);
  });

  it("names every object, so that a generated client has a type for it", ({ expect }) => {
    const objects = schemasWith("properties", document).map(([location]) => location);

    expect(objects.filter((location) => !/^\.components\.schemas\.\w+$/.test(location))).toEqual([]);
    expect(objects.length).toBeGreaterThan(50);
  });

  it("has a discriminator for the alternatives of each oneOf", ({ expect }) => {
    const alternatives = schemasWith("oneOf", document).map(([, { oneOf, discriminator }]) => ({
      refs: (oneOf as { $ref: string }[]).map(({ $ref }) => $ref),
      mapped: Object.values((discriminator as { mapping: Record<string, string> } | undefined)?.mapping ?? {}),
    }));

    expect(alternatives.map(({ refs }) => refs)).toEqual(alternatives.map(({ mapped }) => mapped));
    expect(alternatives.length).toBeGreaterThan(0);
  });

  it("names the bookmark of a request wherever reading begins at it", ({ expect }) => {
    const withBookmark = operations.filter(({ operation }) =>
      (operation.parameters as { name: string }[] | undefined)?.some(({ name }) => name === "X-D1-Bookmark"),
    );

    // The feed, the export, the socket and boards read from the primary.
    expect(withBookmark.map(({ path }) => path.replace("/api/v1/", "")).toSorted()).toEqual([
      ...["customer/campaigns/near-by-popular-campaigns", "customer/coupons", "customer/full-search", "customer/me"],
      ...["customer/me/entries", "customer/messages", "customer/my-coupons"],
      ...[
        "customer/stores/{id}/team-with-level",
        "till/customers/find",
        "till/customers/{id}/coupons",
        "till/explanations",
      ],
    ]);
  });

  it("tells a booking from what was brought forward", ({ expect }) => {
    const { BalanceEntry, BookedEntry, BroughtForward } = document.components.schemas;
    const [booking, forward] = [BookedEntry, BroughtForward].map(
      (schema) => (schema as { properties: Schema }).properties,
    );

    expect(BalanceEntry).toMatchObject({
      anyOf: [{ $ref: "#/components/schemas/BookedEntry" }, { $ref: "#/components/schemas/BroughtForward" }],
    });
    expect(booking?.brought_forward).toMatchObject({ const: false });
    expect(forward).toMatchObject({ brought_forward: { const: true }, id: { type: "null" }, store: { type: "null" } });
  });

  it("says of a board's store that the body or the query must have it", ({ expect }) => {
    const leaderboard = operations.find(({ operation }) => operation.operationId === "leaderboard")?.operation;
    const [inQuery] = (leaderboard?.parameters ?? []) as { description: string }[];
    const { location_id } = (document.components.schemas.LeaderboardBody as { properties: Record<string, Schema> })
      .properties;

    expect(inQuery?.description).toContain("needed here or in the body");
    expect(location_id?.description).toContain("needed here or in the query string");
  });

  it("gives defaults that fit their own schemas", ({ expect }) => {
    const schemas = schemasWith("default", document);
    // Many fields differ only in the description, so each schema is checked once.
    const distinctSchemas = new Map(
      schemas.map(([location, { description, ...schema }]) => [JSON.stringify(schema), { location, schema }]),
    );
    const badDefaults = [...distinctSchemas.values()].filter(
      ({ schema }) => !validatorOf(schema).validate(schema.default).valid,
    );

    expect(badDefaults.map(({ location, schema }) => [location, schema.default])).toEqual([]);
    expect(schemas.length).toBeGreaterThan(100);
  });

  it("describes the defaults of a JSON body in words: generators make a field with a default required", ({
    expect,
  }) => {
    const bodies = ["NearbyCampaignsBody", "FullSearchBody", "LeaderboardBody"].map(
      (name) => document.components.schemas[name],
    );

    expect(schemasWith("default", bodies)).toEqual([]);
    const fields = Object.assign({}, ...bodies.map((body) => (body as { properties: object }).properties));
    expect(fields.count.description).toBe("How many campaigns at most. Left out: `8`.");
    expect(fields.filter.description).toMatch(/ Left out: `stores,customers,campaigns`\.$/);
    expect(fields.typos.description).toMatch(/ Left out: `true`\.$/);
    expect(fields.rank_on.description).toMatch(/ Left out: `run`\.$/);
  });

  it("disables the examples of optional parameters, so that the reference's form does not send them", ({ expect }) => {
    const parameters = operations.flatMap(
      ({ operation }) => (operation.parameters ?? []) as { in: string; example?: unknown; examples?: object }[],
    );
    const optionalParameters = parameters.filter((parameter) => parameter.in !== "path");
    const examples = optionalParameters.flatMap((parameter) => Object.entries(parameter.examples ?? {}));

    expect(optionalParameters.filter((parameter) => "example" in parameter)).toEqual([]);
    // Scalar, which shows the reference, expects the name "default".
    expect(examples.filter(([name, example]) => name !== "default" || example["x-disabled"] !== true)).toEqual([]);
    expect(examples.length).toBeGreaterThan(3);
  });

  // `npm test` lints the document, and so checks that examples fit their schemas.
  it.for(operations)("has an example of each body of $method $path", ({ operation }, { expect }) => {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      Object.values((part as { content?: object } | undefined)?.content ?? {}),
    );

    expect(contents.length).toBeGreaterThan(0);
    expect(contents.filter(({ examples }) => Object.keys(examples).length === 0)).toEqual([]);
  });

  it("describes every parameter of the customer's endpoints, and every field but those of the feed's lines", ({
    expect,
  }) => {
    const parameters = operations
      .filter(({ path }) => path.startsWith("/api/v1/customer"))
      .flatMap(({ operation }) => (operation.parameters ?? []) as Schema[]);
    const describedSchemas = Object.entries(document.components.schemas).filter(([name]) => !name.endsWith("Line"));
    const fields = schemasWith("properties", Object.fromEntries(describedSchemas)).flatMap(
      ([location, { properties }]) =>
        Object.entries(properties as Record<string, Schema>).map(([name, field]) => ({ location, name, field })),
    );
    const isDescribed = ({ description, $ref }: Schema) => description !== undefined || $ref !== undefined;

    expect(parameters.filter((parameter) => !isDescribed(parameter))).toEqual([]);
    const undescribedFields = fields.filter(({ field }) => !isDescribed(field));
    expect(undescribedFields.filter(({ name }) => name !== "status" && name !== "items")).toEqual([]);
  });
});

describe("the lines of an export", () => {
  it("may have a group with one member, because erasures remove members; the feed refuses it", ({ expect }) => {
    const group = { record: "message_group", id: "g1", initial_customer_id: "c1", member_ids: ["c1"] };

    expect(exportRecords.answer.safeParse(group)).toMatchObject({ success: true });
    expect(sendLines.body?.schema.safeParse(group)).toMatchObject({ success: false });
  });
});
