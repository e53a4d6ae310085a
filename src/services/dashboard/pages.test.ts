// The dashboard's files where somebody builds it anew while it is served.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

const PLACES: Readonly<Record<string, string>> = { '/': 'index.html' };

/** What a build leaves, in place of what was there: a page that loads one file, and one more for later. */
function build(name: string): void {
  rmSync(folder, { recursive: true });
  const files = {
    '/': `<script type="module" src="/app/first-${name}.js"></script>`,
    '/favicon.svg': `icon ${name}`,
    '/service-worker.js': `worker ${name}`,
    '/manifest.webmanifest': `manifest ${name}`,
    [`/app/first-${name}.js`]: `first ${name}`,
    [`/app/later-${name}.js`]: `later ${name}`,
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, PLACES[path] ?? path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    writeFileSync(`${file}.gz`, `${text} in gzip`);
  }
  const list = Object.keys(files).map((path) => ({ path, type: 'text/plain', digest: name, encodings: ['gzip'] }));
  writeFileSync(join(folder, DASHBOARD_LIST), JSON.stringify(list));
}

function serve() {
  const { app } = createFixture();
  mountPages(app, { files: openBuiltDashboard(pathToFileURL(`${folder}/`)) }, createInternalGate({}));
  const ask = (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers }, { peer: '127.0.0.1' });
  return {
    text: async (path: string, headers?: Record<string, string>) => (await ask(path, headers)).text(),
    async refusal(path: string) {
      const answer = await ask(path);
      return [answer.status, ((await answer.json()) as { error: string }).error];
    },
  };
}

const OF_ANOTHER_BUILD = [404, expect.stringMatching(/Load the page again.*start Signalbox again/)];

test('what was asked for before stays; what was not is told to be gone, with the remedy', async () => {
  build('old');
  const { text, refusal } = serve();
  expect(await text('/app/later-old.js')).toBe('later old');
  build('new');
  expect(await text('/app/later-old.js')).toBe('later old');
  expect(await refusal('/app/later-new.js')).toEqual(OF_ANOTHER_BUILD);
  const fresh = serve();
  build('newer');
  expect(await fresh.refusal('/app/later-new.js')).toEqual(OF_ANOTHER_BUILD);
});

test.each([
  ['plain', {}, ''],
  ['compressed', { 'accept-encoding': 'gzip' }, ' in gzip'],
])(
  'the page is that of the start with what it loads by itself, also where its first request comes after: %s',
  async (_, headers, ending) => {
    build('old');
    const { text } = serve();
    build('new');
    expect(await text('/', headers)).toBe(`<script type="module" src="/app/first-old.js"></script>${ending}`);
    expect(await text('/app/first-old.js', headers)).toBe(`first old${ending}`);
    expect(await text('/service-worker.js', headers)).toBe(`worker old${ending}`);
    expect(await text('/manifest.webmanifest', headers)).toBe(`manifest old${ending}`);
    expect(await text('/favicon.svg', headers)).toBe(`icon old${ending}`);
  },
);

test('a file of another build says so, whatever it is called; one that was never built is the remedy itself', async () => {
  expect(await serve().refusal('/app/first-old.js')).toEqual([404, expect.stringContaining('npm run build')]);
  build('new');
  expect(await serve().refusal('/app/first-old.js')).toEqual(OF_ANOTHER_BUILD);
});
