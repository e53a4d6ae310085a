// Commands as the user of a service says them: in a working folder that he may not enter, and into a data folder whose parent is root's.

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { makeDataFolder } from '../../src/composition/make-data-folder.ts';
import { freshDataDir } from '../support/process.ts';
import { commandLineHere } from './command-line.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url));
const IS_ROOT = process.getuid?.() === 0;
/** For root no folder is shut. */
const NOBODY = 65_534;
const ids = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
// The folder of this test run may be root's alone.
const folder = mkdtempSync(join(IS_ROOT ? '/tmp' : tmpdir(), 'signalbox-service-'));
const own = (path: string): string => {
  if (IS_ROOT) chownSync(path, NOBODY, NOBODY);
  return path;
};
const ownFolder = (...names: string[]): string => {
  const path = join(folder, ...names);
  mkdirSync(path);
  return own(path);
};
const ownFile = (path: string, bytes: string | Uint8Array): string => {
  writeFileSync(path, bytes);
  return own(path);
};
own(folder);

/** A shell first: whoever starts a process in a folder that is shut already gets no process. */
function run(before: string, args: readonly string[], env: Record<string, string> = {}) {
  const script = `${before} && exec "$NODE" --disable-warning=ExperimentalWarning "$PROGRAM" "$@"`;
  const named = { NODE: process.execPath, PROGRAM, PATH: process.env.PATH ?? '' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', ...args], {
    ...{ cwd: folder, env: { ...named, ...env }, encoding: 'utf8', ...ids },
  });
  return { code: status, stdout, stderr };
}

const canRun = process.platform !== 'win32' && run('true', ['--version']).code === 0;

describe.runIf(canRun)('the user of a service', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is told to leave a folder that he may not enter, and not to remove a .env that is not there', () => {
    const shut = ownFolder('home');
    for (const command of ['positions', 'backup']) {
      const { code, stderr } = run(`cd ${shut} && chmod 000 .`, [command], { DATA_DIR: join(folder, 'data') });
      chmodSync(shut, 0o700);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/the working folder .*home cannot be entered.*cd \//s)]);
      expect(stderr).not.toMatch(/cannot start|remove it/);
    }
  });

  it('is told of a .env that he may not read, as before', () => {
    const shut = ownFolder('with-env');
    ownFile(join(shut, '.env'), '');
    const { code, stderr } = run(`cd ${shut} && chmod 000 .env`, ['positions']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\.env in .*with-env cannot be read.*read access.*or remove it/s),
    ]);
    expect(stderr).not.toContain('cannot start');
  });

  it('is told how to restore into a folder of his own in a parent that is not', async () => {
    const dataDir = join(freshDataDir(), 'data');
    await makeDataFolder({ dataDir, databaseUrl: undefined });
    const made = join(dataDir, 'made.tar.gz');
    await commandLineHere({ DATA_DIR: dataDir }).done('backup', '--to', made);
    const file = ownFile(join(folder, 'backup.tar.gz'), readFileSync(made));
    const parent = ownFolder('lib');
    const to = ownFolder('lib', 'signalbox');
    chmodSync(parent, 0o555);
    const { code, stderr } = run('true', ['restore', file, '--to', to]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be exchanged in one step.*restored/s)]);
    expect(stderr).toMatch(/as root.*chown/s);
    const within = run('true', ['restore', file, '--to', join(to, 'restored')]);
    expect([within.code, within.stdout]).toEqual([0, expect.stringContaining('The kill switch is on')]);
    chmodSync(parent, 0o755);
  });
});
