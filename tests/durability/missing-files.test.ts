// A folder that was in use and misses a file refuses to start, says how to go on, and goes on that way.

import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDataDir, runSignalbox, startProcess } from '../support/process.ts';

it('a database that is gone or empty is refused at the start, and not made anew', async () => {
  const dataDir = freshDataDir();
  await (await startProcess({ dataDir })).stop();
  for (const name of ['settings.db', 'signalbox.db', 'protection.db', 'script_keys.db', 'deployments.db']) {
    const path = join(dataDir, name);
    const bytes = readFileSync(path);
    for (const damage of [() => truncateSync(path), () => rmSync(path)]) {
      damage();
      const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
      expect([name, code]).toEqual([name, 1]);
      expect(stderr).toContain(`${path}: missing or empty`);
      expect(stderr).toMatch(/Restore it from a backup; or, .* take its name out of .*databases\.json/);
      expect(existsSync(path) && readFileSync(path).length > 0).toBe(false);
    }
    writeFileSync(path, bytes);
  }
  const { stdout } = await runSignalbox(['doctor'], { DATA_DIR: dataDir });
  expect(stdout).not.toContain('missing or empty');
  // The way on that the message names.
  rmSync(join(dataDir, 'deployments.db'));
  const list = join(dataDir, 'databases.json');
  const names = JSON.parse(readFileSync(list, 'utf8')) as string[];
  writeFileSync(list, JSON.stringify(names.filter((name) => name !== 'deployments.db')));
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
  expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual(names);
});

it('two processes never write one folder, not even when instance.lock is removed', async () => {
  const running = await startProcess();
  rmSync(join(running.dataDir, 'instance.lock'));
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: running.dataDir });
  expect(code).toBe(1);
  expect(stderr).toContain(`process ${running.child.pid} at ${running.url}`);
  expect(stderr).toContain('although its instance.lock was removed');
  expect(await running.stop()).toBe(0);
  expect(await (await startProcess({ dataDir: running.dataDir })).stop()).toBe(0);
});
