// The bar store on SQLite keeps the promises of its port, outlives a restart, and leaves a damaged database alone.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeBarStore, minutes, sampleBar, sampleBars } from '../../../../../tests/ports/bar-store-suite.ts';
import { testFolder } from '../testing/open-test-storage.ts';
import { openBars } from './bars.ts';

const MINUTE_MS = 60_000;

describeBarStore('the bar store on SQLite', async () => {
  const folder = testFolder();
  const store = openBars({ path: join(folder.dataDir, 'scripts.db'), source: 'binance' });
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
  const open = (choice: { source?: string; maxPacks?: number } = {}) =>
    openBars({ path, source: 'binance', ...choice });
  const fill = async (from = 0, to = 1000): Promise<void> => {
    const store = open();
    await store.write('BTCUSDT', MINUTE_MS, minutes(from, to), sampleBars(from, to));
    await store.close();
  };

  beforeEach(() => {
    folder = testFolder();
    path = join(folder.dataDir, 'scripts.db');
  });
  afterEach(() => folder.remove());

  test('outlives a restart', async () => {
    await fill();
    const store = open();
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 1000))).bars).toEqual(sampleBars(0, 1000));
    await store.close();
  });

  test('keeps the bars of different sources apart', async () => {
    await fill();
    const store = open({ source: 'bybit' });
    expect((await store.read('BTCUSDT', MINUTE_MS, minutes(0, 10))).bars).toEqual([]);
    await store.close();
  });

  test.each([
    [
      'is no database',
      /not a SQLite database; it was left untouched/,
      () => writeFileSync(path, 'no database '.repeat(99)),
    ],
    [
      'was made by a newer version',
      /written by a newer Signalbox/,
      async () => {
        await fill();
        const db = new DatabaseSync(path);
        db.exec("INSERT INTO migrations VALUES (99, '0099-later.sql', 'x', 0)");
        db.close();
      },
    ],
  ])('that %s is refused and left alone, for the scripts of users are in it too', async (_name, words, spoil) => {
    await spoil();
    const before = readFileSync(path);
    expect(() => open()).toThrow(words);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('that turns out damaged while it is used says so and stays where it is', async () => {
    await fill(0, 20_000);
    const store = open();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096);
    writeFileSync(path, bytes);
    await expect(store.read('BTCUSDT', MINUTE_MS, minutes(0, 20_000))).rejects.toThrow(/scripts\.db is damaged/);
    await store.close();
    expect(existsSync(path)).toBe(true);
  });

  test('whose numbers changed on the disk does not give them out: they count as unknown', async () => {
    await fill(0, 512);
    const db = new DatabaseSync(path);
    db.exec('UPDATE bar_packs SET bars = zeroblob(length(bars)) WHERE number = 0');
    db.close();
    const store = open();
    expect(await store.read('BTCUSDT', MINUTE_MS, minutes(0, 512))).toEqual({
      bars: sampleBars(256, 512),
      missing: [minutes(0, 256)],
    });
    await store.close();
  });

  test('that is locked by another program is told by the start', async () => {
    await fill();
    const other = new DatabaseSync(path);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    expect(() => open()).toThrow(/locked by another program/);
    other.close();
  });

  test('that cannot be made is told with its path', () => {
    mkdirSync(path, { recursive: true });
    expect(() => open()).toThrow(/scripts\.db/);
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
