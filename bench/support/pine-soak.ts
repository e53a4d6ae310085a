// `npm run soak pine [minutes]`: the fuzzers of the Pine engine with new seeds, for as long as you like.

import { Coverage } from '../../tests/pine/oracle/coverage.ts';
import { type FuzzKind, fuzzRound } from '../../tests/pine/oracle/fuzz-round.ts';

/** Scripts per round and sort; the time is looked at after each round. */
const ROUND = 100;
const KINDS: readonly FuzzKind[] = ['compiler', 'broker'];

/** Answers whether the engine held; prints the smallest script of the first fault. */
export function soakPine(minutes: number, log: (line: string) => void): boolean {
  const endMs = performance.now() + minutes * 60_000;
  let scripts = 0;
  const coverage = new Coverage();
  for (let round = 1; performance.now() < endMs; round += 1) {
    const seed = Math.floor(Math.random() * 0x7fffffff);
    for (const kind of KINDS) {
      const report = fuzzRound(kind, ROUND, seed, coverage);
      scripts += report.scripts;
      if (report.fault === undefined) continue;
      log(`${report.fault}\nFAULT in round ${round}, seed ${seed}`);
      return false;
    }
    log(`round ${round}: ${scripts} scripts; of those with a judge ${coverage.words}`);
  }
  return true;
}
