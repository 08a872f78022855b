import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import type { Session } from "../../examples/app/lib/session.ts";
import { ROOT } from "./project.ts";

const APP = path.join(ROOT, "examples", "app");

/**
 * The page may load and call only what the service serves, and may not insert texts as HTML. The line with `!` removes
 * the reference page's policy, which would apply too.
 */
const HEADERS = `
/app/*
  ! Content-Security-Policy
  Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
`;

/** The files of the example app's page, below `app/`, and the lines of `_headers` for them. */
export async function buildAppPage(session: Session): Promise<{ files: Map<string, string>; headers: string }> {
  const { outputFiles } = await build({
    entryPoints: [path.join(APP, "main.ts"), path.join(APP, "styles.css")],
    // The name by which an app imports the package of the typed client.
    alias: { "loyalty-edge/client": path.join(ROOT, "src", "client", "index.ts") },
    outdir: APP,
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    logLevel: "error",
  });
  const bundled = outputFiles.map(({ path: file, text }) => [`app/${path.basename(file)}`, text] as const);
  return {
    files: new Map([
      ...bundled,
      ["app/index.html", readFileSync(path.join(APP, "index.html"), "utf8")],
      ["app/session.json", JSON.stringify(session)],
    ]),
    headers: HEADERS,
  };
}
