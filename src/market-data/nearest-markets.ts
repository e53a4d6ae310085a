// The markets that somebody may have meant by a name that there is not.

import { editDistance } from '../pine/light.ts';

const MAX_NAMES = 3;
/** Letters that a slip changes; more of them make another name. */
const MAX_STEPS = 3;
/** A part of a name that says which one is meant: BTC, and not B. */
const MIN_PART_CHARS = 3;
/** A part that nearly every name has says nothing. */
const QUOTE = /(?:USDT|USDC|USD)$/;

/** Those equally near, the shortest first; none where no name is near. */
export function nearestMarkets(wrong: string, known: readonly string[]): readonly string[] {
  const base = wrong.replace(QUOTE, '');
  const scored = known.map((name) => ({ name, steps: stepsTo(name, wrong, base) }));
  const fewest = Math.min(...scored.map(({ steps }) => steps));
  return scored
    .filter(({ steps }) => steps === fewest && steps <= MAX_STEPS)
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function stepsTo(name: string, wrong: string, base: string): number {
  const steps = editDistance(wrong, name, MAX_STEPS);
  const hasPart = base.length >= MIN_PART_CHARS && name.includes(base);
  return hasPart ? Math.min(steps, 1) : steps < Math.min(wrong.length, name.length) / 2 ? steps : MAX_STEPS + 1;
}
