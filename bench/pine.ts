// The Pine engine beside a peer and beside loops written by hand, each in a fresh process: `npm run bench pine -- [--quick]`.
//
// Load is the time until an engine can be called, cold its first compile and run in a process, warm the fastest of later
// runs. Ours is the engine as an installation has it, built ahead. The peer is PineTS (npm `pinets`, AGPL), installed into
// an ignored folder for this comparison only and never a dependency.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measured } from './support/pine-child.ts';

const quick = process.argv.includes('--quick');
const SCRIPTS = ['a', 'b', 'c'];
const BARS = quick ? [10_000] : [10_000, 100_000, 500_000];
/** The machine is noisy: engines take turns, and the middle of the turns counts. */
const TURNS = quick ? 1 : 3;
const PEER = 'pinets@0.9.34';
const CHILD_LIMIT_MS = 120_000;

/** As the product itself runs: what was read once is kept. */
const ENVIRONMENT = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('./.cache/compiled', import.meta.url)),
};

let missed = 0;

function judge(what: string, value: number, target: number, isReached: boolean, unit = ''): void {
  if (!isReached) missed += 1;
  const comparison = isReached ? 'ok  ' : 'MISS';
  console.log(`${comparison} ${what}: ${value.toPrecision(3)}${unit}, target ${target}${unit}`);
}

const atLeast = (what: string, value: number, target: number, unit = '') =>
  judge(what, value, target, value >= target, unit);
const atMost = (what: string, value: number, target: number, unit = '') =>
  judge(what, value, target, value <= target, unit);

function installPeer(): boolean {
  const folder = fileURLToPath(new URL('./.cache/pinets/', import.meta.url));
  if (existsSync(`${folder}/node_modules/pinets`)) return true;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n');
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--save-exact', PEER], { cwd: folder, stdio: 'ignore' });
    return true;
  } catch {
    console.log(`${PEER} could not be installed; it is left out, and its targets count as missed.`);
    return false;
  }
}

function child(...words: readonly string[]): Measured {
  const file = fileURLToPath(new URL('./support/pine-child.ts', import.meta.url));
  const text = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...words], {
    encoding: 'utf8',
    env: ENVIRONMENT,
    timeout: CHILD_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text.trim().split('\n').at(-1)!) as Measured;
}

const middle = (values: readonly number[]): number => values.toSorted((x, y) => x - y)[values.length >> 1]!;

interface Figures {
  readonly loadMs: number;
  readonly coldMs: number;
  readonly warmMs: number;
  readonly peakMb: number;
  readonly last: Measured['last'];
}

const summed = (turns: readonly Measured[]): Figures => ({
  loadMs: middle(turns.map(({ loadMs }) => loadMs)),
  coldMs: middle(turns.map(({ coldMs }) => coldMs)),
  warmMs: middle(turns.map(({ warmMs }) => warmMs)),
  peakMb: Math.max(...turns.map(({ peakMb }) => peakMb)),
  last: turns[0]!.last,
});

const perSecond = (bars: number, ms: number): string => `${(bars / ms / 1000).toFixed(2)} M bars/s`.padStart(16);

function compare(script: string, bars: number, hasPeer: boolean): void {
  const engines = ['signalbox', 'by hand', ...(hasPeer ? ['pinets'] : [])];
  const turns = new Map(engines.map((engine) => [engine, [] as Measured[]]));
  for (let turn = 0; turn < TURNS; turn++)
    // The peer takes minutes at full length; one look at it is enough there.
    for (const engine of engines)
      if (engine !== 'pinets' || turn === 0 || bars <= 10_000)
        turns.get(engine)!.push(child(engine, script, String(bars)));
  const figures = new Map([...turns].map(([engine, measured]) => [engine, summed(measured)]));
  console.log(`\nscript ${script}, ${bars} bars${' '.repeat(12)}cold${' '.repeat(13)}warm        memory    load`);
  for (const [engine, { loadMs, coldMs, warmMs, peakMb }] of figures)
    console.log(
      `  ${engine.padEnd(12)}${perSecond(bars, coldMs)}${perSecond(bars, warmMs)}${`${peakMb.toFixed(0)} MB`.padStart(10)}${`${loadMs.toFixed(0)} ms`.padStart(9)}`,
    );
  const ours = figures.get('signalbox')!;
  agree(ours, figures.get('by hand')!);
  const share = figures.get('by hand')!.warmMs / ours.warmMs;
  // On few bars the start of a run weighs more than the loop.
  if (bars === 500_000) atLeast('warm, share of the loop by hand', share, 0.3);
  else console.log(`     warm, share of the loop by hand: ${share.toPrecision(3)}`);
  const peer = figures.get('pinets');
  const timesCold = peer ? peer.coldMs / ours.coldMs : 0;
  const timesWarm = peer ? peer.warmMs / ours.warmMs : 0;
  const wanted = bars === 10_000 ? 30 : bars === 500_000 ? 70 : null;
  // A peer that could not be installed counts as missed; a short run does not ask for it.
  if (wanted !== null && !quick) {
    atLeast('cold, times the peer', timesCold, wanted);
    atLeast('warm, times the peer', timesWarm, wanted);
  }
  if (bars !== 500_000) return;
  atLeast('cold', bars / ours.coldMs / 1000, 3, ' M bars/s');
  atMost('memory', ours.peakMb, 200, ' MB');
}

/** What three requested timeframes cost: script e beside the same lines on the chart's own bars. */
function compareRequests(bars: number): void {
  const turns = { e: [] as Measured[], 'e-plain': [] as Measured[] };
  for (let turn = 0; turn < TURNS; turn++)
    for (const script of ['e-plain', 'e'] as const) turns[script].push(child('signalbox', script, String(bars)));
  const [plain, requests] = [summed(turns['e-plain']), summed(turns.e)];
  console.log(`\nscript e, ${bars} bars`);
  for (const [name, { coldMs, warmMs, peakMb }] of [
    ['plain', plain],
    ['requests', requests],
  ] as const)
    console.log(
      `  ${name.padEnd(12)}${perSecond(bars, coldMs)}${perSecond(bars, warmMs)}${`${peakMb.toFixed(0)} MB`.padStart(10)}`,
    );
  atMost('cold, times the plain script', requests.coldMs / plain.coldMs, 2);
  atMost('warm, times the plain script', requests.warmMs / plain.warmMs, 2);
  if (bars === 500_000) atMost('memory', requests.peakMb, 200, ' MB');
}

/** A strategy whose orders are filled along every bar of a long chart: script d, with stops and limits. */
function measureStrategy(bars: number): void {
  const { coldMs, warmMs, peakMb } = summed(Array.from({ length: TURNS }, () => child('signalbox', 'd', String(bars))));
  const memory = `${peakMb.toFixed(0)} MB`.padStart(10);
  console.log(
    `\nscript d, ${bars} bars\n  ${'signalbox'.padEnd(12)}${perSecond(bars, coldMs)}${perSecond(bars, warmMs)}${memory}`,
  );
  if (bars !== 500_000) return;
  atLeast('cold', bars / coldMs / 1000, 3, ' M bars/s');
  atMost('memory', peakMb, 200, ' MB');
}

/** Nobody is fast with wrong numbers. */
function agree(ours: Figures, byHand: Figures): void {
  for (const [title, value] of Object.entries(byHand.last)) {
    const mine = ours.last[title];
    if (
      typeof value !== 'number' ||
      typeof mine !== 'number' ||
      Math.abs(value - mine) > 1e-6 * Math.max(1, Math.abs(value))
    )
      throw new Error(`${title} is ${mine}, by hand ${value}`);
  }
}

// A short run takes what is built, and installs nothing.
if (!quick)
  execFileSync(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL('../bin/build.mjs', import.meta.url)),
  ]);
const hasPeer = !quick && installPeer();
for (const script of SCRIPTS) for (const bars of BARS) compare(script, bars, hasPeer);
compareRequests(BARS.at(-1)!);
for (const bars of BARS) measureStrategy(bars);

console.log('');
const { firstCompileMs, compileMs, longLines, updateUs, growthMb } = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--expose-gc',
      fileURLToPath(new URL('./support/pine-live-child.ts', import.meta.url)),
      quick ? '20000' : '1000000',
    ],
    { encoding: 'utf8', env: ENVIRONMENT },
  ),
) as { firstCompileMs: number; compileMs: number; longLines: [number, number]; updateUs: number; growthMb: number };
atMost('compile of 300 lines', compileMs, 20, ' ms');
console.log(`     the very first one of a process: ${firstCompileMs.toPrecision(3)} ms`);
console.log(
  `     a line of 300 on a bar: ${longLines[0].toPrecision(3)} ns; of 2,400: ${longLines[1].toPrecision(3)} ns`,
);
atMost('a line of 2,400, times one of 300', longLines[1] / longLines[0], 3);
atMost('update(bar) of script b', updateUs, 20, ' us');
atMost('memory that a million updates add', growthMb, 5, ' MB');
process.exitCode = missed === 0 ? 0 : 1;
