// `npm run soak -- venues [minutes]`: runs of chaos over emulated venues with new seeds; `venues seed N`: one of them again.

import { chaosFault } from '../../tests/support/venue-chaos/chaos-seeds.ts';

const DEFAULT_MINUTES = 30;

/** True when no run had a fault. */
export async function soakVenues(words: readonly string[], say: (line: string) => void): Promise<boolean> {
  const [first, second] = words;
  if (first === 'seed') return holds(Number(second), say);
  const endMs = performance.now() + Number(first ?? DEFAULT_MINUTES) * 60_000;
  while (performance.now() < endMs) if (!(await holds(Math.floor(Math.random() * 0x7fffffff), say))) return false;
  return true;
}

async function holds(seed: number, say: (line: string) => void): Promise<boolean> {
  const { report, words } = await chaosFault(seed);
  const { signals, kills, actedStops, outcomes } = report;
  say(
    words ||
      `seed ${seed}: ${signals} signals over ${kills} kills, ${actedStops} stops acted, ${JSON.stringify(outcomes)}; the venues and our books agree`,
  );
  return words === '';
}
