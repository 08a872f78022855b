const pairsOf = (text: string) => text.split(", ").map((pair) => pair.split(" ") as [query: string, name: string]);
/** Pairs of a query with a typo and a name that it finds. The typo is in the second, a middle or the last letter. */
export const FORGIVEN = pairsOf(
  "gharcia García, ggarcia García, garrcia García, garcixa García, garciae García, maris Marina, grcia García, " +
    "garca García, gercia García, gartia García, garcie García, gracia García, garica García, garcai García, " +
    "alaron Aalron, gracian Garcianello, christophre Christopher, chrsitophe Christophers, smiht Smith, annan Anna, " +
    "οδισσεας Οδυσσέας, хелбный Хлебный, שרלום שרולום, garciab Garcia1, smithe Smith, smithe Smithson",
);
/** Pairs of a query with a typo and a name that it does not find. */
export const UNFORGIVEN = pairsOf(
  "karcia Garcia, agrcia Garcia, arcia Garcia, agarcia Garcia, gracai Garcia, grcaia Garcia, mrina Marlina, " +
    "smit Simth, garica1 Garcia1, 12354 12345, smithe Smit, 日本語京東 日本語東京, 𐐨𐐪𐐩𐐫𐐬 𐐨𐐩𐐪𐐫𐐬",
);
