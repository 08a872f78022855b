import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./project.ts";

const APP = path.join(ROOT, "examples", "app");

export interface ExampleApp {
  /** The files of the page, below `app/`. */
  files: ReadonlyMap<string, string>;
  /** Their lines of `_headers`. */
  headers: string;
}

export async function buildAppPage(sessionUrl: string): Promise<ExampleApp> {
  const { outputFiles } = await build({
    entryPoints: [path.join(APP, "main.ts"), path.join(APP, "styles", "styles.css")],
    // The names by which an app imports the package of the typed clients.
    alias: Object.fromEntries(
      ["client", "till"].map((entry) => [`loyalty-edge/${entry}`, path.join(ROOT, "client", "src", `${entry}.ts`)]),
    ),
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
      ["app/settings.json", `${JSON.stringify({ session: sessionUrl })}\n`],
    ]),
    headers: headersFor(new URL(sessionUrl).origin),
  };
}

/**
 * Lets the page load its own files, and call the service and the address that gives it tokens. It may not insert
 * texts as HTML.
 */
function headersFor(sessionOrigin: string): string {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${sessionOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  // The line with `!` removes the reference page's policy, which would apply too.
  return `\n/app/*\n  ! Content-Security-Policy\n  Content-Security-Policy: ${policy.join("; ")}\n`;
}
