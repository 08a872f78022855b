// Scalar brings Zod, which tries out whether it may compile code from text. It may not, by the page's policy, and each try
// would be an error in the console.
globalThis.__zod_globalConfig = { jitless: true };
