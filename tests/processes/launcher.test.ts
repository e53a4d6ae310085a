// The launcher on a Node that cannot run the product: what it starts in the Node of the packages ends with it, however it ends.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshDataDir, ownKeyFile } from '../support/process.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url));
const BUNDLED = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
const END_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** This Node, which takes itself for an older one until it has started the other. */
const POSING =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})";
const isOld = (program: string): boolean =>
  existsSync(program) && Number.parseInt(execFileSync(program, ['-v'], { encoding: 'utf8' }).slice(1), 10) < 24;
const NODES = [
  { name: 'that poses as an older one', program: process.execPath, args: ['--import', POSING] },
  ...['/usr/bin/node', '/usr/local/bin/node'].filter(isOld).map((program) => ({ name: program, program, args: [] })),
];

/** The listening process, which says who it is in its data folder. */
const serverIn = (dataDir: string): number => JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8')).pid;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ended(pid: number): Promise<boolean> {
  const deadlineMs = Date.now() + END_TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < deadlineMs) await sleep(LOOK_EVERY_MS);
  return !isAlive(pid);
}

// Without the Node of the packages there is nothing to launch: the launcher says so, and ends.
describe.runIf(existsSync(BUNDLED)).each(NODES)('a Node $name', ({ program, args }) => {
  const launch = (dataDir: string, words: readonly string[]) =>
    spawn(program, [...args, PROGRAM, ...words], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: '0',
        DATA_DIR: dataDir,
        ...ownKeyFile({ DATA_DIR: dataDir }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    '%s of the launcher ends the gateway, gracefully',
    { timeout: 240_000 },
    async (signal) => {
      const dataDir = freshDataDir();
      const launcher = launch(dataDir, ['start']);
      let output = '';
      launcher.stdout.on('data', (chunk) => (output += chunk));
      const deadlineMs = Date.now() + 180_000;
      while (!output.includes('Try it:') && Date.now() < deadlineMs) await sleep(LOOK_EVERY_MS);
      expect(output).toContain('Try it:');
      const server = serverIn(dataDir);
      try {
        expect(server).not.toBe(launcher.pid);
        launcher.kill(signal);
        expect(await ended(server)).toBe(true);
        // A clean stop takes its note along.
        expect(existsSync(join(dataDir, 'instance.json'))).toBe(false);
      } finally {
        if (isAlive(server)) process.kill(server, 'SIGKILL');
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  );

  test('a command that is done ends by itself, with its own exit code', { timeout: 60_000 }, async () => {
    const dataDir = freshDataDir();
    expect((await once(launch(dataDir, ['help']), 'exit'))[0]).toBe(0);
    expect((await once(launch(dataDir, ['nonsense']), 'exit'))[0]).toBe(2);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
