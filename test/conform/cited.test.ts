import { describe, it } from "vitest";
import { SECTIONS } from "../../scripts/conform/sections/index.ts";
import { suiteInWorkerd } from "./sections.ts";

const documents = import.meta.glob<string>("../../docs/contract/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

const sections = await Promise.all(SECTIONS.map((makeSection) => makeSection(suiteInWorkerd())));

describe("a section of conform", () => {
  it.for(sections)("cites a section of the contract: $name", ({ name }, { expect }) => {
    const [document = "", number = ""] = name.split(", ");

    expect(documents[`../../docs/contract/${document}.md`]).toMatch(new RegExp(`^#{2,3} ${number}\\.? `, "m"));
  });
});
