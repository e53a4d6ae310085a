// Processor time of one signal on PostgreSQL: one process, and two of which one stands by and hands on half of what comes in;
// beside one on files. `npm run bench two-processes -- [async] [direct] [--quick]`; Linux only.
//
// The time is that of the Signalboxes: PostgreSQL runs beside them on the same machine and is not counted, but it is in the
// signals a second.

import { once } from 'node:events';
import { closeAtEnd, fileEnds } from '../tests/support/close-at-end.ts';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { freshDataDir, spawnSignalbox } from '../tests/support/process.ts';
import { threadTimes } from './support/thread-times.ts';
import {
  isQuick,
  LOAD,
  measure,
  median,
  ROUNDS,
  settingsOf,
  startSignalbox,
  statusOf,
  type Target,
} from './support/webhook-target.ts';

type Mode = 'async' | 'direct';
type Form = 'files' | 'one' | 'two';

/** More would not be worth a second process. */
const MOST_BESIDE_ONE = 1.15;
/** Until about so many, V8 compiles. */
const WARM_UP_SIGNALS = isQuick ? 0 : 15_000;
const MEASURED_SIGNALS = isQuick ? 1 : 15_000;
const STANDS_BY_WITHIN_MS = 60_000;
const NAMES: Readonly<Record<Form, string>> = {
  files: 'one process, files',
  one: 'one process, PostgreSQL',
  two: 'two processes, PostgreSQL',
};

interface Measured {
  readonly usPerSignal: number;
  readonly signalsPerSecond: number;
}

const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const server = await startPostgres({ shared_buffers: '128MB', max_wal_size: '1GB' });
try {
  for (const mode of ['async', 'direct'] as const) {
    if (named.length > 0 && !named.includes(mode)) continue;
    const figures: Record<Form, Measured[]> = { files: [], one: [], two: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const form of ['files', 'one', 'two'] as const) figures[form].push(await measured(mode, form));
    show(mode, figures);
  }
} finally {
  await fileEnds();
}

async function measured(mode: Mode, form: Form): Promise<Measured> {
  // As the owner has it, or the second one does not stand by.
  const shared = {
    ...settingsOf(mode),
    INTERNAL_TOKEN: 't'.repeat(32),
    SERVICES: 'gateway',
    TRUSTED_PROXIES: '127.0.0.1',
    ...(form === 'files' ? {} : { DATABASE_URL: await server.newDatabase() }),
  };
  const owner = await startSignalbox({ mode, env: shared });
  const standby = form === 'two' ? await startStandby(owner, shared) : undefined;
  const targets = standby === undefined ? [owner] : [owner, standby];
  await send(targets, mode, WARM_UP_SIGNALS);
  const spentBefore = spentUs(targets);
  const { signals, perSecond } = await send(targets, mode, MEASURED_SIGNALS);
  const spent = spentUs(targets) - spentBefore;
  await standby?.end();
  await owner.end();
  return { usPerSignal: spent / signals, signalsPerSecond: perSecond };
}

async function startStandby(owner: Target, env: Readonly<Record<string, string>>): Promise<Target> {
  const child = spawnSignalbox(['start'], {
    ...env,
    DATA_DIR: freshDataDir(),
    LOG_LEVEL: 'error',
  });
  closeAtEnd(async () => void child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const untilMs = performance.now() + STANDS_BY_WITHIN_MS;
  let url: string | undefined;
  while (url === undefined) {
    url = /stands by at (http:\S+):/.exec(text)?.[1];
    if (child.exitCode !== null || performance.now() > untilMs) throw new Error(`it does not stand by:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    port: Number(new URL(url).port),
    apiKey: owner.apiKey,
    pid: child.pid,
    commits: async () => 0,
    async end() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The same number of connections in all, whatever the number of processes. */
async function send(targets: readonly Target[], mode: Mode, wanted: number) {
  const round = { status: statusOf({ mode }), connections: LOAD.connections / targets.length };
  const rates: number[] = [];
  let signals = 0;
  while (signals < wanted) {
    const reports = await Promise.all(targets.map((target) => measure(target, round)));
    signals += reports.reduce((sum, { answered }) => sum + answered, 0);
    rates.push(reports.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0));
  }
  return { signals, perSecond: rates.length === 0 ? 0 : median(rates) };
}

function spentUs(targets: readonly Target[]): number {
  const threads = targets.flatMap(({ pid }) => [...threadTimes(pid as number).values()]);
  return threads.reduce((sum, us) => sum + us, 0);
}

function show(mode: Mode, figures: Readonly<Record<Form, readonly Measured[]>>): void {
  console.log(`${mode}: processor time of one signal and signals a second, medians of ${ROUNDS}`);
  const middle = (form: Form, of: keyof Measured): number => median(figures[form].map((each) => each[of]));
  for (const form of ['files', 'one', 'two'] as const) {
    const time = `${middle(form, 'usPerSignal').toFixed(0)} µs`;
    console.log(
      `  ${NAMES[form].padEnd(28)} ${time.padStart(8)} ${middle(form, 'signalsPerSecond').toFixed(0).padStart(6)}/s`,
    );
  }
  const ratio = middle('two', 'usPerSignal') / middle('one', 'usPerSignal');
  const word = ratio <= MOST_BESIDE_ONE ? 'ok  ' : 'MISS';
  console.log(`${word} ${mode}: two processes beside one: ${ratio.toFixed(3)}, target ≤ ${MOST_BESIDE_ONE}\n`);
  if (ratio > MOST_BESIDE_ONE) process.exitCode = 1;
}
