// The bar store on SQLite keeps the promises of its port, outlives a restart, and is never the reason that something fails.

import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeBarStore, minutes, sampleBar, sampleBars } from '../../../../../tests/ports/bar-store-suite.ts';
import { testFolder } from '../testing/open-test-storage.ts';
import { openBars } from './bars.ts';

const MINUTE_MS = 60_000;

describeBarStore('the bar store on SQLite', async () => {
  const folder = testFolder();
  const store = openBars({ path: join(folder.dataDir, 'market.db'), source: 'binance', log: { warn: () => {} } });
  return {
    store,
    async remove() {
      await store.close();
      folder.remove();
    },
  };
});

describe('the file', () => {
  let folder: ReturnType<typeof testFolder>;
  let path: string;
  let warnings: string[];
  const open = (choice: { source?: string; maxPacks?: number } = {}) =>
    openBars({ path, source: 'binance', log: { warn: (_, message) => void warnings.push(message) }, ...choice });
  const fill = async (from = 0, to = 1000): Promise<void> => {
    const store = open();
    await store.write('BTCUSDT', MINUTE_MS, minutes(from, to), sampleBars(from, to));
    await store.close();
  };

  beforeEach(() => {
    folder = testFolder();
    path = join(folder.dataDir, 'market.db');
    warnings = [];
  });
  afterEach(() => folder.remove());

  test('outlives a restart', async () => {
    await fill();
    const store = open();
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 1000))).bars).toEqual(sampleBars(0, 1000));
    await store.close();
    expect(warnings).toEqual([]);
  });

  test('keeps the bars of different sources apart', async () => {
    await fill();
    const store = open({ source: 'bybit' });
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 10))).bars).toEqual([]);
    await store.close();
  });

  test.each([
    ['is no database', () => writeFileSync(path, 'not a database, but somebody may need it')],
    [
      'is cut short',
      async () => {
        await fill();
        truncateSync(path, 5000);
      },
    ],
    [
      'is a database of something else',
      () => {
        const db = new DatabaseSync(path);
        db.exec('CREATE TABLE series (id TEXT); CREATE TABLE packs (id TEXT)');
        db.close();
      },
    ],
    [
      'was made by a newer version',
      async () => {
        await fill();
        const db = new DatabaseSync(path);
        db.exec("INSERT INTO migrations VALUES (99, '0099-later.sql', 'x', 0)");
        db.close();
      },
    ],
  ])('that %s is put aside with one warning, and a new one is filled', async (_name, spoil) => {
    await spoil();
    const before = readFileSync(path);
    const store = open();
    await store.write('BTCUSDT', MINUTE_MS, minutes(0, 10), sampleBars(0, 10));
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 10))).bars).toEqual(sampleBars(0, 10));
    await store.close();
    expect(warnings).toEqual(['the kept bars could not be used and were put aside; they are fetched again as needed']);
    // Opening it may have added a page, but nothing was taken away.
    expect(readFileSync(`${path}.damaged`).length).toBeGreaterThanOrEqual(before.length);
  });

  test('that turns out damaged while it is used is put aside, and reading goes on with nothing known', async () => {
    await fill(0, 20_000);
    const store = open();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096);
    writeFileSync(path, bytes);
    const { bars, missing } = await store.read('BTCUSDT', MINUTE_MS, minutes(0, 20_000));
    expect([bars, missing]).toEqual([[], [minutes(0, 20_000)]]);
    await store.write('BTCUSDT', MINUTE_MS, minutes(0, 10), sampleBars(0, 10));
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 10))).bars).toEqual(sampleBars(0, 10));
    await store.close();
    expect(warnings).toHaveLength(1);
  });

  test('whose numbers changed on the disk does not give them out: they count as unknown', async () => {
    await fill(0, 512);
    const db = new DatabaseSync(path);
    db.exec('UPDATE packs SET bars = zeroblob(length(bars)) WHERE number = 0');
    db.close();
    const store = open();
    expect(await store.read('BTCUSDT', MINUTE_MS, minutes(0, 512))).toEqual({
      bars: sampleBars(256, 512),
      missing: [minutes(0, 256)],
    });
    await store.close();
  });

  test('may be deleted at any time: reading and writing go on, and a restart begins anew', async () => {
    await fill();
    const store = open();
    for (const rest of ['', '-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
    await store.write('BTCUSDT', MINUTE_MS, minutes(2000, 2010), sampleBars(2000, 2010));
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(2000, 2010))).bars).toHaveLength(10);
    await store.close();
    const again = open();
    await again.write('BTCUSDT', MINUTE_MS, minutes(0, 1), [sampleBar(0)]);
    expect((await again.read('BTCUSDT', MINUTE_MS, minutes(0, 1))).bars).toEqual([sampleBar(0)]);
    await again.close();
  });

  test('that is locked by another program is not put aside: the start says so', async () => {
    await fill();
    const other = new DatabaseSync(path);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    expect(() => open()).toThrow(/locked by another program/);
    other.close();
    expect(existsSync(`${path}.damaged`)).toBe(false);
  });

  test('that cannot be made is told with its path', () => {
    mkdirSync(path, { recursive: true });
    expect(() => open()).toThrow(/market\.db/);
  });

  test('has a largest size: what was not written for the longest time goes first', async () => {
    const store = open({ maxPacks: 3 });
    for (const market of ['A', 'B', 'C']) await store.write(market, MINUTE_MS, minutes(0, 1), [sampleBar(0)]);
    await store.write('A', MINUTE_MS, minutes(1, 2), [sampleBar(1)]);
    await store.write('D', MINUTE_MS, minutes(0, 1), [sampleBar(0)]);
    const kept = await Promise.all(['A', 'B', 'C', 'D'].map((market) => store.read(market, MINUTE_MS, minutes(0, 1))));
    expect(kept.map(({ bars }) => bars.length)).toEqual([1, 0, 1, 1]);
    await store.close();
  });

  test('lets other work have its turn while fifty thousand bars are written and read', async () => {
    const store = open();
    const bars = sampleBars(0, 50_000);
    let turns = 0;
    const ticker = setInterval(() => {
      turns += 1;
    }, 1);
    await store.write('BTCUSDT', MINUTE_MS, minutes(0, 50_000), bars);
    await store.read('BTCUSDT', MINUTE_MS, minutes(0, 50_000));
    clearInterval(ticker);
    expect(turns).toBeGreaterThan(3);
    await store.close();
  });
});
