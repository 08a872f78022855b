/** `effort` multiplies the runs of every property, of which `npm test` has few. */
export const PROPERTIES = {
  effort: Number(process.env.PROPERTY_EFFORT ?? 1),
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_122),
};
