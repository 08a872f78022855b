import { FEED } from "../../scripts/conform/sections/index.ts";
import { testSections } from "./sections.ts";

await testSections(FEED);
