// Large bodies in steps: whatever the text is, the outcome is that of reading it whole, and nobody waits long for it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrict } from '../../http/strict-body.ts';
import { BarRows } from './bar-rows.ts';
import { createSlicedReader, readSteps } from './sliced-json.ts';
import { barsOf } from './testing/analysis-app.ts';

type Outcome = { readonly value: unknown } | { readonly code: unknown };

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (error) {
    return { code: (error as { code: unknown }).code };
  }
}

/** To its end, with pieces so small that even short texts are cut. */
function readWhole(bytes: Uint8Array, pieceBytes = 8): unknown {
  const steps = readSteps(bytes, pieceBytes);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const bothWays = (text: string | Uint8Array) => {
  const bytes = Buffer.from(text);
  return [outcomeOf(() => readWhole(bytes)), outcomeOf(() => parseStrict(bytes))] as const;
};

describe('a text in pieces is read as a whole one', () => {
  it.each([
    '[1,2,3,4,5,6,7,8,9,10]',
    '{"data":[{"a":1},{"a":2},{"a":3},{"a":4}],"b":"x"}',
    '{"a":[11111111,22222222],"b":[33333333,44444444],"c":{"d":[5,6,7,8,9,10,11]}}',
    '{"requests":[{"data":[1,2,3,4,5,6,7,8]},{"data":[1,2,3,4,5,6,7,8]},5]}',
    '[                                ]',
    '[[[[1,2,3,4,5,6,7,8,9,10]]]]',
    '{"__proto__":[1,2,3,4,5,6,7,8],"x":1}',
    '["a,b,c,d,e]f","\\"],[\\\\","é€🚀,,,,,"]',
    '\ufeff[1,2,3,4,5,6,7,8,9]',
    '"\\u0000list 0"',
    '["\\u0000list 7",1,2,3,4,5,6,7,8]',
  ])('%s', (text) => {
    const [pieces, whole] = bothWays(text);
    expect(pieces).toEqual(whole);
    expect(pieces).toHaveProperty('value');
  });

  it.each([
    '[1,2,3,4,5,6,7,8,9,]',
    '[1,2,3,4,,5,6,7,8,9]',
    '[,1,2,3,4,5,6,7,8,9]',
    '[1,2,3,4,5,6,7,8,9',
    '[1,2,3,4,5,6,7,8,9}',
    '[1,2,3,4,5,6,7,8,9]]',
    '{[1,2,3,4,5,6,7,8,9]:1}',
    '{"a":[1,2,3,4,5,6,7,8,9],"a":1}',
    '{"a":[1,2,3,4,5,6,7,8,9],"a":[1,2,3,4,5,6,7,8,9]}',
    '[{"a":1,"a":2},1,2,3,4,5,6,7,8]',
    '[1,2,3,4,NaN,6,7,8,9,10]',
    '["1,2,3,4,5,6,7,8,9]',
    '"a"[1,2,3,4,5,6,7,8,9]',
    '[1,2,3,4,5,6,7,8,9]"a"',
    `${'['.repeat(33)}1,2,3,4,5,6,7,8${']'.repeat(33)}`,
  ])('or refused as one: %s', (text) => {
    expect(bothWays(text)).toEqual([{ code: 'INVALID_BODY' }, { code: 'INVALID_BODY' }]);
  });

  it('also when it is no text', () => {
    const bytes = Buffer.concat([Buffer.from('["a","b","c","'), Buffer.from([0xff, 0xfe]), Buffer.from('"]')]);
    expect(bothWays(bytes)).toEqual([{ code: 'INVALID_BODY' }, { code: 'INVALID_BODY' }]);
  });

  it('whatever it holds, and whatever is broken in it', () => {
    const letters = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', '1', 'n');
    const change = fc.tuple(fc.nat(), fc.constantFrom('insert', 'delete', 'replace'), letters);
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(change, { maxLength: 2 }), (json, changes) => {
        let text = json;
        for (const [place, kind, letter] of changes) {
          const at = place % (text.length + 1);
          text = text.slice(0, at) + (kind === 'delete' ? '' : letter) + text.slice(kind === 'insert' ? at : at + 1);
        }
        const [pieces, whole] = bothWays(text);
        expect(pieces).toEqual(whole);
      }),
      { numRuns: 700 },
    );
  });

  it('unless it forges a mark, which is refused', () => {
    expect(() => readWhole(Buffer.from('{"a":"\\u0000list 0","b":[1,2,3,4,5,6,7,8,9]}'))).toThrow('not usable JSON');
  });
});

/** Bars stay in columns; a test looks at them as they were sent. */
const rowsAgain = (_: string, value: unknown) =>
  value instanceof BarRows ? Array.from({ length: value.length }, (_row, i) => value.row(i)) : value;

describe('a large body', () => {
  const large = Buffer.from(JSON.stringify({ script: 'x', data: barsOf(6000) }));

  it('is read in many steps', () => {
    const steps = readSteps(large);
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBeGreaterThan(Math.floor(large.length / (128 * 1024)));
  });

  it('at fault is told with the place of its piece', async () => {
    const text = large.toString().replace('"close":5999', '"close":NaN');
    await expect(createSlicedReader()(Buffer.from(text))).rejects.toThrow(/Near byte \d{5,} it has a bare NaN/);
  });

  it('lets others go first between its steps, however many are read at once', async () => {
    const read = createSlicedReader();
    let turns = 0;
    let isDone = false;
    const others = (): void => {
      turns += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    const values = await Promise.all([read(large), read(Buffer.from('{"a":1}')), read(large), read(large)]);
    isDone = true;
    // One step of one body for each turn of the others.
    expect(turns).toBeGreaterThan(3 * Math.floor(large.length / (128 * 1024)));
    expect(values.map((value) => JSON.stringify(value, rowsAgain))).toEqual([
      `${large}`,
      '{"a":1}',
      `${large}`,
      `${large}`,
    ]);
  });

  it('of the shortest bars is taken', async () => {
    const bar = '{"time":1,"open":1,"high":1,"low":1,"close":1}';
    const body = (await createSlicedReader()(Buffer.from(`{"data":[${`${bar},`.repeat(49_999)}${bar}]}`))) as {
      data: object[];
    };
    expect(body.data).toHaveLength(50_000);
  });

  it('of requests that are each just too short to be cut is taken', async () => {
    const bar = '{"time":1,"open":1,"high":1,"low":1,"close":1}';
    const request = `{"data":[${`${bar},`.repeat(2780)}${bar}]}`;
    const text = `{"requests":[${`${request},`.repeat(7)}${request}]}`;
    const body = (await createSlicedReader()(Buffer.from(text))) as { requests: { data: object[] }[] };
    expect(body.requests.map(({ data }) => data.length)).toEqual(Array.from({ length: 8 }, () => 2781));
  });

  const members = (count: number) => Array.from({ length: count }, (_, i) => `"name${i}":1`).join(',');
  it.each([
    ['of 40,001 fields', `{${members(40_001)}}`, true],
    ['with 40,002 fields', `{${members(40_002)}}`, false],
    ['with as many inside', `{"inputs":{${members(40_002)}}}`, false],
    ['with one bar as large', `{"data":[{${members(40_002)}}]}`, false],
    ['with one among others', `{"data":[{"a":1},{${members(40_002)}},{"a":1}]}`, false],
    ['with small ones beside a long list', `[[${'"xxxxxxxx",'.repeat(15_000)}1],${'1,'.repeat(40_001)}1]`, false],
    ['that never ends', `{"data":[${'{"time":1},'.repeat(20_000)}`, false],
  ])('%s is not read in one go', async (_, text, isTaken) => {
    const read = createSlicedReader()(Buffer.from(text));
    if (isTaken) expect(Object.keys((await read) as object)).toHaveLength(40_001);
    else await expect(read).rejects.toThrow(/not usable JSON\. Its? .*(values where a few belong|fit together)/);
  });

  it.each([
    ['a column of zeros', `{"data":{"time":[${'0,'.repeat(70_000)}0],"open":[${'0,'.repeat(9000)}0]}}`],
    ['many lists in a list', `{"data":[${'[],'.repeat(70_000)}1]}`],
    ['six columns, each just too short to be cut for its bytes', `[${`[${'1.25,'.repeat(9000)}1],`.repeat(5)}[1]]`],
  ])('of %s is taken, in short steps', (_, text) => {
    const steps = readSteps(Buffer.from(text));
    let count = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        expect(JSON.stringify(step.value)).toBe(text);
        break;
      }
      count += 1;
    }
    expect(count).toBeGreaterThan(5);
  });

  it('at fault does not hold up the next', async () => {
    const read = createSlicedReader();
    const faulty = read(Buffer.from(`${large.toString()}x`));
    const next = read(large);
    await expect(faulty).rejects.toThrow('not usable JSON');
    expect(await next).toHaveProperty('script', 'x');
  });
});
