import { LIVE } from "../../scripts/conform/sections/index.ts";
import { testSections } from "./sections.ts";

await testSections(LIVE);
