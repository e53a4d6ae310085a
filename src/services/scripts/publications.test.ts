// /api/libraries over the real compiler and a real database: publishing, reading, withdrawing, and who sees what.

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LibrariesApp, openLibrariesApp } from './testing/libraries-app.ts';
import { codeOf, openScriptsApp, type Sent, START_MS, STRANGE_KEY } from './testing/scripts-app.ts';

const library = (name: string, text = 'export twice(float x) => x * 2') => `//@version=6\nlibrary("${name}")\n${text}`;
const TOOLS = library('Tools');

let app: LibrariesApp;
let key: string;
beforeEach(async () => {
  app = openLibrariesApp();
  key = await app.newKey();
});
afterEach(() => app.close());

const publish = (body: unknown, as = key): Promise<Sent> => app.send('POST', '/api/libraries', { key: as, body });
const get = (path: string, as = key): Promise<Sent> => app.send('GET', `/api/libraries${path}`, { key: as });
const fieldOf = (sent: Sent, field: string): unknown => (sent.body as unknown as Record<string, unknown>)[field];

describe('POST /api/libraries', () => {
  test('publishes code as it is, and answers the same again with 200', async () => {
    const first = await publish({ content: TOOLS });
    expect([first.status, first.headers.get('location')]).toEqual([201, '/api/libraries/me/Tools/1']);
    const expected = {
      ...{ publisher: 'me', name: 'Tools', version: 1, import: 'me/Tools/1' },
      digest: createHash('sha256').update(TOOLS).digest('hex'),
      ...{ publishedAt: START_MS, scriptId: null, revision: null, imports: [], contentBytes: TOOLS.length },
    };
    expect(fieldOf(first, 'library')).toEqual(expected);
    const again = await publish({ content: TOOLS });
    expect([again.status, fieldOf(again, 'library')]).toEqual([200, expected]);
  });

  test('publishes a script, or an earlier revision of it, as any version', async () => {
    const script = (content: string) => ({ key, body: { name: 'ta', content } });
    await app.send('PUT', '/api/scripts/ta', script(library('ta')));
    await app.send('PUT', '/api/scripts/ta', script('nothing any more'));
    const sent = await publish({ scriptId: 'ta', revision: 1, publisher: 'TradingView', version: 7 });
    expect(fieldOf(sent, 'library')).toMatchObject({ import: 'TradingView/ta/7', scriptId: 'ta', revision: 1 });
    expect(codeOf(await publish({ scriptId: 'ta' }))).toBe('400 SCRIPT_ERROR');
    expect(codeOf(await publish({ scriptId: 'tb' }))).toBe('404 NOT_FOUND');
  });

  test('refuses what does not compile with every finding', async () => {
    const sent = await publish({ content: library('Bad', 'g = close\nexport f(float x) => g + h') });
    expect(codeOf(sent)).toBe('400 SCRIPT_ERROR');
    expect(sent.body.message).toContain('line 4');
    expect(fieldOf(sent, 'diagnostics')).toHaveLength(2);
  });

  test('refuses a version of other code, and says which one is free', async () => {
    await publish({ content: TOOLS, version: 3 });
    const sent = await publish({ content: `${TOOLS} + 1`, version: 3 });
    expect(codeOf(sent)).toBe('409 CONFLICT');
    expect(sent.body.message).toContain('version 4');
    await publish({ content: `${TOOLS} + 2`, version: 999_999 });
    expect((await publish({ content: `${TOOLS} + 3` })).body.message).toContain('name a lower one');
  });

  test.each([
    [{}, '400 MISSING_FIELD'],
    [{ content: TOOLS, scriptId: 'x' }, '400 INVALID_FIELD'],
    [{ content: TOOLS, revision: 1 }, '400 INVALID_FIELD'],
    [{ content: 5 }, '400 INVALID_FIELD'],
    [{ content: TOOLS, version: 0 }, '400 INVALID_FIELD'],
    [{ content: TOOLS, version: 1.5 }, '400 INVALID_FIELD'],
    [{ content: TOOLS, version: 1e300 }, '400 INVALID_FIELD'],
    [{ content: TOOLS, version: '1' }, '400 INVALID_FIELD'],
    [{ content: TOOLS, publisher: '../..' }, '400 INVALID_FIELD'],
    [{ content: TOOLS, publisher: '' }, '400 INVALID_FIELD'],
    [{ content: TOOLS, name: 'Other' }, '400 INVALID_FIELD'],
    [{ content: TOOLS, more: 1 }, '400 UNKNOWN_FIELDS'],
    [{ content: `${TOOLS}\0` }, '400 INVALID_FIELD'],
    [{ content: '//@version=6\nindicator("x")\nplot(close)' }, '400 INVALID_FIELD'],
    [{ content: '//@version=4\nstudy("x")\nplot(close)' }, '400 INVALID_FIELD'],
    [{ content: '' }, '400 SCRIPT_ERROR'],
    [{ content: 'x'.repeat(262_145) }, '413 SCRIPT_TOO_LARGE'],
    [{ content: 'x'.repeat(1024 * 1024) }, '413 PAYLOAD_TOO_LARGE'],
    ['[]', '400 INVALID_BODY'],
    ['{', '400 INVALID_BODY'],
  ])('answers to a wrong body, as in case %#, with its code', async (body, code) => {
    expect(codeOf(await publish(body))).toBe(code);
  });

  test('is done 30 times a minute', async () => {
    for (let call = 0; call < 30; call += 1) await publish({});
    expect(codeOf(await publish({ content: TOOLS }))).toBe('429 RATE_LIMIT');
    expect(codeOf(await publish({ content: TOOLS }, await app.newKey()))).toBe('201 success');
    app.clock.nowMs += 60_000;
    expect(codeOf(await publish({ content: TOOLS }))).toBe('201 success');
  });
});

describe('a published library', () => {
  test('is listed, read with its source, and gone when it is withdrawn', async () => {
    await publish({ content: TOOLS });
    await publish({ content: `${TOOLS} + 1` });
    const imports = (sent: Sent, field: string) =>
      (fieldOf(sent, field) as { import: string }[]).map((one) => one.import);
    expect(imports(await get(''), 'libraries')).toEqual(['me/Tools/2', 'me/Tools/1']);
    expect(imports(await get('/me/Tools'), 'versions')).toEqual(['me/Tools/2', 'me/Tools/1']);
    expect(fieldOf(await get('/me/Tools/1'), 'library')).toMatchObject({ content: TOOLS, version: 1 });
    const gone = await app.send('DELETE', '/api/libraries/me/Tools/1', { key });
    expect(gone.body).toEqual({ status: 'success', import: 'me/Tools/1', withdrawn: true });
    expect(codeOf(await get('/me/Tools/1'))).toBe('404 NOT_FOUND');
    expect(codeOf(await app.send('DELETE', '/api/libraries/me/Tools/1', { key }))).toBe('404 NOT_FOUND');
  });

  test('is not withdrawn while another imports it', async () => {
    await publish({ content: TOOLS });
    await publish({ content: library('User', 'import me/Tools/1 as t\nexport f(float x) => t.twice(x)') });
    const sent = await app.send('DELETE', '/api/libraries/me/Tools/1', { key });
    expect([codeOf(sent), sent.body.message]).toEqual([
      '409 CONFLICT',
      'me/User/1 imports it; withdraw that one first',
    ]);
  });

  test('outlives its script', async () => {
    await app.send('PUT', '/api/scripts/tools', { key, body: { name: 'tools', content: TOOLS } });
    await publish({ scriptId: 'tools' });
    await app.send('DELETE', '/api/scripts/tools', { key });
    expect((await get('/me/Tools/1')).status).toBe(200);
  });

  test('is nobody else’s', async () => {
    await publish({ content: TOOLS });
    const other = await app.newKey();
    for (const path of ['/me/Tools', '/me/Tools/1']) expect(codeOf(await get(path, other))).toBe('404 NOT_FOUND');
    expect(fieldOf(await get('', other), 'libraries')).toEqual([]);
    expect(codeOf(await app.send('DELETE', '/api/libraries/me/Tools/1', { key: other }))).toBe('404 NOT_FOUND');
    expect(codeOf(await publish({ content: `${TOOLS} + 1`, version: 1 }, other))).toBe('201 success');
    expect(fieldOf(await get('/me/Tools/1'), 'library')).toMatchObject({ content: TOOLS });
  });

  test.each([
    '/me/Tools/0',
    '/me/Tools/x',
    '/me/Tools/1e0',
    '/me/Tools/-1',
    '/me/Tools/01',
    '/ü/%00/1',
    '/me/Tools/9999999999999999',
  ])('that no import can name is not there: %s', async (path) => {
    await publish({ content: TOOLS });
    expect(codeOf(await get(path))).toBe('404 NOT_FOUND');
  });
});

test('POST /api/libraries/resolve gives the sources of everything that a script imports, and says what is missing', async () => {
  const user = library('User', 'import me/Tools/1 as t\nexport f(float x) => t.twice(x)');
  await publish({ content: TOOLS });
  await publish({ content: user });
  const script = 'import me/User/1\nimport me/Tools/2 as t\n// import me/Other/1';
  const sent = await app.send('POST', '/api/libraries/resolve', { key, body: { script } });
  const named = (name: string, source: string) => ({ namespace: 'me', name, version: 1, source });
  expect(sent.body).toEqual({
    status: 'success',
    libraries: [named('User', user), named('Tools', TOOLS)],
    missing: ['me/Tools/2'],
  });
  const large = { key, body: { script: 'x'.repeat(262_145) } };
  expect(codeOf(await app.send('POST', '/api/libraries/resolve', large))).toBe('413 SCRIPT_TOO_LARGE');
});

describe('without', () => {
  const CALLS = [
    ['POST', ''],
    ['GET', ''],
    ['POST', '/resolve'],
    ['GET', '/me/Tools'],
    ['GET', '/me/Tools/1'],
    ['DELETE', '/me/Tools/1'],
  ] as const;

  test('a key that is known, nothing is told', async () => {
    for (const [method, path] of CALLS) {
      const body = method === 'POST' ? { body: {} } : {};
      expect(codeOf(await app.send(method, `/api/libraries${path}`, body))).toBe('401 NO_KEY');
      expect(codeOf(await app.send(method, `/api/libraries${path}`, { ...body, key: STRANGE_KEY }))).toBe(
        '401 INVALID_KEY',
      );
    }
  });

  test('a database, it is said so', async () => {
    const bare = openScriptsApp({ scriptStore: 'none' });
    const options = { key: await bare.newKey() };
    for (const [method, path] of CALLS) {
      const body = method === 'POST' ? { body: { script: '' } } : {};
      const sent = await bare.send(method, `/api/libraries${path}`, { ...options, ...body });
      expect([method, path, codeOf(sent)]).toEqual([method, path, '503 UNAVAILABLE']);
    }
  });

  test('its storage, it is 503 and in the log', async () => {
    app.breakStorage();
    for (const [method, path] of CALLS.slice(1)) {
      const body = method === 'POST' ? { body: { script: 'import me/Tools/1' } } : {};
      expect(codeOf(await app.send(method, `/api/libraries${path}`, { key, ...body }))).toBe('503 UNAVAILABLE');
    }
    expect(app.faults).toHaveLength(5);
  });
});
