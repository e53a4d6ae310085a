// /api/scripts through the front door: making, listing, drafts, versions, and what is not there.

import { beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../errors/storage-error.ts';
import { MAX_SCRIPTS_PER_USER } from '../../library/script.ts';
import { codeOf, openScriptsApp, type ScriptsApp, type SendOptions, START_MS, TEXT } from './testing/scripts-app.ts';

let app: ScriptsApp;
let key: string;
beforeEach(async () => {
  app = openScriptsApp();
  key = await app.newKey();
});

const send = (method: string, path = '', options: SendOptions = {}) =>
  app.send(method, `/api/scripts${path}`, { key, ...options });
const put = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  send('PUT', `/${id}`, { body: { ...TEXT, ...body }, headers });

describe('POST', () => {
  test('makes a script and says where it is', async () => {
    const full = { ...TEXT, description: 'Two\nlines', path: 'a/b.pine' };
    const sent = await send('POST', '', { body: full });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      status: 'success',
      script: { id: expect.any(String), ...full, revision: 1, createdAt: START_MS, updatedAt: START_MS },
    });
    expect(sent.headers.get('location')).toBe(`/api/scripts/${sent.body.script.id}`);
    expect(sent.headers.get('etag')).toBe('"1"');
    const read = await app.send('GET', sent.headers.get('location') ?? '', { key });
    expect([read.status, read.body, read.headers.get('etag')]).toEqual([200, sent.body, '"1"']);
  });

  test('takes an id of the client’s, once', async () => {
    expect((await send('POST', '', { body: { id: 'mine', ...TEXT } })).body.script.id).toBe('mine');
    await put('mine');
    const again = await send('POST', '', { body: { id: 'mine', ...TEXT, content: 'other' } });
    expect([again.status, again.body]).toEqual([
      409,
      { status: 'error', code: 'CONFLICT', message: expect.stringContaining('PUT'), remoteRevision: 2 },
    ]);
    expect((await send('GET', '/mine')).body.script.content).toBe(TEXT.content);
  });

  test('accepts a record as it was read, and what is ours in it changes nothing', async () => {
    const record = { ...TEXT, id: 'copy', revision: 7, createdAt: 1, updatedAt: 2 };
    const { script } = (await send('POST', '', { body: record })).body;
    expect(script).toEqual({ ...TEXT, id: 'copy', revision: 1, createdAt: START_MS, updatedAt: START_MS });
  });

  test.each<[string, string, string]>([
    ['{', '400 INVALID_BODY', ''],
    ['', '400 INVALID_BODY', 'empty'],
    ['null', '400 INVALID_BODY', ''],
    ['{"name":"n"}', '400 MISSING_FIELD', 'content'],
    ['{"content":"c"}', '400 MISSING_FIELD', 'name'],
    ['{"name":"n","content":"c","colour":1}', '400 UNKNOWN_FIELDS', 'colour'],
    ['{"name":"n","content":"c","__proto__":{}}', '400 UNKNOWN_FIELDS', ''],
    ['{"name":1,"content":"c"}', '400 INVALID_FIELD', 'name'],
    ['{"name":"n","content":null}', '400 INVALID_FIELD', 'content'],
    ['{"name":"  ","content":"c"}', '400 INVALID_FIELD', 'name has 1 to 200'],
    ['{"name":"n","content":"\\u0000"}', '400 INVALID_FIELD', 'content holds a NUL'],
    ['{"name":"n","content":"\\ud800"}', '400 INVALID_FIELD', 'content holds a NUL or half'],
    ['{"name":"n","content":"c","path":"../x"}', '400 INVALID_FIELD', 'path has'],
    ['{"name":"n","content":"c","id":"_draft"}', '400 INVALID_FIELD', 'id has 1 to 64'],
    ['{"name":"n","content":"c","id":""}', '400 INVALID_FIELD', 'id has 1 to 64'],
    ['{"name":"n","content":"c","id":"a/b"}', '400 INVALID_FIELD', 'id has 1 to 64'],
  ])('refuses %s', async (body, code, words) => {
    const sent = await send('POST', '', { body });
    expect(codeOf(sent)).toBe(code);
    expect(sent.body.message).toContain(words);
    expect((await send('GET')).body.scripts).toEqual([]);
  });

  test.each([
    ['name', 200],
    ['description', 4000],
    ['path', 512],
    ['id', 64],
  ])('takes a %s of %i characters and no more', async (field, most) => {
    expect(codeOf(await send('POST', '', { body: { ...TEXT, [field]: 'x'.repeat(most) } }))).toBe('201 success');
    const refused = await send('POST', '', { body: { ...TEXT, [field]: 'x'.repeat(most + 1) } });
    expect(codeOf(refused)).toBe('400 INVALID_FIELD');
  });

  test('takes 256 KiB of script in UTF-8 and no byte more', async () => {
    const most = '🚂'.repeat(65_536);
    expect(codeOf(await send('POST', '', { body: { ...TEXT, content: most } }))).toBe('201 success');
    const sent = await send('POST', '', { body: { ...TEXT, content: `${most}x` } });
    expect([codeOf(sent), sent.body.message]).toEqual(['413 SCRIPT_TOO_LARGE', expect.stringContaining('262144')]);
    const huge = await send('POST', '', { body: { ...TEXT, content: 'x'.repeat(1024 * 1024) } });
    expect(codeOf(huge)).toBe('413 PAYLOAD_TOO_LARGE');
  });

  test('refuses the 1001st script, and takes one again after a delete', async () => {
    for (let n = 0; n < 1000; n += 1) await send('POST', '', { body: { id: `s${n}`, ...TEXT } });
    const sent = await send('POST', '', { body: TEXT });
    expect([codeOf(sent), sent.body.message]).toEqual(['413 LIBRARY_FULL', expect.stringContaining('1000')]);
    expect(codeOf(await put('another'))).toBe('413 LIBRARY_FULL');
    expect(codeOf(await put('s7'))).toBe('200 success');
    await send('DELETE', '/s7');
    expect(codeOf(await send('POST', '', { body: TEXT }))).toBe('201 success');
  });
});

describe('the list', () => {
  const ids = async (query = '') => (await send('GET', query)).body.scripts.map(({ id }) => id);

  test('has the newest first, without the texts', async () => {
    expect((await send('GET')).body).toEqual({ status: 'success', scripts: [], nextCursor: null });
    for (const id of ['a', 'b', 'c']) await put(id);
    await put('a');
    const sent = await send('GET');
    expect(await ids()).toEqual(['c', 'b', 'a']);
    expect(sent.body.scripts[2]).toEqual({
      id: 'a',
      name: TEXT.name,
      revision: 2,
      createdAt: START_MS,
      updatedAt: START_MS,
      contentBytes: TEXT.content.length,
    });
  });

  test('comes in pages that neither repeat nor skip, whatever is made or deleted meanwhile', async () => {
    for (let n = 0; n < 7; n += 1) await put(`s${n}`);
    const first = await send('GET', '?limit=3');
    expect(first.body.scripts.map(({ id }) => id)).toEqual(['s6', 's5', 's4']);
    await put('late');
    await send('DELETE', '/s4');
    const second = await send('GET', `?limit=3&cursor=${first.body.nextCursor}`);
    expect(second.body.scripts.map(({ id }) => id)).toEqual(['s3', 's2', 's1']);
    const third = await send('GET', `?limit=3&cursor=${second.body.nextCursor}`);
    expect([third.body.scripts.map(({ id }) => id), third.body.nextCursor]).toEqual([['s0'], null]);
  });

  test('has the whole library unless less is asked for: charting clients never ask for a second page', async () => {
    for (let n = 0; n < MAX_SCRIPTS_PER_USER; n += 1) await put(`s${n}`);
    const { body } = await send('GET');
    expect([body.scripts.length, body.nextCursor]).toEqual([1000, null]);
    expect(await ids('?limit=1000')).toHaveLength(1000);
    expect(await ids('?limit=1')).toEqual(['s999']);
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=1e1',
    'limit=x',
    'limit=',
    'cursor=',
    'cursor=x',
  ])('refuses %s', async (query) => {
    expect(codeOf(await send('GET', `?${query}`))).toBe('400 INVALID_FIELD');
  });
});

describe('the draft', () => {
  test('is null at first, then what was saved last', async () => {
    expect((await send('GET', '/_draft')).body).toEqual({ status: 'success', draft: null });
    const first = await send('PUT', '/_draft', { body: { content: 'plot(', name: 'New' } });
    const draft = { name: 'New', content: 'plot(', revision: 1, createdAt: START_MS, updatedAt: START_MS };
    expect([first.status, first.body, first.headers.get('etag')]).toEqual([201, { status: 'success', draft }, '"1"']);
    const second = await send('PUT', '/_draft', { body: { content: '' } });
    expect([second.status, second.body.draft?.revision, second.headers.get('etag')]).toEqual([200, 2, '"2"']);
    const read = await send('GET', '/_draft');
    expect([read.body, read.headers.get('etag')]).toEqual([second.body, '"2"']);
    expect((await send('GET')).body.scripts).toEqual([]);
  });

  test('has conflicts like a script', async () => {
    await send('PUT', '/_draft', { body: { content: 'a' } });
    await send('PUT', '/_draft', { body: { content: 'b' } });
    const stale = await send('PUT', '/_draft', { body: { content: 'c', revision: 1 } });
    expect([codeOf(stale), stale.body.remoteRevision]).toEqual(['409 CONFLICT', 2]);
    const headers = { 'if-match': '"2"' };
    expect(codeOf(await send('PUT', '/_draft', { body: { content: 'c' }, headers }))).toBe('200 success');
  });

  test.each<[object, string]>([
    [{}, '400 MISSING_FIELD'],
    [{ content: 1 }, '400 INVALID_FIELD'],
    [{ content: '', name: '' }, '400 INVALID_FIELD'],
    [{ content: '', id: 'x' }, '400 UNKNOWN_FIELDS'],
    [{ content: 'x'.repeat(262_145) }, '413 SCRIPT_TOO_LARGE'],
  ])('refuses %.60j', async (body, code) => {
    expect(codeOf(await send('PUT', '/_draft', { body }))).toBe(code);
  });
});

describe('versions', () => {
  test('are the last 50, newest first, each as it was', async () => {
    for (let n = 1; n <= 52; n += 1) {
      app.clock.nowMs = START_MS + n;
      await put('mine', { content: `v${n}` });
    }
    const { versions } = (await send('GET', '/mine/versions')).body;
    expect(versions.map(({ revision }) => revision)).toEqual(Array.from({ length: 50 }, (_, n) => 52 - n));
    expect(versions[49]).toEqual({
      id: 'mine',
      name: TEXT.name,
      revision: 3,
      createdAt: START_MS + 1,
      updatedAt: START_MS + 3,
      committedAt: START_MS + 3,
      contentBytes: 2,
    });
    const third = await send('GET', '/mine/versions/3');
    expect(third.body.script).toMatchObject({ id: 'mine', content: 'v3', revision: 3, updatedAt: START_MS + 3 });
    expect(third.headers.get('etag')).toBe('"3"');
    for (const gone of ['2', '53', '0', '999999999999999'])
      expect(codeOf(await send('GET', `/mine/versions/${gone}`))).toBe('404 NOT_FOUND');
    for (const none of ['x', '-1', '1.5', '1e1', '9'.repeat(16)])
      expect(codeOf(await send('GET', `/mine/versions/${none}`))).toBe('400 INVALID_FIELD');
  });
});

describe('what is not there', () => {
  test('is 404, in the same words for an id that cannot be one', async () => {
    const missing = await send('GET', '/missing');
    expect(codeOf(missing)).toBe('404 NOT_FOUND');
    for (const id of ['_other', '..', 'a%2Fb', '%00', `${'x'.repeat(65)}`])
      expect((await send('GET', `/${id}`)).body.code).toBe('NOT_FOUND');
    expect((await send('GET', '/_other')).body).toEqual(missing.body);
  });

  test('as a method is 405 with those there are', async () => {
    const allowOf = async (method: string, path: string) => (await send(method, path)).headers.get('allow');
    expect(await allowOf('PUT', '')).toBe('GET, HEAD, POST');
    expect(await allowOf('POST', '/mine')).toBe('GET, HEAD, PUT, DELETE');
    expect(await allowOf('DELETE', '/mine/versions')).toBe('GET, HEAD');
    expect(codeOf(await send('PATCH', '/mine'))).toBe('405 METHOD_NOT_ALLOWED');
  });

  test('as a database is 503 in words, after the key', async () => {
    app = openScriptsApp({ scriptStore: 'none' });
    key = await app.newKey();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/x'],
      ['PUT', '/x'],
      ['DELETE', '/x'],
      ['GET', '/_draft'],
      ['PUT', '/_draft'],
      ['GET', '/x/versions'],
      ['GET', '/x/versions/1'],
    ] as const) {
      const sent = await send(method, path, method === 'GET' ? {} : { body: TEXT });
      expect([codeOf(sent), sent.body.message]).toEqual([
        '503 UNAVAILABLE',
        expect.stringContaining('SCRIPT_DATABASE'),
      ]);
    }
  });

  test('as a disk is 503 too, and its words stay in the log', async () => {
    const fail = () => Promise.reject(new StorageError('the disk that holds /home/owner/scripts.db is full'));
    const scriptStore = { list: fail, read: fail, write: fail, remove: fail, versions: fail, version: fail };
    app = openScriptsApp({ scriptStore: { ...scriptStore, draft: fail, writeDraft: fail } });
    key = await app.newKey();
    for (const sent of [await send('GET'), await put('x'), await send('GET', '/_draft')]) {
      expect([codeOf(sent), sent.headers.get('retry-after')]).toEqual(['503 UNAVAILABLE', '1']);
      expect(sent.text).not.toContain('scripts.db');
    }
    expect(String(app.faults[0])).toContain('scripts.db');
  });
});
