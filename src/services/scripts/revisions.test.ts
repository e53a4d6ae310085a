// Saving and deleting scripts: every way to say which revision one knows, and what happens when another one is there.

import { beforeEach, describe, expect, test } from 'vitest';
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

describe('PUT', () => {
  test('makes the script, then saves the next revision', async () => {
    const made = await put('mine');
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/scripts/mine']);
    app.clock.nowMs += 5;
    const saved = await put('mine', { content: 'plot(open)' });
    expect([saved.status, saved.headers.get('etag'), saved.headers.get('location')]).toEqual([200, '"2"', null]);
    expect(saved.body.script).toEqual({
      id: 'mine',
      name: TEXT.name,
      content: 'plot(open)',
      revision: 2,
      createdAt: START_MS,
      updatedAt: START_MS + 5,
    });
  });

  test.each<[string, SendOptions['headers'], object, string]>([
    ['If-Match: "1"', { 'if-match': '"1"' }, {}, ''],
    ['If-Match: W/"1"', { 'if-match': 'W/"1"' }, {}, ''],
    ['If-Match: 1', { 'if-match': '1' }, {}, ''],
    ['If-Match: *', { 'if-match': '*' }, {}, ''],
    ['revision 1', {}, { revision: 1 }, ''],
    ['revision "1", as charting clients send it', {}, { revision: '1' }, ''],
    ['?revision=1', {}, {}, '?revision=1'],
    ['all of them', { 'if-match': '"1"' }, { revision: 1 }, '?revision=1'],
  ])('saves over revision 1 with %s', async (_name, headers = {}, body, query) => {
    await put('mine');
    expect(codeOf(await put(`mine${query}`, body, headers))).toBe('200 success');
  });

  test.each<[string, SendOptions['headers'], object, string]>([
    ['If-Match: "1"', { 'if-match': '"1"' }, {}, ''],
    ['If-Match: W/"3"', { 'if-match': 'W/"3"' }, {}, ''],
    ['If-Match: 0', { 'if-match': '0' }, {}, ''],
    ['If-None-Match: *', { 'if-none-match': '*' }, {}, ''],
    ['revision 1', {}, { revision: 1 }, ''],
    ['revision "1"', {}, { revision: '1' }, ''],
    ['revision 0', {}, { revision: 0 }, ''],
    ['?revision=3', {}, {}, '?revision=3'],
    ['If-Match: "999999999999999"', { 'if-match': '"999999999999999"' }, {}, ''],
  ])('is a conflict over revision 2 with %s, and says which one is there', async (_name, headers = {}, body, query) => {
    await put('mine');
    await put('mine');
    const sent = await put(`mine${query}`, { ...body, content: 'lost' }, headers);
    expect([sent.status, sent.body]).toEqual([
      409,
      { status: 'error', code: 'CONFLICT', message: expect.stringContaining('revision 2'), remoteRevision: 2 },
    ]);
    expect((await send('GET', '/mine')).body.script).toMatchObject({ revision: 2, content: TEXT.content });
  });

  test.each<[string, SendOptions['headers'], object]>([
    ['If-Match: *', { 'if-match': '*' }, {}],
    ['If-Match: "1"', { 'if-match': '"1"' }, {}],
    ['revision 1', {}, { revision: 1 }],
  ])('is a conflict over nothing with %s', async (_name, headers = {}, body) => {
    const sent = await put('gone', body, headers);
    expect([codeOf(sent), sent.body.remoteRevision]).toEqual(['409 CONFLICT', 0]);
  });

  test('makes the script with revision 0 or If-None-Match: *', async () => {
    expect(codeOf(await put('one', { revision: 0 }))).toBe('201 success');
    expect(codeOf(await put('two', {}, { 'if-none-match': '*' }))).toBe('201 success');
  });

  test('refuses two answers to one question', async () => {
    await put('mine');
    expect(codeOf(await put('mine', { revision: 1 }, { 'if-match': '"2"' }))).toBe('400 INVALID_FIELD');
    expect(codeOf(await put('mine', { revision: 1 }, { 'if-match': '*' }))).toBe('400 INVALID_FIELD');
    expect(codeOf(await put('mine?revision=2', { revision: 1 }))).toBe('400 INVALID_FIELD');
    expect(codeOf(await put('mine', {}, { 'if-match': '1', 'if-none-match': '*' }))).toBe('400 INVALID_FIELD');
  });

  test.each<[SendOptions['headers'], object, string]>([
    [{ 'if-match': '' }, {}, ''],
    [{ 'if-match': 'x' }, {}, ''],
    [{ 'if-match': '"1", "2"' }, {}, ''],
    [{ 'if-match': "'1'" }, {}, ''],
    [{ 'if-match': '-1' }, {}, ''],
    [{ 'if-match': '1.0' }, {}, ''],
    [{ 'if-match': `"${'9'.repeat(16)}"` }, {}, ''],
    [{ 'if-none-match': '"1"' }, {}, ''],
    [{}, { revision: -1 }, ''],
    [{}, { revision: 1.5 }, ''],
    [{}, { revision: 'x' }, ''],
    [{}, { revision: null }, ''],
    [{}, { revision: 2 ** 53 }, ''],
    [{}, {}, '?revision='],
    [{}, {}, '?revision=x'],
  ])('refuses a revision that is none: %j %j %s', async (headers = {}, body, query) => {
    expect(codeOf(await put(`mine${query}`, body, headers))).toBe('400 INVALID_FIELD');
    expect((await send('GET')).body.scripts).toEqual([]);
  });

  test('refuses another id in the body than in the address', async () => {
    expect(codeOf(await put('mine', { id: 'yours' }))).toBe('400 INVALID_FIELD');
    expect(codeOf(await put('mine', { id: 'mine' }))).toBe('201 success');
    expect(codeOf(await put('a%20b'))).toBe('400 INVALID_FIELD');
    expect(codeOf(await put('%E0%A4%A'))).toBe('400 INVALID_FIELD');
  });

  test('of two writers with one revision exactly one wins, and the other learns what is there', async () => {
    await put('mine');
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, n) => put('mine', { content: `by ${n}`, revision: 1 })),
    );
    const won = sent.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const lost = sent.filter(({ status }) => status === 409);
    expect(lost.map(({ body }) => body.remoteRevision)).toEqual(Array(9).fill(2));
    expect((await send('GET', '/mine')).body.script).toEqual(won[0]?.body.script);
  });
});

describe('DELETE', () => {
  test('removes the script and its versions', async () => {
    await put('mine');
    const sent = await send('DELETE', '/mine');
    expect([sent.status, sent.body]).toEqual([200, { status: 'success', id: 'mine', deleted: true }]);
    for (const path of ['/mine', '/mine/versions', '/mine/versions/1'])
      expect(codeOf(await send('GET', path))).toBe('404 NOT_FOUND');
    expect(codeOf(await send('DELETE', '/mine'))).toBe('404 NOT_FOUND');
    expect(codeOf(await send('DELETE', '/_draft'))).toBe('404 NOT_FOUND');
  });

  test('spares a revision the client has not seen, however it names its own', async () => {
    await put('mine');
    await put('mine');
    for (const [path, options] of [
      ['/mine', { headers: { 'if-match': '"1"' } }],
      ['/mine?revision=1', {}],
      ['/mine', { body: { revision: 1 } }],
      ['/mine', { body: { revision: '1' } }],
    ] as const) {
      const sent = await send('DELETE', path, options);
      expect([codeOf(sent), sent.body.remoteRevision]).toEqual(['409 CONFLICT', 2]);
    }
    expect(codeOf(await send('DELETE', '/mine', { body: { force: true } }))).toBe('400 UNKNOWN_FIELDS');
    expect(codeOf(await send('DELETE', '/mine', { headers: { 'if-match': 'W/"2"' } }))).toBe('200 success');
  });

  test('does not let an old revision fit by chance when the id is used again', async () => {
    await put('mine');
    await send('DELETE', '/mine');
    expect((await put('mine')).body.script.revision).toBe(2);
    expect(codeOf(await put('mine', {}, { 'if-match': '"1"' }))).toBe('409 CONFLICT');
  });
});
