// What a user does with the packed file, done once before it is given away: `npm i -g` into an empty place, a start from another
// folder with nothing in its environment but PATH and HOME, one trade, an end, and `npm uninstall -g`.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Ports and files of this machine's own instances stay theirs. */
const SETTINGS = 'PORT=0\nAPI_KEY_STORE=api_keys.json\nLOG_LEVEL=error\n';
const START_MS = 180_000;
const LOOK_EVERY_MS = 50;
/** npm itself keeps its environment: registry, proxy and certificates are set there on many machines. */
const NPM_FLAGS = ['--loglevel=error', '--no-audit', '--no-fund'];

export interface TriedInstall {
  /** Of the Node that the command was started with: the machine's own. */
  readonly node: string;
  readonly seconds: number;
}

/** Throws in words where anything of it fails. */
export async function tryInstall(packedFile: string): Promise<TriedInstall> {
  const startedMs = performance.now();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'signalbox-install-'));
  try {
    const prefix = join(folder, 'prefix');
    mkdirSync(prefix);
    npm(['i', '-g', '--prefix', prefix, packedFile]);
    const program = join(prefix, 'bin', 'signalbox');
    await tryProgram(program, folder);
    npm(['uninstall', '-g', '--prefix', prefix, 'signalbox']);
    const left = [program, join(prefix, 'lib/node_modules/signalbox')].filter((path) => existsSync(path));
    if (left.length > 0) throw new Error(`"npm uninstall -g" left behind: ${left.join(', ')}`);
    const node = execFileSync('node', ['--version'], { env: bareEnvironment(folder), encoding: 'utf8' }).trim();
    return { node, seconds: Math.round((performance.now() - startedMs) / 1000) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts it in a folder of its own below this one, trades on paper, looks at the trade, and ends it. */
export async function tryProgram(program: string, below: string): Promise<void> {
  const cwd = mkdtempSync(join(below, 'start-'));
  writeFileSync(join(cwd, '.env'), SETTINGS);
  const child = spawn(program, ['start'], { cwd, env: bareEnvironment(cwd), stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  // A command that is not there says so by an event, and by no exit.
  gone.catch(() => undefined);
  try {
    const { url, apiKey } = await greeting(child);
    const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const traded = await ask(`${url}/webhook`, signal);
    if (!traded.includes('"Filled"')) throw new Error(`the installed program did not trade: ${traded}`);
    const counted = await ask(`${url}/query`, { query: 'SELECT count(*) AS n FROM trades' });
    if (!counted.includes('"n":1')) throw new Error(`the installed program does not know its trade: ${counted}`);
    child.kill('SIGTERM');
    const [code] = (await gone) as [number | null];
    if (code !== 0) throw new Error(`the installed program ended with ${code}`);
    if (!existsSync(join(cwd, 'data/signalbox.db')))
      throw new Error('the installed program did not keep its data in the folder "data" of where it was started');
  } finally {
    // The launcher of an older Node takes the program with it.
    child.kill('SIGKILL');
  }
}

/** PATH and HOME alone. npm puts the Node of our own packages first, which a user's shell does not have. */
export function bareEnvironment(home: string): Record<string, string> {
  const { PATH = '' } = process.env;
  const own = PATH.split(delimiter).filter((path) => !/node_modules|node-gyp-bin/.test(path));
  return { PATH: own.join(delimiter), HOME: home };
}

const npm = (args: readonly string[]): void =>
  void execFileSync('npm', [...args, ...NPM_FLAGS], { stdio: ['ignore', 'pipe', 'inherit'] });

async function greeting(child: ChildProcess): Promise<{ readonly url: string; readonly apiKey: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  let fault: Error | undefined;
  child.on('error', (error) => {
    fault = error;
  });
  for (const endMs = performance.now() + START_MS; performance.now() < endMs; ) {
    const url = /is listening on (http:\/\/\S+)/.exec(text)?.[1];
    const apiKey = /whk_[A-Za-z0-9_-]{43}/.exec(text)?.[0];
    if (url !== undefined && apiKey !== undefined && text.includes('Try it:')) return { url, apiKey };
    if (fault !== undefined || child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`the installed program did not start: ${fault?.message ?? text}`);
}

async function ask(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
}
