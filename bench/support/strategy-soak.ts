// `npm run soak strategy [hours]`: a deployed strategy lives through a simulated week while its process is killed with kill -9
// in every hour of it; its signals must be those of one that lives on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveThrough, STEPS_OF_A_BAR } from '../../tests/deployments/run-strategy.ts';
import { liveUntil, signalsOf } from '../../tests/support/killed-strategy.ts';

/** The strategy trades on quarters of an hour. */
const BARS_PER_HOUR = 4;

/** True when both sent the same signals. */
export async function soakStrategy(hours: number, say: (line: string) => void): Promise<boolean> {
  const bars = hours * BARS_PER_HOUR;
  const [whole, broken] = ['whole', 'broken'].map((name) => mkdtempSync(join(tmpdir(), `signalbox-${name}-`)));
  try {
    await liveThrough(whole!, bars);
    let kills = 0;
    const isEnd = ({ bar, move }: { bar: number; move: number }): boolean =>
      bar >= (kills + 1) * BARS_PER_HOUR - 1 && move === kills % STEPS_OF_A_BAR;
    while ((await liveUntil(broken!, bars, isEnd)) === 'killed') {
      kills += 1;
      if (kills % 24 === 0) say(`${kills} kills`);
    }
    const [found, wanted] = [signalsOf(broken!), signalsOf(whole!)];
    const [left, right] = [[...found.signals], [...wanted.signals]].map((list) => JSON.stringify(list));
    for (const fault of found.faults) say(`FAULT ${fault}`);
    if (left !== right) say(`FAULT ${found.signals.size} signals over ${kills} kills, ${wanted.signals.size} without`);
    else say(`${wanted.signals.size} signals over ${hours} hours and ${kills} kills, the same as without`);
    return left === right && found.faults.length === 0 && wanted.signals.size > 0;
  } finally {
    for (const folder of [whole!, broken!]) rmSync(folder, { recursive: true, force: true });
  }
}
