import type { Plugin } from "vite";
import { bundleService } from "./platform/code.ts";
import { record } from "./recording.ts";

const NAME = "virtual:recording";
const STEPS = 500;

/** The module `virtual:recording`: what the simulation has recorded, made when a test imports it. */
export const recordingPlugin: Plugin = {
  name: "recording",
  resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
  async load(id) {
    if (id !== `\0${NAME}`) return null;
    return `export default ${JSON.stringify(await record(STEPS, await bundleService()))}`;
  },
};
