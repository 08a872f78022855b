// Scalar includes Zod, which tries to compile code from text. The page's policy forbids that, and each try would print an
// error in the console.
globalThis.__zod_globalConfig = { jitless: true };
