// How many cases a test tries: all of them in `npm test`, a fifth in `npm run verify`, which somebody waits for.
//
// A file that asks for this is called `*.thorough.test.ts` and runs in both. The seed is fixed, so the few are the first of the many.

const IS_THOROUGH = process.env.THOROUGH === '1';
const SHARE = 5;

/** Of so many cases, those that this run tries. */
export const cases = (all: number): number => (IS_THOROUGH ? all : Math.ceil(all / SHARE));

/** How far a walk over every place goes on at each step; by a prime, so that it meets all kinds of places. */
export const STRIDE = IS_THOROUGH ? 1 : SHARE + 2;
