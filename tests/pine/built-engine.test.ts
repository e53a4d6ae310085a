// The engine as it is built ahead: the same answers as from its sources, and never used when it is not of these sources.

import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEngine } from '../../build/engine.ts';
import {
  BUILD_FOLDER,
  type BuildList,
  type Engine,
  engineScript,
  openBuiltEngine,
  readBuilt,
} from '../../src/adapters/scripts/built-engine.ts';
import { createJobRunner } from '../../src/adapters/scripts/run-job.ts';
import type { Stamp } from '../../src/builds/source-stamps.ts';
import { barColumns } from '../../src/pine/index.ts';

const FILES = ['engine.js', 'engine.code', 'engine.json'];
const SCRIPTS = ['ema-cross', 'momentum', 'levels', 'distribution'];
const BARS = barColumns(
  Array.from({ length: 200 }, (_, i) => {
    const close = 100 + 9 * Math.sin(i / 5);
    return { time: i * 60_000, open: close - 1, high: close + 2, low: close - 2, close, volume: 5 + (i % 3) };
  }),
);

let built: string;
let folder: string;
const inFolder = (name: string): string => join(folder, name);
const open = (): Engine | undefined => openBuiltEngine(pathToFileURL(`${folder}/`));

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'signalbox-built-'));
  await buildEngine(pathToFileURL(`${built}/`));
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  for (const file of FILES) copyFileSync(join(built, file), inFolder(file));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** The words of an answer; a built engine has classes of its own, what counts is what it says. */
function evaluate(engine: Pick<Engine, 'createJobRunner'>, source: string): string {
  const answer = engine.createJobRunner('service');
  const outcome = answer({ kind: 'evaluate', source, bars: BARS, runId: 'run' });
  const json = outcome.kind === 'answer' ? Buffer.from(outcome.json).toString() : '';
  return JSON.stringify({ ...outcome, json });
}

const example = (name: string): string =>
  readFileSync(new URL(`../../examples/pine/${name}.pine`, import.meta.url), 'utf8');

describe('a built engine', () => {
  it.each(SCRIPTS)('answers about %s as its sources do', (name) => {
    const answer = evaluate(open()!, example(name));
    expect(answer).toContain('"kind":"answer"');
    expect(answer).toBe(evaluate({ createJobRunner }, example(name)));
  });

  it.each(['golden', 'scripts', 'truth'])('answers about every script of tests/pine/%s as its sources do', (corpus) => {
    const [engine, files] = [open()!, globSync(`${import.meta.dirname}/${corpus}/**/*.pine`)];
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const source = readFileSync(file, 'utf8');
      expect(evaluate(engine, source), file).toBe(evaluate({ createJobRunner }, source));
    }
  });

  it('has the faults and remedies of its sources, letters beyond ASCII included', () => {
    for (const source of [
      'indicator("é")\nplot(clsoe)',
      '//@version=6\nindicator("▼")\nplotchar(true, "→", "▼")',
      'x = = 1',
    ])
      expect(evaluate(open()!, source)).toBe(evaluate({ createJobRunner }, source));
  });

  it('brings the code of its functions, and V8 takes it', () => {
    const source = readFileSync(inFolder('engine.js'), 'latin1');
    const script = engineScript(source, pathToFileURL(`${folder}/`), readFileSync(inFolder('engine.code')));
    expect(script.cachedDataRejected).toBe(false);
  });

  it('has code for the processor that built it alone: on another one it is made anew', () => {
    const list: BuildList = JSON.parse(readFileSync(inFolder('engine.json'), 'utf8'));
    const url = pathToFileURL(`${folder}/`);
    expect(readBuilt(url)?.code).toBeDefined();
    writeFileSync(inFolder('engine.json'), JSON.stringify({ ...list, processor: 'another' } satisfies BuildList));
    expect(readBuilt(url)?.code).toBeUndefined();
    expect(evaluate(open()!, example('ema-cross'))).toContain('"kind":"answer"');
  });

  it('is what the threads of this project use after an install', () => {
    expect(openBuiltEngine(BUILD_FOLDER), 'npm run build was not run since the sources changed').toBeDefined();
  });
});

describe('a built engine is not used', () => {
  it.each(FILES.filter((file) => file !== 'engine.code'))('without %s', (file) => {
    rmSync(inFolder(file));
    expect(open()).toBeUndefined();
  });

  it('when a bit of it is turned', () => {
    turnBit(inFolder('engine.js'));
    expect(open()).toBeUndefined();
  });

  it('when it is cut short', () => {
    truncateSync(inFolder('engine.js'), 1000);
    expect(open()).toBeUndefined();
  });

  it.each(['', '{', '{}', 'null', '{"engineSum":1,"codeSum":1,"sources":"x"}'])('when its list is %j', (text) => {
    writeFileSync(inFolder('engine.json'), text);
    expect(open()).toBeUndefined();
  });

  /** The list with its first source as it never was. */
  const withFirst = ({ sources, ...list }: BuildList, change: (stamp: Stamp) => Stamp): BuildList => ({
    ...list,
    sources: sources.map((stamp, i) => (i === 0 ? change(stamp) : stamp)),
  });
  const changes: readonly [string, (list: BuildList) => BuildList][] = [
    ['is longer now', (list) => withFirst(list, ([path, bytes, second]) => [path, bytes - 1, second])],
    ['was written since', (list) => withFirst(list, ([path, bytes, second]) => [path, bytes, second - 1])],
    ['is gone', (list) => withFirst(list, ([, bytes, second]) => ['src/gone.ts', bytes, second])],
  ];
  it.each(changes)('when a source %s', (_, change) => {
    const list: BuildList = JSON.parse(readFileSync(inFolder('engine.json'), 'utf8'));
    writeFileSync(inFolder('engine.json'), JSON.stringify(change(list)));
    expect(open()).toBeUndefined();
  });
});

describe('a built engine works without its code', () => {
  it.each<[string, () => void]>([
    ['missing', () => rmSync(inFolder('engine.code'))],
    ['empty', () => writeFileSync(inFolder('engine.code'), '')],
    ['cut short', () => truncateSync(inFolder('engine.code'), 5000)],
    ['with a bit turned', () => turnBit(inFolder('engine.code'))],
    ['of something else', () => copyFileSync(fileURLToPath(import.meta.url), inFolder('engine.code'))],
  ])('%s', (_, harm) => {
    harm();
    expect(evaluate(open()!, example('ema-cross'))).toContain('"kind":"answer"');
  });
});

function turnBit(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = bytes[middle]! ^ 1;
  writeFileSync(file, bytes);
}
