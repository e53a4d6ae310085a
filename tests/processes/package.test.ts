// The packed file (`npm pack`): what is in it, and that it works where npm unpacks it, in a folder of packages and without sources.

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment, tryProgram } from '../../build/try-install.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startProcess } from '../support/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = join(ROOT, 'node_modules');
const BARS = join(ROOT, 'examples/pine/bars.csv');
const STRATEGY = join(ROOT, 'examples/pine/ema-cross-strategy.pine');
/** This Node, which takes itself for an older one until it has started the other. */
const POSING =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})";

let folder: string;
let installed: string;
let files: readonly string[];

/** Unpacked as `npm i -g` does it: below the folder lib/node_modules, with its packages beside its own files. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-package-'));
  const options = { cwd: ROOT, encoding: 'utf8', shell: false } as const;
  // Built already: the suite begins with it.
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], options);
  const [list] = JSON.parse(packed) as [{ readonly filename: string; readonly files: readonly { path: string }[] }];
  files = list.files.map(({ path }) => path);
  execFileSync('tar', ['-xzf', join(folder, list.filename), '-C', folder]);
  installed = join(folder, 'lib/node_modules/signalbox');
  mkdirSync(dirname(installed), { recursive: true });
  renameSync(join(folder, 'package'), installed);
  symlinkSync(PACKAGES, join(installed, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (): string => join(installed, 'bin/signalbox.mjs');

async function run(args: readonly string[], { nodeArgs = [] as string[], env = {} } = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArgs, program(), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '1', ...env },
  });
  return stdout;
}

describe('the packed file', () => {
  it('holds what was built, what that reads, the documentation and nothing else', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...['bin/signalbox.mjs', 'package.json', 'LICENSE', 'README.md', 'CHANGELOG.md'],
        ...['dist/product/main.js', 'dist/product/script-process.js', 'dist/product/writer-thread.js'],
        ...['dist/engine/engine.js', 'dist/dashboard/index.html', 'dist/dashboard/list.json'],
        ...['src/http/docs-page/page.js', 'docs/guides/operations.md', 'examples/pine/bars.csv'],
      ]),
    );
    const expected =
      /^(?:bin\/signalbox\.mjs|dist\/|docs\/|examples\/|packaging\/|src\/.*\.(?:sql|js|css)$|[A-Za-z-]+\.(?:md|json)$|LICENSE$)/;
    expect(files.filter((path) => !expected.test(path))).toEqual([]);
  });

  it('holds no source, no test, no secret and no picture but the icons of the dashboard', () => {
    const surprising = files.filter((path) => /\.tsx?$|^tests\/|^bench\/|\.env$|\.db$|\.png$/.test(path));
    expect(surprising.filter((path) => !/^dist\/dashboard\/[a-z0-9-]*icon[a-z0-9-]*\.png$/.test(path))).toEqual([
      'examples/demo.env',
    ]);
  });
});

describe('where it is installed', () => {
  it('it starts from any folder, serves the dashboard and trades, and keeps its data where it is told', async () => {
    const running = await startProcess({ program: program(), cwd: folder, env: { LOG_LEVEL: 'error' } });
    closeAtEnd(() => running.kill());
    const { url, apiKey, dataDir } = running;
    expect(await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text()).toContain('<title>Signalbox');
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    const body = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const post = async (path: string, content: unknown) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(content) })).json();
    };
    expect(await post('/webhook', body)).toMatchObject({ tradeResult: { status: 'Filled' } });
    // A process of its own answers this, a thread of another one that: each is started from a file that was built.
    expect(await post('/query', { query: 'SELECT count(*) AS n FROM trades' })).toMatchObject({ results: [{ n: 1 }] });
    const script = '//@version=6\nindicator("x")\nplot(close)';
    const data = [{ time: 1_700_000_000_000, open: 1, high: 2, low: 1, close: 2, volume: 1 }];
    expect(await post('/run', { script, data })).toMatchObject({ status: 'success' });
    expect(await run(['doctor'], { env: { DATA_DIR: dataDir, PORT: new URL(url).port } })).toContain('is whole');
    expect(await running.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'signalbox.db'))).toBe(true);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('its data is in the folder "data" of where it was started, when nothing is said', async () => {
    const report = await run(['doctor'], { env: { API_KEY_STORE: join(folder, 'keys.json') } });
    expect(report).toContain('data folder: ./data');
  });

  it('it starts, trades and ends with nothing but PATH and HOME, as "npm run release" tries it after a real install', async () => {
    const names = Object.keys(bareEnvironment(folder));
    expect(names).toEqual(['PATH', 'HOME']);
    await tryProgram(program(), folder);
  });

  it('a program that does not start, or does not trade, is no release', async () => {
    const broken = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return path;
    };
    await expect(tryProgram(join(folder, 'not-there'), folder)).rejects.toThrow('did not start');
    await expect(tryProgram(broken('ends', 'echo out of order; exit 1'), folder)).rejects.toThrow('out of order');
  });

  it('it runs a backtest', async () => {
    const report = await run(['backtest', STRATEGY, '--bars', BARS]);
    expect(report).toMatch(/initial capital/);
  });

  it.each([
    ['own packages', 'signalbox/node_modules'],
    ['neighbours', '.'],
  ])('an older Node finds the one that came with it among its %s', async (_, place) => {
    const project = mkdtempSync(join(folder, 'project-'));
    const packages = join(project, 'node_modules');
    mkdirSync(packages);
    execFileSync('cp', ['-r', installed, join(packages, 'signalbox')]);
    rmSync(join(packages, 'signalbox/node_modules'));
    mkdirSync(join(packages, place), { recursive: true });
    symlinkSync(join(PACKAGES, '.bin'), join(packages, place, '.bin'));
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...['--import', POSING, join(packages, 'signalbox/bin/signalbox.mjs'), '--help'],
    ]);
    expect(stdout).toContain('Usage: signalbox');
  });
});
