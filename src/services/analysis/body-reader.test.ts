// Large bodies through both roads, the thread and the slices: the same values, the same words, bounded, and never on the loop.

import { describe, expect, it } from 'vitest';
import { BarRows } from './bar-rows.ts';
import { createBodyReader } from './body-reader.ts';
import { createSlicedReader } from './sliced-json.ts';

const bar = (i: number) => ({ time: 60_000 * i, open: i, high: i + 1.5, low: i - 1.25, close: i, volume: i % 7 });
const barsOf = (count: number) => Array.from({ length: count }, (_, i) => bar(i));
const textOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Bars stay in columns; a test looks at them as they were sent. */
const asSent = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_, item: unknown) =>
      item instanceof BarRows ? Array.from({ length: item.length }, (_row, i) => item.row(i)) : item,
    ),
  );

const LARGE = { script: 'x', data: barsOf(6000), inputs: { Length: 5 } };

describe('a large body', () => {
  it.each([
    ['with plain bars', LARGE],
    ['with several requests', { requests: [LARGE, { ...LARGE, symbol: 'BTCUSDT' }, { script: 'y', data: barsOf(2) }] }],
    ['with bars in columns', { script: 'x', data: { time: barsOf(9000).map(({ time }) => time), open: [1] } }],
    ['with bars that have more fields', { script: 'x', data: barsOf(4000).map((row) => ({ ...row, trades: 4 })) }],
    ['with one long text', { script: 'x'.repeat(400_000), data: barsOf(3) }],
    [
      'without bars',
      { libraries: Array.from({ length: 3000 }, (_, i) => ({ source: `text ${i} ${'y'.repeat(40)}` })) },
    ],
    ['that is a list', barsOf(5000)],
    ['with a name that changes objects', JSON.parse(`{"__proto__":{"data":${JSON.stringify(barsOf(3000))}}}`)],
  ])('%s has the same value on both roads', async (_, body) => {
    const [threaded, sliced] = await Promise.all([
      createBodyReader()(textOf(body)),
      createSlicedReader()(textOf(body)),
    ]);
    expect(asSent(threaded)).toEqual(body);
    expect(asSent(threaded)).toEqual(asSent(sliced));
    expect(Object.keys(threaded as object)).toEqual(Object.keys(body));
  });

  it('of plain bars comes in columns', async () => {
    const { data } = (await createBodyReader()(textOf(LARGE))) as { data: unknown };
    expect(data).toBeInstanceOf(BarRows);
    expect((data as BarRows).columns()).toMatchObject({ count: 6000, volume: { 6: 6 } });
  });

  it.each([
    ['one that is cut off', `${textOf(LARGE)}`.slice(0, -5)],
    ['one with something behind it', `${textOf(LARGE)}x`],
    ['a bare NaN', `${textOf(LARGE)}`.replace('"close":5999', '"close":NaN')],
    ['a name twice', `{"a":1,"a":2,"data":${JSON.stringify(barsOf(3000))}}`],
    ['a forged mark', `{"a":"\\u0000list 0","data":${JSON.stringify(barsOf(3000))}}`],
  ])('at fault (%s) is refused with the same words on both roads', async (_, text) => {
    const [threaded, sliced] = await Promise.allSettled([
      createBodyReader()(Buffer.from(text)),
      createSlicedReader()(Buffer.from(text)),
    ]);
    expect(threaded).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_BODY' } });
    expect(threaded).toEqual(sliced);
  });

  it('finds room again when those before it are read, and is refused while there is none', async () => {
    const size = textOf(LARGE).length;
    const read = createBodyReader(2 * size);
    const [first, second, third] = await Promise.allSettled([textOf(LARGE), textOf(LARGE), textOf(LARGE)].map(read));
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(third).toMatchObject({ status: 'rejected', reason: { code: 'BUSY', headers: { 'retry-after': '2' } } });
    await expect(read(Buffer.from(`${textOf(LARGE)}x`))).rejects.toMatchObject({ code: 'INVALID_BODY' });
    expect(await Promise.all([read(textOf(LARGE)), read(textOf(LARGE))])).toHaveLength(2);
  });

  it('keeps the bytes of whoever shares their memory with others', async () => {
    const shared = Buffer.concat([Buffer.from('before'), textOf(LARGE)]);
    await createBodyReader()(shared.subarray(6));
    expect(shared.subarray(0, 8).toString()).toBe('before{"');
  });
});
