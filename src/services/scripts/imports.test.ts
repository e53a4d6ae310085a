// Scripts that import their owner's published libraries: runs, and help for editors.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LibrariesApp, openLibrariesApp } from './testing/libraries-app.ts';
import { codeOf, type Sent } from './testing/scripts-app.ts';

const library = (name: string, text: string) => `//@version=6\nlibrary("${name}")\n${text}`;
const BASE = library('Base', 'export twice(float x) => x * 2');
const TA = library('ta', 'import me/Base/1 as b\nexport more(float x) => b.twice(x) + 1');
const SCRIPT =
  '//@version=6\nindicator("x")\nimport TradingView/ta/7\nplot(ta.more(close), "x")\nplot(ta.sma(close, 1), "y")';
const data = [1, 2, 3].map((close, at) => ({ time: at * 60_000, open: 1, high: 9, low: 0, close, volume: 1 }));

let app: LibrariesApp;
let key: string;
beforeEach(async () => {
  app = openLibrariesApp();
  key = await app.newKey();
  await publish({ content: BASE });
  await publish({ content: TA, publisher: 'TradingView', version: 7 });
});
afterEach(() => app.close());

const publish = (body: object) => app.send('POST', '/api/libraries', { key, body });
const run = (more: object = {}, as: string | undefined = key): Promise<Sent> =>
  app.send('POST', '/api/run', { key: as, body: { script: SCRIPT, data, ...more } });
const fieldOf = (sent: Sent, field: string): unknown => (sent.body as unknown as Record<string, unknown>)[field];

describe('POST /api/run', () => {
  test('finds what a script imports, as it was copied from TradingView', async () => {
    const sent = await run();
    expect([sent.status, fieldOf(sent, 'series')]).toEqual([200, { x: [3, 5, 7], y: [1, 2, 3] }]);
  });

  test('finds what a library that the request brings imports', async () => {
    const source = library('ta', 'import me/Base/1 as b\nexport more(float x) => b.twice(x) * 100');
    const libraries = [{ namespace: 'TradingView', name: 'ta', version: 7, source }];
    expect(fieldOf(await run({ libraries }), 'series')).toMatchObject({ x: [200, 400, 600] });
  });

  test('takes what the request brings before what is published, also for imports of imports', async () => {
    const source = library('Base', 'export twice(float x) => x * 1000');
    const libraries = [{ namespace: 'me', name: 'Base', version: 1, source }];
    expect(fieldOf(await run({ libraries }), 'series')).toMatchObject({ x: [1001, 2001, 3001] });
  });

  test('names the versions there are where one is missing', async () => {
    const sent = await run({ script: SCRIPT.replace('ta/7', 'ta/80') });
    expect(codeOf(sent)).toBe('400 SCRIPT_ERROR');
    expect(sent.body.message).toContain('There is no library TradingView/ta/80. There is TradingView/ta/7');
  });

  test('finds nothing of another user', async () => {
    const sent = await run({}, await app.newKey());
    expect(codeOf(sent)).toBe('400 SCRIPT_ERROR');
    expect(sent.body.message).toContain('Library TradingView/ta/7 has no function more()');
  });

  test('also fetches bars of a market', async () => {
    const sent = await run({ data: undefined, symbol: 'BTCUSDT', timeframe: '1h', bars: 5 });
    expect([sent.status, (fieldOf(sent, 'series') as { x: number[] }).x]).toEqual([200, expect.any(Array)]);
  });

  test('is 503 where the libraries cannot be read', async () => {
    app.breakStorage();
    expect(codeOf(await run())).toBe('503 UNAVAILABLE');
    expect(codeOf(await run({ script: '//@version=6\nindicator("x")\nplot(close)' }))).toBe('200 success');
  });
});

describe('help for editors with a key', () => {
  const ask = (what: string, body: object, as: string | undefined = key) =>
    app.send('POST', `/api/lsp/${what}`, { key: as, body });

  test('knows what is wrong and what is not', async () => {
    expect((await ask('diagnostics', { source: SCRIPT })).body).toEqual({
      status: 'success',
      ok: true,
      diagnostics: [],
    });
    const sent = await ask('diagnostics', { source: SCRIPT.replace('more', 'less') });
    expect(JSON.stringify(sent.body)).toContain('less');
    expect(fieldOf(await ask('diagnostics', { source: SCRIPT }, await app.newKey()), 'ok')).toBe(false);
  });

  test('completes members of a library, and the names of libraries in an import', async () => {
    const labels = async (source: string, line: number): Promise<string[]> => {
      const character = source.split('\n')[line]?.length ?? 0;
      const sent = await ask('completion', { source, line, character });
      return (fieldOf(sent, 'items') as { label: string }[]).map(({ label }) => label);
    };
    const head = '//@version=6\nindicator("x")\n';
    expect(await labels(`${head}import TradingView/ta/7 as t\nplot(t.`, 3)).toContain('more');
    expect(await labels(`${head}import `, 2)).toEqual(['TradingView', 'me']);
    expect(await labels(`${head}import TradingView/`, 2)).toEqual(['ta/7']);
  });

  test('tells what a function of a library is', async () => {
    const sent = await ask('hover', { source: SCRIPT, line: 3, character: 9 });
    expect(JSON.stringify(fieldOf(sent, 'hover'))).toContain('more(x: float)');
  });

  test('is for whoever has one, so often a minute', async () => {
    expect(codeOf(await ask('diagnostics', { source: '' }, ''))).toBe('401 NO_KEY');
    const none = await app.send('POST', '/api/lsp/hover', { body: {} });
    expect(codeOf(none)).toBe('401 NO_KEY');
    expect(codeOf(await ask('hover', { source: 'x' }))).toBe('400 MISSING_FIELD');
    expect(codeOf(await ask('diagnostics', { source: 'x'.repeat(1024 * 1024) }))).toBe('413 PAYLOAD_TOO_LARGE');
    for (let call = 0; call < 298; call += 1) await ask('diagnostics', {});
    expect(codeOf(await ask('diagnostics', { source: SCRIPT }))).toBe('429 RATE_LIMIT');
  });
});
