// Which exchange Signalbox trades at with more than paper, real money before that of a testnet.

import type { Health } from '../../server/answers.ts';

const MONEY = [
  ['live', 'LIVE money'],
  ['testnet', 'TESTNET money'],
] as const;

export function realVenueOf({ venues }: Pick<Health, 'venues'>) {
  for (const [mode, money] of MONEY) {
    const [exchange] = Object.entries(venues).find(([, each]) => each === mode) ?? [];
    if (exchange !== undefined) return { exchange, money };
  }
  return undefined;
}
