// The promise of order at length: signals, kills and disks with slow syncs until so many signals were sent.

import { killAgainAndAgain } from '../../tests/support/nothing-lost.ts';

const MODES = ['async', 'failover', 'direct'] as const;
const ROUND = { signals: 5000, connections: 50, kills: 12, syncDelayMs: () => 15 };

/** True when every market was executed as if in order, and every position was the venue's. */
export async function soakOrder(signals: number, say: (line: string) => void): Promise<boolean> {
  const total = { sent: 0, acknowledged: 0, kills: 0 };
  for (let round = 0; total.sent < signals; round++) {
    const mode = MODES[round % MODES.length] as (typeof MODES)[number];
    const size = Math.min(ROUND.signals, signals - total.sent);
    const report = await killAgainAndAgain({ ...ROUND, signals: size, mode });
    total.sent += report.sent.length;
    total.acknowledged += report.acknowledged;
    total.kills += report.kills;
    say(
      `round ${round + 1} ${mode}: ${total.sent} sent, ${total.acknowledged} acknowledged, ${total.kills} kills so far`,
    );
    for (const fault of report.faults) say(`FAULT ${fault}`);
    if (report.faults.length > 0) return false;
  }
  say(`as if in order, positions = venue: 0 violations in ${total.sent} signals over ${total.kills} kills`);
  return true;
}
