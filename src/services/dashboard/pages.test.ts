// The dashboard's files where somebody builds it anew while it is served.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DASHBOARD_LIST, openBuiltDashboard } from '../../builds/built-dashboard.ts';
import { createInternalGate } from '../../http/internal-auth.ts';
import { createFixture } from '../../http/testing/app-fixture.ts';
import { mountPages } from './pages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what was asked for before stays; what was not is told to be gone, with the remedy', async () => {
  const listed = { type: 'text/javascript', digest: 'd', encodings: [] };
  const names = ['seen.js', 'unseen.js'];
  const list = names.map((name) => ({ ...listed, path: `/${name}` }));
  writeFileSync(join(folder, DASHBOARD_LIST), JSON.stringify(list));
  for (const name of names) writeFileSync(join(folder, name), name);
  const files = openBuiltDashboard(pathToFileURL(`${folder}/`));
  const { app } = createFixture();
  mountPages(
    app,
    { files: new Map([...(files ?? [])].map(([path, file]) => [`/app${path}`, file])) },
    createInternalGate({}),
  );
  const ask = (path: string) => app.request(path, {}, { peer: '127.0.0.1' });
  expect((await ask('/app/seen.js')).status).toBe(200);
  for (const name of names) rmSync(join(folder, name));
  expect(await (await ask('/app/seen.js')).text()).toBe('seen.js');
  const gone = await ask('/app/unseen.js');
  expect([gone.status, ((await gone.json()) as { error: string }).error]).toEqual([
    404,
    expect.stringContaining('Start Signalbox again'),
  ]);
});
