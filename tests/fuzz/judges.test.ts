// The fuzzer itself: what it calls a fault, and that it says from which seed.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { FOREIGN_FRAME, type Misdeed } from '../support/fuzz/echo-owner.ts';
import { type FuzzPart, fuzz } from '../support/fuzz/fuzz-part.ts';
import { type HttpRequest, OWNER, STRANGER } from '../support/fuzz/http-requests.ts';
import { type Answered, faultOf } from '../support/fuzz/judge-answer.ts';
import { mutated } from '../support/fuzz/odd-values.ts';
import { openStandbyPart } from '../support/fuzz/standby-part.ts';
import { TradeCount } from '../support/fuzz/trade-count.ts';
import { Random } from '../support/random.ts';

const INTERNAL = { method: 'GET', path: '/trades', security: [{ internalKey: [] }, { session: [] }] };
const REQUEST: HttpRequest = {
  operation: INTERNAL,
  method: 'GET',
  target: '/trades',
  headers: {},
  body: undefined,
  peer: OWNER,
};
const ANSWER: Answered = { status: 200, text: '{}', contentType: 'application/json', tookMs: 1 };

describe('an answer', () => {
  const judge = (request: Partial<HttpRequest>, answer: Partial<Answered>, again = ANSWER) =>
    faultOf(
      { ...REQUEST, ...request },
      { ...ANSWER, ...answer },
      ({ status }) => (status === 418 ? 'is not described' : undefined),
      async () => again,
    );

  it('is no fault when it is as described', async () => {
    expect(await judge({}, {})).toBeUndefined();
  });

  it('is one with a 500, with anything undescribed, and for a stranger inside', async () => {
    expect(await judge({}, { status: 500, text: 'oops' })).toBe('answered 500: oops');
    expect(await judge({}, { status: 418 })).toBe('is not described');
    expect(await judge({ peer: STRANGER }, {})).toBe('let a stranger in with 200: {}');
    expect(await judge({ peer: STRANGER }, { status: 401 })).toBeUndefined();
  });

  it('is slow when it takes more than two seconds every time', async () => {
    expect(await judge({}, { tookMs: 2001 }, { ...ANSWER, tookMs: 1e9 })).toBe('took 2001 ms');
    expect(await judge({}, { tookMs: 2001 }, { ...ANSWER, tookMs: 2000 })).toBeUndefined();
  });
});

describe('the trades of the journal', () => {
  function journal(...rows: readonly (readonly [id: string, source: string, quantity: string, label?: string])[]) {
    const path = join(mkdtempSync(join(tmpdir(), 'signalbox-fuzz-')), 'trades.db');
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE trades (seq INTEGER PRIMARY KEY, request_id, source, key_label, action, symbol, quantity)');
    const insert = db.prepare('INSERT INTO trades (request_id, source, quantity, key_label) VALUES (?, ?, ?, ?)');
    for (const [id, source, quantity, label = 'key'] of rows) insert.run(id, source, quantity, label);
    db.close();
    return new TradeCount(path);
  }
  const filled = (requestId: string) => ({ success: true, requestId, tradeResult: { status: 'Filled' } });
  const WEBHOOK = { method: 'POST', path: '/webhook' };

  it('are those that answers told of, on one account or several; stops and kill switches trade by themselves', () => {
    const trades = journal(
      ['a', 'webhook', '1'],
      ['a.2', 'webhook', '1'],
      ['b', 'stop-loss', '1'],
      ['c', 'owner', '1', 'kill switch'],
    );
    trades.hear(WEBHOOK, filled('a'));
    expect(trades.faults()).toEqual([]);
    trades.close();
  });

  it('are a fault where nobody was told, where there is none, and where the quantity is none', () => {
    const trades = journal(['a', 'webhook', '1'], ['b', 'target', 'NaN']);
    trades.hear(WEBHOOK, filled('x'));
    // A check trades nothing, whatever it answers, and a refusal neither.
    trades.hear({ method: 'POST', path: '/webhook/check' }, filled('y'));
    trades.hear(WEBHOOK, { success: false, requestId: 'z' });
    expect(trades.faults().map((fault) => fault.slice(0, 40))).toEqual([
      'no answer told of this trade of the jour',
      'the journal has no trade x, which an ans',
      'the quantity of this trade is none: {"se',
    ]);
    trades.close();
  });
});

describe('the owner behind the door of a process that stands by', () => {
  it.each<[Misdeed, RegExp]>([
    ['gives each the answer of another', /^answered \[.*\] \(.*\) where \[.*\] was right/],
    ['answers 500', /^answered HTTP\/1\.1 500 to /],
    ['sends a foreign frame', new RegExp(`^a good client heard ${FOREIGN_FRAME} instead of `)],
  ])('is reported when it %s', async (misdeed, words) => {
    const part = await openStandbyPart(misdeed);
    const found: string[] = [];
    // In some batches nobody is behind the door.
    for (let seed = 1; seed <= 10 && found.length === 0; seed += 1)
      found.push(...(await part.batch(new Random(seed), seed)).faults);
    expect(await part.close()).toEqual([]);
    expect(found).toContainEqual(expect.stringMatching(words));
  });
});

describe('a run', () => {
  const part = (batch: FuzzPart['batch'], heaps: number[] = []): FuzzPart => ({
    batch,
    heapBytes: () => heaps.shift() ?? 1,
    close: async () => [],
  });

  it('tries as many inputs as were asked for, each batch with the next seed, and adds up their ends', async () => {
    const seeds: number[] = [];
    const report = await fuzz(
      part((_, seed) => {
        seeds.push(seed);
        return { inputs: 10, faults: [], ends: { ok: 10 } };
      }),
      { inputs: 30, seed: 7 },
    );
    expect([seeds, report.inputs, report.ends]).toEqual([[7, 8, 9], 30, { ok: 30 }]);
  });

  it('names the seed of a fault, and ends after a few', async () => {
    const report = await fuzz(
      part((_, seed) => ({ inputs: 1, faults: [`bad ${seed}`] })),
      { inputs: 100, seed: 5, maxFaults: 2 },
    );
    expect(report.faults).toEqual(['seed 5: bad 5', 'seed 6: bad 6']);
  });

  it('calls it a fault when memory grows after the warm-up', async () => {
    const grow = (endMiB: number) =>
      fuzz(
        part(() => ({ inputs: 10_000, faults: [] }), [2 ** 20, endMiB * 2 ** 20]),
        { inputs: 40_000, seed: 1 },
      );
    expect((await grow(25)).faults).toEqual([]);
    expect((await grow(26)).faults).toEqual(['memory grew by 25 MiB from 1 MiB after the warm-up']);
  });
});

it('a value with something wrong depends on its seed alone, and leaves the good one as it is', () => {
  const good = { symbol: 'BTCUSDT', quantity: 1, targets: [{ share: 1 }] };
  const before = structuredClone(good);
  const made = (seed: number) => JSON.stringify(mutated(good, new Random(seed)));
  for (let seed = 0; seed < 200; seed += 1) expect(made(seed)).toBe(made(seed));
  expect(new Set(Array.from({ length: 200 }, (_, seed) => made(seed))).size).toBeGreaterThan(50);
  expect(good).toEqual(before);
});
