/** How many times more runs a property has than the few of `npm test`, and from which seed. */
export const PROPERTIES = {
  effort: Number(process.env.PROPERTY_EFFORT ?? 1),
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_122),
};
