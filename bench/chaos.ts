// `npm run chaos [postgres] [signals] [seed N]`: so many signals to real processes, in rounds, while everything goes wrong that can:
// kills, power cuts, full and slow disks, clocks that jump, lost connections and answers, venues that fail. With `postgres` there are
// two processes over PostgreSQL and Redis, and those are killed, cut off and replaced too. Then the table: what senders were told beside
// what the journal says and what the venues saw. `-- 5000 seed 7` makes the rounds that begin with this seed again.
// Ctrl-C ends it after the round that runs, with the table of those that are done.
// Ends with 1 when a signal was lost, doubled or out of order, or anything else was not as somebody was told.

import { readForm, runRounds } from './support/chaos-rounds.ts';

const DEFAULT_SIGNALS = 100_000;

const { form, words } = readForm(process.argv.slice(2));
const seedAt = words.indexOf('seed');
const seed = seedAt < 0 ? Math.floor(Math.random() * 0x7fffffff) : Number(words[seedAt + 1]);
const signals = Number(seedAt === 0 ? DEFAULT_SIGNALS : (words[0] ?? DEFAULT_SIGNALS));
if (!(signals > 0 && Number.isInteger(seed))) {
  console.error('Say how many signals, and with which seed. For example: npm run chaos -- 5000 seed 7');
  process.exit(2);
}
let isEnded = false;
process.once('SIGINT', () => {
  isEnded = true;
  console.log('ends with this round; press Ctrl-C again to end now');
});
const isDone = (sent: number): boolean => isEnded || sent >= signals;
process.exit((await runRounds({ form, seed, isDone, most: signals, say: console.log })) ? 0 : 1);
