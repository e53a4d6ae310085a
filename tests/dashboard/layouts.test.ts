// /admin/layouts at the front door: what is saved under a name is there for every browser, and none overwrites the other unseen.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { MAX_LAYOUT_BYTES, MAX_LAYOUTS } from '../../src/library/layouts.ts';
import type { TestGateway } from '../support/gateway.ts';
import { expectRefusal, freshGateway } from '../webhook/answers.ts';

const LAYOUT = {
  ...{ symbol: 'BTCUSDT', timeframe: '1h', stretches: { a: 2 } },
  scripts: [{ id: 'a', name: 'EMA', source: '//@version=6\nindicator("EMA")\nplot(close)', inputs: { len: 9 } }],
};
const TEMPLATE = { scripts: LAYOUT.scripts, pinned: true };
const QUERY = { sql: "SELECT count(*)\nFROM trades -- today's", note: 'kept too' };

const pathOf = (name: string, kind = 'layout') => `/admin/layouts/${kind}/${encodeURIComponent(name)}`;
const save = (gateway: TestGateway, name: string, body: object = {}, kind?: string) =>
  gateway.request('PUT', pathOf(name, kind), { content: LAYOUT, ...body });
const list = async (gateway: TestGateway, query = '') =>
  (await gateway.request('GET', `/admin/layouts${query}`)).body.result;

describe('a layout', () => {
  it('is read as it was saved, with fields that only the page knows, and listed without its content', async () => {
    const gateway = await freshGateway();
    expect(await list(gateway)).toEqual([]);
    const saved = await save(gateway, 'Scalping', { about: 'BTCUSDT 1h · EMA' });
    const summary = { kind: 'layout', name: 'Scalping', about: 'BTCUSDT 1h · EMA', revision: 1 };
    expect(saved.body.result).toEqual({ ...summary, updatedAt: expect.any(Number) });
    expect((await gateway.request('GET', pathOf('Scalping'))).body.result).toEqual({
      ...saved.body.result,
      content: LAYOUT,
    });
    expect(await list(gateway)).toEqual([saved.body.result]);
  });

  it('a template and a query may have the same name, and are three', async () => {
    const gateway = await freshGateway();
    await save(gateway, 'Trend');
    expect((await save(gateway, 'Trend', { content: TEMPLATE }, 'template')).status).toBe(200);
    expect((await save(gateway, 'Trend', { content: QUERY }, 'query')).status).toBe(200);
    const names = async (query: string) =>
      (await list(gateway, query)).map(({ kind, name }: Record<string, string>) => `${kind} ${name}`);
    expect(await names('')).toEqual(['layout Trend', 'query Trend', 'template Trend']);
    expect(await names('?kind=template')).toEqual(['template Trend']);
    expect(await names('?kind=query')).toEqual(['query Trend']);
    await gateway.request('DELETE', pathOf('Trend'));
    expect(await names('')).toEqual(['query Trend', 'template Trend']);
    expect((await gateway.request('GET', pathOf('Trend', 'template'))).body.result.content).toEqual(TEMPLATE);
    expect((await gateway.request('GET', pathOf('Trend', 'query'))).body.result.content).toEqual(QUERY);
    expectRefusal(await gateway.request('GET', '/admin/layouts?kind=other'), 'INVALID_QUERY');
  });

  it.each(['a/b', '50 % of it', 'ÄÖÜ 🚂', 'x'.repeat(60)])('may be called %s', async (name) => {
    const gateway = await freshGateway();
    expect((await save(gateway, name)).body.result.name).toBe(name);
    expect((await gateway.request('GET', pathOf(name))).body.result.name).toBe(name);
    expect((await gateway.request('DELETE', pathOf(name))).body.result.name).toBe(name);
  });

  it.each([
    ...[' blank', 'blank ', ' ', 'two\nlines', 'x'.repeat(61), 'a  b', 'a\u00a0b', 'Scal\u200bping', '\u202egnip'],
    ...['Scalping\u00ad', '\u2060', '\0', '\u3164'],
  ])('may not be called %j, and is told one fault', async (name) => {
    const gateway = await freshGateway();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const sent = await gateway.request(method, pathOf(name), method === 'PUT' ? { content: LAYOUT } : undefined);
      expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
      expect(sent.body.faults).toHaveLength(1);
    }
    expectRefusal(await save(gateway, 'x', {}, 'chart'), 'INVALID_PAYLOAD', 'faults');
  });

  it.each(['%FF', '%C3', 'a%', '%ZZ', '%ED%A0%80'])(
    'is not meant by %s, which is no encoding of anything',
    async (name) => {
      const gateway = await freshGateway();
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { content: LAYOUT } : undefined;
        const sent = await gateway.request(method, `/admin/layouts/layout/${name}`, body);
        expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
        expect(sent.body.error).toContain('percent-encoded');
      }
      expect(await list(gateway)).toEqual([]);
      expect((await save(gateway, '%FF')).body.result.name).toBe('%FF');
    },
  );

  it('is one, whichever way an accent is written', async () => {
    const gateway = await freshGateway();
    expect((await save(gateway, 'Cafe\u0301', { revision: 0 })).body.result.name).toBe('Caf\u00e9');
    expectRefusal(await save(gateway, 'Caf\u00e9', { revision: 0 }), 'LAYOUT_CONFLICT', 'revision');
    expect((await gateway.request('GET', pathOf('Cafe\u0301'))).body.result.name).toBe('Caf\u00e9');
    expect((await gateway.request('DELETE', pathOf('Cafe\u0301'))).status).toBe(200);
    expect(await list(gateway)).toEqual([]);
  });

  it.each(['two  blanks', ' blank', 'Scal\u200bping', 'Cafe\u0301', 'two\nlines', 'x'.repeat(61)])(
    'of an older version is opened and deleted by its name %j, which nothing is saved under any more',
    async (name) => {
      const before = await freshGateway();
      const { dataDir } = before;
      const { revision } = (await save(before, 'Old')).body.result;
      await save(before, 'Other');
      await before.close();
      const settings = new DatabaseSync(join(dataDir, 'settings.db'));
      settings.prepare("UPDATE layouts SET name = ? WHERE name = 'Old'").run(name);
      settings.close();
      const gateway = await freshGateway({ dataDir });
      const read = await gateway.request('GET', pathOf(name));
      expect(read.body.result).toMatchObject({ name, revision, content: LAYOUT });
      expect((await save(gateway, name)).body.result?.name).not.toBe(name);
      const stale = await gateway.request('DELETE', `${pathOf(name)}?revision=99`);
      expectRefusal(stale, 'LAYOUT_CONFLICT', 'revision');
      expect((await gateway.request('DELETE', pathOf(name))).body.result).toMatchObject({ name });
      const left = (await list(gateway)).map((each: { name: string }) => each.name);
      expect(left).toContain('Other');
      expect(left).not.toContain(name);
    },
  );

  it('is there after a restart, and no news of the desk: the audit does not tell of it', async () => {
    const before = await freshGateway();
    await save(before, 'Scalping');
    const { dataDir } = before;
    await before.close();
    const gateway = await freshGateway({ dataDir });
    expect((await gateway.request('GET', pathOf('Scalping'))).body.result.content).toEqual(LAYOUT);
    await gateway.request('DELETE', pathOf('Scalping'));
    expect((await gateway.request('GET', '/admin/audit')).body.result).toEqual([]);
  });
});

describe('two browsers', () => {
  it('do not overwrite each other: who names what he has read is refused where another is there', async () => {
    const gateway = await freshGateway();
    expect((await save(gateway, 'Scalping', { revision: 0 })).body.result.revision).toBe(1);
    const late = await save(gateway, 'Scalping', { revision: 0 });
    expectRefusal(late, 'LAYOUT_CONFLICT', 'revision');
    expect(late.body.revision).toBe(1);
    expect((await save(gateway, 'Scalping', { revision: 1, about: 'second' })).body.result.revision).toBe(2);
    expectRefusal(await save(gateway, 'Scalping', { revision: 1, about: 'lost' }), 'LAYOUT_CONFLICT', 'revision');
    const stale = await gateway.request('DELETE', `${pathOf('Scalping')}?revision=1`);
    expectRefusal(stale, 'LAYOUT_CONFLICT', 'revision');
    expect(stale.body.revision).toBe(2);
    expect((await list(gateway))[0]).toMatchObject({ about: 'second', revision: 2 });
    expect((await gateway.request('DELETE', `${pathOf('Scalping')}?revision=2`)).status).toBe(200);
    const gone = await save(gateway, 'Scalping', { revision: 2 });
    expectRefusal(gone, 'LAYOUT_CONFLICT', 'revision');
    expect(gone.body).toMatchObject({ revision: 0, error: expect.stringContaining('removed meanwhile') });
    expectRefusal(await gateway.request('DELETE', pathOf('Scalping')), 'LAYOUT_NOT_FOUND');
    // Who names none replaces whatever is there.
    await save(gateway, 'Scalping');
    expect((await save(gateway, 'Scalping', { about: 'third' })).body.result.about).toBe('third');
  });

  it('nor what was made anew under a name that was removed: no revision is ever given twice, after a restart neither', async () => {
    let gateway = await freshGateway();
    const first = (await save(gateway, 'Scalping', { revision: 0 })).body.result.revision;
    const seen = [first];
    for (let times = 0; times < 3; times++) {
      await gateway.request('DELETE', pathOf('Scalping'));
      const { dataDir } = gateway;
      await gateway.close();
      gateway = await freshGateway({ dataDir });
      seen.push((await save(gateway, 'Scalping', { revision: 0 })).body.result.revision);
      expectRefusal(await save(gateway, 'Scalping', { revision: first }), 'LAYOUT_CONFLICT', 'revision');
      const stale = await gateway.request('DELETE', `${pathOf('Scalping')}?revision=${first}`);
      expectRefusal(stale, 'LAYOUT_CONFLICT', 'revision');
    }
    expect(new Set(seen).size).toBe(4);
  });

  it('may say what they have read in If-Match and If-None-Match too, as of scripts; what contradicts itself is refused', async () => {
    const gateway = await freshGateway();
    const put = (headers: Record<string, string>, body: object = {}) =>
      gateway.request('PUT', pathOf('Scalping'), { content: LAYOUT, ...body }, { headers });
    const remove = (headers: Record<string, string>) =>
      gateway.request('DELETE', pathOf('Scalping'), undefined, { headers });
    expectRefusal(await put({ 'if-match': '*' }), 'LAYOUT_CONFLICT', 'revision');
    const { revision } = (await put({ 'if-none-match': '*' })).body.result;
    expectRefusal(await put({ 'if-none-match': '*' }), 'LAYOUT_CONFLICT', 'revision');
    expectRefusal(await put({ 'if-match': `"${revision + 1}"` }), 'LAYOUT_CONFLICT', 'revision');
    expect((await put({ 'if-match': `"${revision}"` }, { revision })).status).toBe(200);
    expect((await put({ 'if-match': '*' })).status).toBe(200);
    for (const headers of [{ 'if-none-match': '"1"' }, { 'if-match': 'x' }, { 'if-none-match': '*', 'if-match': '*' }])
      expectRefusal(await put(headers as Record<string, string>), 'INVALID_PAYLOAD', 'faults');
    expectRefusal(await put({ 'if-none-match': '*' }, { revision: 3 }), 'INVALID_PAYLOAD', 'faults');
    expectRefusal(await remove({ 'if-match': `"${revision}"` }), 'LAYOUT_CONFLICT', 'revision');
    expect((await remove({ 'if-match': '*' })).status).toBe(200);
  });
});

describe('what is saved', () => {
  it.each<[fault: string, body: object, kind?: string]>([
    ['content: is missing', { content: undefined }],
    ['content', { content: [] }],
    ['content.symbol: is missing', { content: { ...LAYOUT, symbol: undefined } }],
    ['content.timeframe', { content: { ...LAYOUT, timeframe: 7 } }],
    ['content.scripts: is missing', { content: { symbol: 'X', timeframe: '1h' } }],
    ['content.scripts.0.source: is missing', { content: { ...LAYOUT, scripts: [{ name: 'A' }] } }],
    ['content.scripts', { content: { ...LAYOUT, scripts: Array.from({ length: 51 }, () => LAYOUT.scripts[0]) } }],
    ['content.scripts: is missing', { content: { symbol: 'X' } }, 'template'],
    ['content.sql: is missing', { content: TEMPLATE }, 'query'],
    ['content.sql', { content: { sql: '' } }, 'query'],
    ['content.sql', { content: { sql: 'x'.repeat(8193) } }, 'query'],
    ['about', { about: 'two\nlines' }],
    ['about', { about: 'x'.repeat(201) }],
    ['revision', { revision: -1 }],
    ['revision', { revision: 1.5 }],
    ['revision', { revision: 1e300 }],
    ['revision', { revision: -1.5 }],
    ['revision', { revision: '3' }],
    ['__proto__', { content: JSON.parse(JSON.stringify(LAYOUT).replace('{', '{"__proto__":{"a":1},')) }],
    [
      '__proto__',
      { content: { ...LAYOUT, scripts: [{ ...LAYOUT.scripts[0], inputs: JSON.parse('{"__proto__":1}') }] } },
    ],
    ['body: has unknown fields, remove name', { name: 'x' }],
  ])('is refused in words: %s', async (fault, body, kind) => {
    const gateway = await freshGateway();
    const sent = await save(gateway, 'x', body, kind);
    expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
    expect(sent.body.faults.join()).toContain(fault);
    expect(sent.body.faults).toHaveLength(1);
    expect(await list(gateway)).toEqual([]);
  });

  it('is bounded in size', async () => {
    const gateway = await freshGateway();
    const sized = (bytes: number) => {
      const empty = { symbol: 'X', timeframe: '1h', scripts: [], note: '' };
      return { content: { ...empty, note: 'x'.repeat(bytes - JSON.stringify(empty).length) } };
    };
    expect((await save(gateway, 'just fits', sized(MAX_LAYOUT_BYTES))).status).toBe(200);
    expectRefusal(await save(gateway, 'too large', sized(MAX_LAYOUT_BYTES + 1)), 'PAYLOAD_TOO_LARGE');
    expectRefusal(await save(gateway, 'too large', sized(2 * MAX_LAYOUT_BYTES)), 'PAYLOAD_TOO_LARGE');
    expect(await list(gateway)).toHaveLength(1);
  });

  it('is bounded in number, of each kind; what is there can still be replaced', async () => {
    const gateway = await freshGateway();
    for (let number = 0; number < MAX_LAYOUTS; number++) await save(gateway, `n${number}`);
    expectRefusal(await save(gateway, 'one more'), 'TOO_MANY_LAYOUTS');
    expect((await save(gateway, 'n5', { about: 'again' })).body.result.about).toBe('again');
    expect((await save(gateway, 'one', { content: TEMPLATE }, 'template')).status).toBe(200);
    await gateway.request('DELETE', pathOf('n0'));
    expect((await save(gateway, 'one more')).status).toBe(200);
  });

  it('is for the owner alone', async () => {
    const gateway = await freshGateway();
    const stranger = { peer: '203.0.113.7' };
    for (const method of ['GET', 'PUT', 'DELETE'])
      expectRefusal(await gateway.request(method, pathOf('x'), undefined, stranger), 'UNAUTHORIZED');
  });
});
