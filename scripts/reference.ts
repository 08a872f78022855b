import { edgeCommand } from "./lib/options.ts";
import { buildReference } from "./lib/reference.ts";

export const program = edgeCommand("reference").action(() => buildReference());
