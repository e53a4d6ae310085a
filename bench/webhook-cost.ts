// Processor time of one signal of POST /webhook, by thread: for machines on which others work too, where a clock on the wall
// says nothing. `npm run bench webhook-cost -- [async] [direct] [rows] [--against FOLDER] [--quick]`; Linux only.
//
// With `--against FOLDER`, another checkout of this project, its signals are measured in turns with ours. `rows` compares journals
// of a thousand, a million and ten million trades; the largest takes some 20 GB and is made only when it is named.

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startGatewayProcess } from '../tests/support/process.ts';
import { prefillJournal } from './support/prefill.ts';
import { threadTimes } from './support/thread-times.ts';
import { isQuick, measure, median, ROUNDS, startSignalbox, statusOf, type Target } from './support/webhook-target.ts';

type Mode = 'async' | 'direct';
/** Microseconds of one signal by the name of a thread, and its share of the commits. */
type Cost = ReadonlyMap<string, number>;

/** Counted in signals, not in seconds: until about so many, V8 compiles, however long that takes on a busy machine. */
const WARM_UP_SIGNALS = isQuick ? 0 : 20_000;
const MEASURED_SIGNALS = isQuick ? 1 : 20_000;
const ROWS = isQuick ? [1000, 20_000] : [1000, 1_000_000, 10_000_000];
const ALL = 'all';
const COMMITS = 'commits (not µs)';

const { values: args, positionals: named } = parseArgs({
  options: { quick: { type: 'boolean' }, against: { type: 'string' } },
  allowPositionals: true,
});
const HERE = fileURLToPath(new URL('..', import.meta.url));
const checkouts = [HERE, ...(args.against === undefined ? [] : [args.against])];

/** Sends at least so many and resolves with how many were answered. */
async function send(box: Target, mode: Mode, wanted: number): Promise<number> {
  let sent = 0;
  while (sent < wanted) sent += (await measure(box, { status: statusOf({ mode }) })).answered;
  return sent;
}

async function costOf(mode: Mode, checkout: string, dataDir?: string): Promise<Cost> {
  const folder = dataDir === undefined ? {} : { dataDir };
  const box = await startSignalbox({ mode, program: resolve(checkout, 'bin/signalbox.mjs'), ...folder });
  const pid = box.pid as number;
  await send(box, mode, WARM_UP_SIGNALS);
  const [before, commitsBefore] = [threadTimes(pid), await box.commits()];
  const signals = await send(box, mode, MEASURED_SIGNALS);
  const [after, commits] = [threadTimes(pid), (await box.commits()) - commitsBefore];
  await box.end();
  const spent = [...after].map(([name, us]) => [name, (us - (before.get(name) ?? 0)) / signals] as const);
  const all = spent.reduce((sum, [, us]) => sum + us, 0);
  return new Map([...spent, [ALL, all], [COMMITS, commits / signals]]);
}

function show(mode: Mode, [ours, theirs]: readonly (readonly Cost[])[]): void {
  console.log(`${mode}: processor time of one signal, µs`);
  for (const name of ours?.[0]?.keys() ?? []) {
    const middle = (rounds: readonly Cost[]): number => median(rounds.map((cost) => cost.get(name) ?? 0));
    const digits = name === COMMITS ? 3 : 0;
    const own = middle(ours as readonly Cost[]);
    const beside = theirs && middle(theirs);
    const words = beside === undefined ? '' : `  against ${beside.toFixed(digits)}: ${(own / beside).toFixed(2)}`;
    console.log(`  ${name.padEnd(50)} ${own.toFixed(digits).padStart(6)}${words}`);
  }
}

/** What is in the journal already must not be felt: the same mode over folders that differ in nothing else. */
async function compareRows(): Promise<void> {
  const folders = new Map<number, string>();
  const costs = new Map<number, number[]>();
  try {
    for (const count of ROWS) {
      const made = await startGatewayProcess({ env: { PAPER_BALANCE: '1000000000' } });
      await made.stop();
      folders.set(count, made.dataDir);
      const fromMs = performance.now();
      prefillJournal(made.dataDir, count);
      console.log(`${count} trades made in ${((performance.now() - fromMs) / 1000).toFixed(0)} s`);
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const [count, dataDir] of folders) {
        const cost = await costOf('direct', HERE, dataDir);
        costs.set(count, [...(costs.get(count) ?? []), cost.get(ALL) ?? 0]);
      }
  } finally {
    for (const dataDir of folders.values()) rmSync(dataDir, { recursive: true, force: true });
  }
  const least = median(costs.get(ROWS[0] as number) ?? []);
  for (const [count, all] of costs)
    console.log(
      `direct, ${count} rows: ${median(all).toFixed(0)} µs a signal, ${(median(all) / least).toFixed(2)} of ${ROWS[0]} rows`,
    );
}

if (named.includes('rows')) await compareRows();
for (const mode of ['async', 'direct'] as const) {
  if (named.length > 0 && !named.includes(mode)) continue;
  const costs: Cost[][] = checkouts.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, checkout] of checkouts.entries()) costs[index]?.push(await costOf(mode, checkout));
  show(mode, costs);
}
