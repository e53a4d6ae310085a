// `npm run soak -- [minutes]`: the kill -9 test of the suite, again and again, in every queue mode; with `pine` before the
// minutes, the fuzzers of the Pine engine; with `disk`, a fault at every step of the disk, each once where no minutes are
// said; `order [signals]`: so many signals over kills and slow disks, in order; `processes [seconds]`: signals while the
// script process is killed again and again; `strategy [hours]`: a deployed strategy that is killed in every hour of a week.
// `chaos [minutes]`: signals to emulated venues while answers are lost and the process is killed (`chaos seed N`: one run again).
// `dashboard [minutes]`: open pages of the dashboard while signals trade, and what they keep in memory.
// Ends with 1 when there was a fault.

import { killAgainAndAgain } from '../tests/support/nothing-lost.ts';
import { soakChaos } from './support/chaos-soak.ts';
import { soakDashboard } from './support/dashboard-soak.ts';
import { soakDisk } from './support/disk-soak.ts';
import { soakOrder } from './support/order-soak.ts';
import { soakPine } from './support/pine-soak.ts';
import { soakProcesses } from './support/processes-soak.ts';
import { soakStrategy } from './support/strategy-soak.ts';

const DEFAULT_MINUTES = 30;
const MAX_MINUTES = 24 * 60;
if (process.argv[2] === 'chaos') process.exit((await soakChaos(process.argv.slice(3), console.log)) ? 0 : 1);
if (process.argv[2] === 'dashboard')
  process.exit((await soakDashboard(Number(process.argv[3] ?? 10), console.log)) ? 0 : 1);
if (process.argv[2] === 'order')
  process.exit((await soakOrder(Number(process.argv[3] ?? 50_000), console.log)) ? 0 : 1);
if (process.argv[2] === 'processes')
  process.exit((await soakProcesses(Number(process.argv[3] ?? 60), console.log)) ? 0 : 1);
if (process.argv[2] === 'strategy')
  process.exit((await soakStrategy(Number(process.argv[3] ?? 168), console.log)) ? 0 : 1);
const part = ['pine', 'disk'].find((name) => name === process.argv[2]);
const wished = process.argv[part === undefined ? 2 : 3];
if (part === 'disk' && wished === undefined) process.exit((await soakDisk(undefined, console.log)) ? 0 : 1);
const minutes = Number(wished ?? DEFAULT_MINUTES);
if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
  console.error(`Say for how many minutes, at most ${MAX_MINUTES}. For example: npm run soak -- 10`);
  process.exit(2);
}
if (part === 'pine') process.exit(soakPine(minutes, console.log) ? 0 : 1);

const endMs = performance.now() + minutes * 60_000;
if (part === 'disk') process.exit((await soakDisk(endMs, console.log)) ? 0 : 1);

const total = { kills: 0, sent: 0, acknowledged: 0 };
for (let round = 1; performance.now() < endMs; round++) {
  for (const mode of ['direct', 'async', 'failover'] as const) {
    const report = await killAgainAndAgain({ mode, signals: 6000, connections: 50, kills: 30 });
    total.kills += report.kills;
    total.sent += report.sent.length;
    total.acknowledged += report.acknowledged;
    console.log(
      `round ${round} ${mode}: ${report.sent.length} sent, ${report.acknowledged} acknowledged, ${report.kills} kills`,
    );
    if (report.faults.length > 0) {
      for (const fault of report.faults) console.error(`FAULT ${fault}`);
      process.exit(1);
    }
  }
}
console.log(
  `nothing lost, nothing twice: ${total.sent} sent, ${total.acknowledged} acknowledged, ${total.kills} kills`,
);
