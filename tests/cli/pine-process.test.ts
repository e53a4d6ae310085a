// run, check and format among other processes: standard input, readers who leave, full disks, and Ctrl-C.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url));
const MANY_BARS = 100_000;
const UGLY = '//@version=6\nindicator( "x" )\nplot(close   ,"Close")\n';
const NEAT = '//@version=6\nindicator("x")\nplot(close, "Close")\n';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-pine-'));
  const row = (_: unknown, i: number) => `${1_700_000_000 + i * 60},1,3,0,${(i % 7) / 3}`;
  const bars = (count: number) => `time,open,high,low,close\n${Array.from({ length: count }, row).join('\n')}\n`;
  writeFileSync(at('bars.csv'), bars(3));
  writeFileSync(at('bars.csv.gz'), gzipSync(bars(3)));
  writeFileSync(at('many.csv'), bars(MANY_BARS));
  writeFileSync(at('close.pine'), NEAT);
  writeFileSync(at('ugly.pine'), UGLY);
  writeFileSync(
    at('endless.pine'),
    '//@version=6\nindicator("x")\ns = 0.0\nfor i = 0 to 400000\n    s += math.sin(i + close)\nplot(s)\n',
  );
});

interface Pipes {
  readonly stdin?: string;
  readonly stdout?: 'pipe' | number;
}

/** As a shell starts it. */
function start(words: readonly string[], { stdin, stdout = 'pipe' }: Pipes = {}): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', LAUNCHER, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', stdout, 'pipe'],
  });
  child.stdin?.end(stdin);
  return child;
}

async function signalbox(words: readonly string[], pipes: Pipes = {}) {
  const child = start(words, pipes);
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

describe('- is standard input', () => {
  const bars = () => readFileSync(at('bars.csv'), 'utf8');
  const SERIES = 'time,Close\n1700000000000,0\n1700000060000,0.3333333333333333\n1700000120000,0.6666666666666666\n';

  it('for the bars of a run, or for its script', async () => {
    const ran = await signalbox(['run', 'close.pine', '--bars', '-', '--csv'], { stdin: bars() });
    expect(ran).toEqual({ code: 0, stdout: SERIES, stderr: '' });
    const other = await signalbox(['run', '-', '--bars', 'bars.csv', '--csv'], { stdin: NEAT });
    expect(other).toEqual({ code: 0, stdout: SERIES, stderr: '' });
  });

  it('and cannot be both', async () => {
    expect(await signalbox(['run', '-', '--bars', '-'], { stdin: NEAT })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('- is given twice; standard input can be read once.'),
    });
  });

  it('and is called so where it is at fault', async () => {
    const wrong = await signalbox(['run', 'close.pine', '--bars', '-'], { stdin: `${bars()}1,2\n` });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stdin:5: the row has 2 fields/) });
    const empty = await signalbox(['run', 'close.pine', '--bars', '-']);
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stdin:1: the file is empty/) });
    const script = await signalbox(['check', '-'], { stdin: `${NEAT}plot(clos)\n` });
    expect(script).toMatchObject({ code: 1, stdout: 'stdin: failed, 1 error\n' });
    expect(script.stderr).toMatch(/^stdin:4:6: error PE\d+/);
  });

  it('for format, which prints it, or only says whether it would change', async () => {
    expect(await signalbox(['format', '-'], { stdin: UGLY })).toEqual({ code: 0, stdout: NEAT, stderr: '' });
    expect(await signalbox(['format', '-', '--check'], { stdin: UGLY })).toMatchObject({
      code: 1,
      stdout: 'stdin: would change\n',
    });
    expect(await signalbox(['format', '-', '--check'], { stdin: NEAT })).toMatchObject({ code: 0, stdout: '' });
  });
});

it('a compressed file is refused by its name', async () => {
  expect(await signalbox(['run', 'close.pine', '--bars', 'bars.csv.gz'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'bars.csv.gz:1: the file is compressed (gzip); unpack it first, with gunzip for example\n',
  });
});

it.each(['--csv', '--json'])('all of a long %s arrives, however slowly it is read', async (mode) => {
  const child = start(['run', 'close.pine', '--bars', 'many.csv', mode]);
  await once(child.stdout!, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const [printed, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  expect(code).toBe(0);
  const series = mode === '--csv' ? printed.trimEnd().split('\n').slice(1) : JSON.parse(printed).series.Close;
  expect(series).toHaveLength(MANY_BARS);
  const last = ((MANY_BARS - 1) % 7) / 3;
  expect(series.at(-1)).toEqual(mode === '--csv' ? `${(1_700_000_000 + (MANY_BARS - 1) * 60) * 1000},${last}` : last);
});

it.each(['--csv', '--json'])('a reader who has seen enough of %s ends it in peace', async (mode) => {
  const child = start(['run', 'close.pine', '--bars', 'many.csv', mode]);
  const printed = text(child.stderr!);
  await once(child.stdout!, 'readable');
  child.stdout?.destroy();
  const [code] = await once(child, 'exit');
  expect([code, await printed]).toEqual([0, '']);
});

it.runIf(existsSync('/dev/full')).each(['--csv', '--json', '--chart'])(
  'a full disk is told once, and the exit code is 1: %s',
  async (mode) => {
    const stdout = openSync('/dev/full', 'w');
    expect(await signalbox(['run', 'close.pine', '--bars', 'many.csv', mode], { stdout })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The output cannot be written: ENOSPC.*\n$/),
    });
  },
);

it('Ctrl-C ends a run at once, with nothing printed', async () => {
  const child = start(['run', 'endless.pine', '--bars', 'many.csv', '--csv']);
  const printed = Promise.all([text(child.stdout!), text(child.stderr!)]);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  child.kill('SIGINT');
  const [code, signal] = await once(child, 'exit');
  // A shell makes 130 of it.
  expect([code, signal]).toEqual([null, 'SIGINT']);
  expect(await printed).toEqual(['', '']);
});
