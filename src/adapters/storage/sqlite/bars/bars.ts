// The bar store on SQLite, in the strangers' database: a cache, filled again as bars are asked for. What is in it may be lost with
// the power or fail to be read; then the venue is asked.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BarStore, StoredSeries, Stretch } from '../../../../market-data/bar-store.ts';
import type { Bar } from '../../../../market-data/price-source.ts';
import { inWords } from '../database.ts';
import { inTurn } from '../turns.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { Pack, SLOTS_A_PACK } from './pack.ts';
import { openPackTable, type PackTable } from './packs.ts';

/** Ten million bars, about half a gigabyte; those not added to for the longest time go first. */
const MAX_PACKS = 40_000;
/** Four thousand bars, some milliseconds; then other work has its turn. */
const PACKS_A_TURN = 16;

export interface BarsOptions {
  readonly path: string;
  /** Whose bars these are; bars of different sources never mix. */
  readonly source: string;
  readonly maxPacks?: number;
}

export function openBars({ path, source, maxPacks = MAX_PACKS }: BarsOptions): BarStore {
  const file = createFile(path);

  return {
    async read(market, timeframeMs, stretch) {
      const bars: Bar[] = [];
      const missing: Stretch[] = [];
      for (const turn of turnsOf(stretch, timeframeMs)) {
        const packs = file.use((table) => {
          const id = table.seriesId(source, market, timeframeMs);
          return id === undefined ? new Map<number, Pack>() : table.read(id, turn.firstPack, turn.lastPack);
        });
        for (let slot = turn.firstSlot; slot < turn.endSlot; slot += 1) {
          const pack = packs.get(Math.floor(slot / SLOTS_A_PACK));
          if (pack?.isKnown(slot % SLOTS_A_PACK) !== true) addSlot(missing, slot, timeframeMs);
          const bar = pack?.bar(slot % SLOTS_A_PACK);
          if (bar !== undefined) bars.push(bar);
        }
        await nextTurn();
      }
      return { bars, missing };
    },

    async write(market, timeframeMs, stretch, bars) {
      const bySlot = new Map(bars.map((bar) => [Math.floor(bar.time / timeframeMs), bar]));
      for (const turn of turnsOf(stretch, timeframeMs)) {
        await file.change((table) => {
          const id = table.addSeries(source, market, timeframeMs);
          const packs = table.read(id, turn.firstPack, turn.lastPack);
          for (let slot = turn.firstSlot; slot < turn.endSlot; slot += 1) {
            const number = Math.floor(slot / SLOTS_A_PACK);
            const pack = packs.get(number) ?? Pack.empty();
            packs.set(number, pack);
            pack.set(slot % SLOTS_A_PACK, bySlot.get(slot));
          }
          for (const [number, pack] of packs) table.write(id, number, pack);
          table.shrinkTo(maxPacks);
          return packs.size * Pack.empty().bytes.length;
        });
        await nextTurn();
      }
    },

    span: async (market, timeframeMs) =>
      file.use((table) => {
        const id = table.seriesId(source, market, timeframeMs);
        return id === undefined ? undefined : spanOf(table, id, timeframeMs);
      }),

    async series() {
      const found: StoredSeries[] = [];
      for (const { id, market, timeframeMs } of file.use((table) => table.series(source))) {
        const span = file.use((table) => spanOf(table, id, timeframeMs));
        if (span !== undefined) found.push({ market, timeframeMs, ...span });
        await nextTurn();
      }
      return found;
    },

    close: () => file.close(),
  };
}

/** From the first slot that is known to the end of the last; packs that are damaged are as good as not there. */
function spanOf(table: PackTable, id: number, timeframeMs: number): Stretch | undefined {
  const numbers = table.numbers(id);
  const first = edgeSlot(table, id, numbers, SLOTS);
  const last = edgeSlot(table, id, numbers.toReversed(), SLOTS.toReversed());
  if (first === undefined || last === undefined) return undefined;
  return { fromMs: first * timeframeMs, toMs: (last + 1) * timeframeMs };
}

const SLOTS = Array.from({ length: SLOTS_A_PACK }, (_, slot) => slot);

function edgeSlot(
  table: PackTable,
  id: number,
  numbers: readonly number[],
  slots: readonly number[],
): number | undefined {
  for (const number of numbers) {
    const pack = table.read(id, number, number).get(number);
    const slot = pack && slots.find((at) => pack.isKnown(at));
    if (slot !== undefined) return number * SLOTS_A_PACK + slot;
  }
  return undefined;
}

interface Turn {
  readonly firstSlot: number;
  readonly endSlot: number;
  readonly firstPack: number;
  readonly lastPack: number;
}

function* turnsOf({ fromMs, toMs }: Stretch, timeframeMs: number): Generator<Turn> {
  const end = Math.ceil(toMs / timeframeMs);
  for (let firstSlot = Math.floor(fromMs / timeframeMs); firstSlot < end; ) {
    const firstPack = Math.floor(firstSlot / SLOTS_A_PACK);
    const endSlot = Math.min(end, (firstPack + PACKS_A_TURN) * SLOTS_A_PACK);
    yield { firstSlot, endSlot, firstPack, lastPack: Math.floor((endSlot - 1) / SLOTS_A_PACK) };
    firstSlot = endSlot;
  }
}

function addSlot(stretches: Stretch[], slot: number, timeframeMs: number): void {
  const fromMs = slot * timeframeMs;
  const last = stretches.at(-1);
  if (last?.toMs === fromMs) stretches[stretches.length - 1] = { fromMs: last.fromMs, toMs: fromMs + timeframeMs };
  else stretches.push({ fromMs, toMs: fromMs + timeframeMs });
}

/** What was written in a transaction, or nothing of it; and checkpoints now and then, which do not hold up whoever writes. */
function createFile(path: string) {
  const table = openPackTable(path);
  let checkpoints: Checkpoints | undefined;

  const use = <T>(work: (table: PackTable) => T): T => {
    try {
      return work(table);
    } catch (error) {
      throw inWords(error, path);
    }
  };

  return {
    use,
    /** In one transaction; the work says how many bytes it wrote. */
    async change(work: (table: PackTable) => number): Promise<void> {
      const bytes = await inTurn(path, () =>
        use(({ db, recount }) => {
          db.exec('BEGIN IMMEDIATE');
          try {
            const written = work(table);
            db.exec('COMMIT');
            return written;
          } catch (error) {
            if (db.isTransaction) db.exec('ROLLBACK');
            recount();
            throw error;
          }
        }),
      );
      checkpoints ??= createCheckpoints(path);
      checkpoints.committed(bytes);
    },
    async close(): Promise<void> {
      await checkpoints?.close();
      if (table.db.isOpen) table.db.close();
    },
  };
}
