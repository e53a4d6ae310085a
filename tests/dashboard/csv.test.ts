// The lists as CSV: all rows of a filter, in a form that spreadsheets read and cannot be harmed by.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { KitContext } from '../../src/http/context.ts';
import { type CsvRow, cellText, csvAnswer, MAX_CSV_ROWS, pagesOf } from '../../src/services/gateway/csv.ts';
import type { TestGateway } from '../support/gateway.ts';
import { freshGateway } from '../webhook/answers.ts';

let gateway: TestGateway;
const COUNT = 7;

beforeAll(async () => {
  gateway = await freshGateway();
  for (let count = 0; count < COUNT; count++)
    await gateway.send({ comment: `=cmd|'/c calc'!A${count}`, quantity: 0.01 });
  await gateway.send({ symbol: 'NOSUCHUSDT' });
  await vi.waitFor(async () => expect((await gateway.request('GET', '/refusals')).body.result).toHaveLength(1), {
    timeout: 30_000,
    interval: 50,
  });
  await gateway.equity.look();
});

async function csv(path: string, headers: Record<string, string> = {}): Promise<{ text: string; response: Response }> {
  const init = { headers: { host: 'localhost', ...headers } };
  const response = await gateway.app.request(path, init, { peer: '127.0.0.1' });
  return { text: await response.text(), response };
}

/** Reads RFC 4180 the long way round. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[at++];
        else break;
      }
      at++;
    } else for (; text[at] !== ',' && text[at] !== '\r'; at++) cell += text[at];
    row.push(cell);
    if (text[at] === ',') at++;
    else {
      expect(text.slice(at, at + 2)).toBe('\r\n');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

const tableOf = (text: string): Record<string, string>[] => {
  const [head = [], ...rows] = rowsOf(text);
  return rows.map((row) => {
    expect(row).toHaveLength(head.length);
    return Object.fromEntries(head.map((name, index) => [name, row[index] as string]));
  });
};

describe('the lists as CSV', () => {
  it.each([
    ['/trades', COUNT],
    ['/orders?state=all', COUNT],
    ['/refusals', 1],
  ])('%s has a row for each, with the fields of the list', async (path, count) => {
    const sign = path.includes('?') ? '&' : '?';
    const { text, response } = await csv(`${path}${sign}format=csv`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="\w+\.csv"$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const rows = tableOf(text);
    expect(rows).toHaveLength(count);
    const { result } = (await gateway.request('GET', path)).body;
    expect(Object.keys(rows[0] as object).sort()).toEqual(Object.keys(result[0]).sort());
    const byHeader = await csv(path, { accept: 'text/csv' });
    expect(byHeader.text).toBe(text);
  });

  it('tells times as dates, nothing as nothing, and makes no formula of what a sender wrote', async () => {
    const [row] = tableOf((await csv('/trades?format=csv&limit=1')).text);
    expect(row?.receivedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(row?.comment).toBe(`'=cmd|'/c calc'!A${COUNT - 1}`);
    expect([row?.leverage, row?.postOnly, row?.tags]).toEqual(['', 'false', '']);
  });

  it('has the order of the list, and keeps to filters and limits', async () => {
    const all = tableOf((await csv('/trades?format=csv&action=LONG')).text).map(({ requestId }) => requestId);
    const { result } = (await gateway.request('GET', '/trades')).body;
    expect(all).toEqual(result.map(({ requestId }: { requestId: string }) => requestId));
    expect(tableOf((await csv('/trades?format=csv&action=SHORT')).text)).toEqual([]);
    expect((await csv('/trades?format=csv&action=SHORT')).text).toMatch(/^requestId,.*\r\n$/);
    expect(tableOf((await csv('/trades?format=csv&limit=3')).text)).toHaveLength(3);
  });

  it('/equity has a row for each point', async () => {
    const rows = tableOf((await csv('/equity?format=csv')).text);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ exchange: 'binance', account: 'main', mode: 'paper' });
    expect(Number(rows[0]?.equity)).toBeGreaterThan(0);
  });

  it('refuses like the list does, in JSON', async () => {
    const { text, response } = await csv('/trades?format=csv&limit=0');
    expect([response.status, JSON.parse(text).code]).toEqual([400, 'INVALID_QUERY']);
    const { text: other } = await csv('/refusals?format=csv&before=nobody');
    expect(JSON.parse(other).code).toBe('INVALID_QUERY');
    expect((await gateway.request('GET', '/trades?format=xml')).body.code).toBe('INVALID_QUERY');
  });

  it('gives JSON to whoever accepts anything, and to whoever does not want CSV', async () => {
    for (const accept of ['*/*', 'application/json', 'text/*', 'text/csv;q=0'])
      expect((await csv('/trades', { accept })).response.headers.get('content-type')).toBe('application/json');
    const { response } = await csv('/trades?format=json', { accept: 'text/csv' });
    expect(response.headers.get('content-type')).toBe('application/json');
  });
});

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "yes"', '"say ""yes"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', '"\tx"'],
  ['\nx', '"\nx"'],
  [' =1', "' =1"],
  [';=1', '";\'=1"'],
  ['a;=1', '"a;\'=1"'],
  ['a;-1', '"a;\'-1"'],
  ['; a', '"; a"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['\r=x', '"\r\'=x"'],
  ['=a,b', '"\'=a,b"'],
  [-1.5, '-1.5'],
  [1e-7, '1e-7'],
  [true, 'true'],
  [null, ''],
  [['a', 'b'], '"a, b"'],
  [['=x'], "'=x"],
])('the cell %j is written %j', (cell, text) => {
  expect(cellText(cell)).toBe(text);
});

it('a list is read page by page to its end, each from the last row on', async () => {
  const list = [1, 2, 3, 4, 5, 6];
  const asked: (number | undefined)[] = [];
  const read = async (last: number | undefined): Promise<number[]> => {
    asked.push(last);
    return list.filter((each) => each > (last ?? 0)).slice(0, 2);
  };
  const found: number[] = [];
  for await (const page of pagesOf(read, 2)) found.push(...page);
  expect([found, asked]).toEqual([list, [undefined, 2, 4, 6]]);
});

it('more rows than there is room for are cut off, and the last row says so', async () => {
  let made = 0;
  async function* pages(): AsyncGenerator<readonly CsvRow[]> {
    for (;;) yield Array.from({ length: 500 }, () => ({ number: ++made }));
  }
  const context = {
    body: (stream: ReadableStream, status: number, headers: Record<string, string>) =>
      new Response(stream, { status, headers }),
  };
  const table = { name: 'x', columns: ['number'], times: [], pages: pages() };
  const text = await (await csvAnswer(context as unknown as KitContext, table)).text();
  const lines = text.split('\r\n');
  expect(lines.slice(0, 2)).toEqual(['number', '1']);
  expect(lines.slice(-3)).toEqual([
    String(MAX_CSV_ROWS),
    'These are the first 100000 rows. Ask for the others with from and to.',
    '',
  ]);
});
