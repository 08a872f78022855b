import { createConfig, formatProblems, lintFromString } from "@redocly/openapi-core";
import { app } from "../../src/app.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { CommandError } from "./project.ts";

/** Holds the OpenAPI document against every rule of Redocly's strict set; none is left out. */
export async function lintOpenApi(): Promise<string> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const source = JSON.stringify(openApiDocument(app), null, 2);
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  if (problems.length === 0) return "good";
  formatProblems(problems, { totals: { errors: problems.length, warnings: 0, ignored: 0 }, version: "" });
  throw new CommandError(`Failed: the OpenAPI document breaks ${problems.length} rules, named above.`);
}
