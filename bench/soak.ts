// `npm run soak -- [minutes]`: rounds of `npm run chaos` with new seeds for so long, over PostgreSQL and Redis with `postgres` before
// the minutes; with `pine`, the fuzzers of the Pine engine; with `disk`, a fault at every step of the disk, each once where no minutes are said; `processes [seconds]`: signals
// while the script process is killed again and again; `strategy [hours]`: a deployed strategy that is killed in every hour of a week.
// `venues [minutes]`: signals with stops to emulated venues, in fast time, while answers are lost and the process is killed (`venues
// seed N`: one run again). `dashboard [minutes]`: open pages of the dashboard while signals trade, and what they keep in memory.
// Ends with 1 when there was a fault.

import { readForm, runRounds } from './support/chaos-rounds.ts';
import { soakDashboard } from './support/dashboard-soak.ts';
import { soakDisk } from './support/disk-soak.ts';
import { soakPine } from './support/pine-soak.ts';
import { soakProcesses } from './support/processes-soak.ts';
import { soakStrategy } from './support/strategy-soak.ts';
import { soakVenues } from './support/venues-soak.ts';

const DEFAULT_MINUTES = 30;
const MAX_MINUTES = 24 * 60;
if (process.argv[2] === 'venues') process.exit((await soakVenues(process.argv.slice(3), console.log)) ? 0 : 1);
if (process.argv[2] === 'dashboard')
  process.exit((await soakDashboard(Number(process.argv[3] ?? 10), console.log)) ? 0 : 1);
if (process.argv[2] === 'processes')
  process.exit((await soakProcesses(Number(process.argv[3] ?? 60), console.log)) ? 0 : 1);
if (process.argv[2] === 'strategy')
  process.exit((await soakStrategy(Number(process.argv[3] ?? 168), console.log)) ? 0 : 1);
const part = ['pine', 'disk'].find((name) => name === process.argv[2]);
const { form, words } = readForm(process.argv.slice(part === undefined ? 2 : 3));
const [wished] = words;
if (part === 'disk' && wished === undefined) process.exit((await soakDisk(undefined, console.log)) ? 0 : 1);
const minutes = Number(wished ?? DEFAULT_MINUTES);
if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
  console.error(`Say for how many minutes, at most ${MAX_MINUTES}. For example: npm run soak -- 10`);
  process.exit(2);
}
if (part === 'pine') process.exit(soakPine(minutes, console.log) ? 0 : 1);

const endMs = performance.now() + minutes * 60_000;
if (part === 'disk') process.exit((await soakDisk(endMs, console.log)) ? 0 : 1);
const seed = Math.floor(Math.random() * 0x7fffffff);
process.exit((await runRounds({ form, seed, isDone: () => performance.now() >= endMs, say: console.log })) ? 0 : 1);
