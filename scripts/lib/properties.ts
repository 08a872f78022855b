/** Settings of property tests. `effort` multiplies the number of runs of each, which is small in `npm test`. */
export const PROPERTIES = {
  effort: Number(process.env.PROPERTY_EFFORT ?? 1),
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_122),
};
