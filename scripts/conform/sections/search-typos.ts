import { expectSame } from "../expect.ts";
import { type Answer, idsOf, listOf } from "../http.ts";
import { account, customer, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const MOST = 20;
const pairs = (text: string) => text.split(", ").map((pair) => pair.split(" ") as [asked: string, name: string]);
/** A query and the name that it means. The typo is in the second, a middle or the last letter. */
const FORGIVEN = pairs(
  "gharcia García, ggarcia García, garrcia García, garcixa García, garciae García, maris Marina, grcia García, " +
    "garca García, gercia García, gartia García, garcie García, gracia García, garica García, garcai García, " +
    "alaron Aalron, gracian Garcianello, christophre Christopher, chrsitophe Christophers, smiht Smith, annan Anna, " +
    "οδισσεας Οδυσσέας, хелбный Хлебный, 日本語京東 日本語東京, 𐐨𐐪𐐩𐐫𐐬 𐐨𐐩𐐪𐐫𐐬, garciab Garcia1, smithe Smith, smithe Smithson",
);
const UNFORGIVEN = pairs(
  "karcia Garcia, agrcia Garcia, arcia Garcia, agarcia Garcia, gracai Garcia, grcaia Garcia, mrina Marlina, " +
    "smit Simth, garica1 Garcia1, 12354 12345, smithe Smit",
);
const FIVE = ["garciaa", "garciab", "garciac", "garciad", "garciae"];

/** docs/contract/interface.md, 4.6: typos that are forgiven */
export async function searchTypos(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const chain = suite.accountId();
  const [fewer, all, most, several, lonely] = [suite.word(), suite.word(), suite.word(), suite.word(), suite.word()];
  const misspelt = [...FORGIVEN, ...UNFORGIVEN].map(([asked, name], index) => {
    return { asked, name, word: suite.word(), id: suite.id("store"), isForgiven: index < FORGIVEN.length };
  });
  const stores = (names: readonly string[]) => names.map((name) => store(suite.id("store"), chain, { name }));
  const [two, one] = [
    stores(Array(15).fill(`Maria Garcias ${fewer}`)),
    stores(Array(10).fill(`Maria Gracias ${fewer}`)),
  ];

  const ask = (query: unknown, more: object = {}) => suite.post(ann, "full-search", { query, ...more });
  const idsIn = (answer: Answer, list: string) => idsOf(listOf(answer, list));

  return {
    cited: "interface, 4.6",
    lines: [
      account(chain),
      customer(ann.id),
      customer(suite.id("lonely"), `Lonely ${lonely}`),
      ...misspelt.map(({ id, name, word }) => store(id, chain, { name: `${name} ${word}` })),
      ...two,
      ...one,
      ...stores(["Maria Garcias", ...Array(MOST).fill("Maria Gracias")].map((name) => `${name} ${all}`)),
      ...stores(
        ["Garcias", "Garcia", "Garciab", "Garcia Garciab", "Garciab", "Martin"].map((name) => `${name} ${most}`),
      ),
      ...stores([..."abcdefg"].map((letter) => `Garcia${letter} Martin ${several}`)),
    ],
    feeds: {
      "A forgiven word matches a word of the record with the same first letter and a beginning that is one typo away. A typo is one letter more, less or other, or two neighbours swapped (optimal string alignment, distance 1). If that beginning is the word without its last letter, it must be the whole word of the record: `smithe` finds Smith.":
        async () => {
          for (const { asked, name, word, id, isForgiven } of misspelt) {
            const answer = await ask(`${asked} ${word}`, { filter: "stores" });
            expectSame(idsIn(answer, "stores"), isForgiven ? [id] : [], `${name} by ${asked}`);
            const { forgiven } = answer.body;
            expectSame(Array.isArray(forgiven) ? forgiven.length : 0, isForgiven ? 1 : 0, `forgiven for ${asked}`);
          }
        },
      "Every word of the query must match, as it is or forgiven. Records with fewer forgiven words come first, then the record stored first; at most 20.":
        async () => {
          const answer = await ask(`mraia gracias ${fewer}`, { filter: "stores" });
          const wanted = [...one, ...two].slice(0, MOST).map(({ id }) => id);
          expectSame(idsIn(answer, "stores"), wanted);
          expectSame(answer.body.forgiven, ["mraia", "gracias"]);
        },
      "the words of the query, folded and in their order, that were forgiven in a record shown. It is left out if there are none.":
        async () => {
          const { forgiven } = (await ask(`mraia gracias ${all}`, { filter: "stores" })).body;
          expectSame(forgiven, ["mraia"]);
        },
      "at most five, each of at most 100 characters, those of the most records first, then by code point.":
        async () => {
          const meant = async (query: string) => (await ask(query)).body.meant;
          expectSame(await meant(`garica ${most}`), { garica: ["garciab", "garcia", "garcias"] });
          const wanted = { garica: FIVE, matrin: ["martin"] };
          expectSame(await meant(`garica matrin ${several}`), wanted);
        },
      "Who may not be found does not count towards the limit, and is in no `forgiven` and no `meant`.": async () => {
        const { body } = await ask(lonely.slice(0, 4) + lonely.slice(5));
        const is = suite.settings.customerSearch === "all";
        expectSame(["forgiven" in body, "meant" in body], [is, is]);
      },
    },
  };
}
