// The bar store on SQLite, in a file of its own that may be deleted at any time: it is filled again as bars are asked for.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BarStore, Stretch } from '../../../../market-data/bar-store.ts';
import type { Bar } from '../../../../market-data/price-source.ts';
import { inWords } from '../database.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { Pack, SLOTS_A_PACK } from './pack.ts';
import { isUnusable, meansDamage, openPackTable, type PackTable, putAside } from './packs.ts';

/** Ten million bars, about half a gigabyte; those not added to for the longest time go first. */
const MAX_PACKS = 40_000;
/** Four thousand bars, some milliseconds; then other work has its turn. */
const PACKS_A_TURN = 16;

export interface BarsOptions {
  readonly path: string;
  /** Whose bars these are; bars of different sources never mix. */
  readonly source: string;
  readonly log: { warn(fields: object, message: string): void };
  readonly maxPacks?: number;
}

export function openBars({ path, source, log, maxPacks = MAX_PACKS }: BarsOptions): BarStore {
  const file = createFile(path, log);

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
        file.change((table) => {
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

    close: () => file.close(),
  };
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

/** The open file. One that turns out to be damaged, at the start or later, is put aside and an empty one takes its place. */
function createFile(path: string, log: BarsOptions['log']) {
  let checkpoints: Checkpoints | undefined;

  const anew = (error: unknown): PackTable => {
    // Its thread still has the file open that is put aside.
    void checkpoints?.close();
    checkpoints = undefined;
    const aside = putAside(path);
    log.warn(
      { err: error, aside },
      'the kept bars could not be used and were put aside; they are fetched again as needed',
    );
    return openPackTable(path);
  };
  const open = (): PackTable => {
    try {
      return openPackTable(path);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      return anew(error);
    }
  };
  let table = open();

  const use = <T>(work: (table: PackTable) => T): T => {
    try {
      return work(table);
    } catch (error) {
      if (!meansDamage(error)) throw inWords(error, path);
      if (table.db.isOpen) table.db.close();
      table = anew(error);
      return work(table);
    }
  };

  return {
    use,
    /** In one transaction; the work says how many bytes it wrote. */
    change(work: (table: PackTable) => number): void {
      const bytes = use((present) => {
        present.db.exec('BEGIN IMMEDIATE');
        try {
          const written = work(present);
          present.db.exec('COMMIT');
          return written;
        } catch (error) {
          if (present.db.isTransaction) present.db.exec('ROLLBACK');
          present.recount();
          throw error;
        }
      });
      checkpoints ??= createCheckpoints(path);
      checkpoints.committed(bytes);
    },
    async close(): Promise<void> {
      await checkpoints?.close();
      if (table.db.isOpen) table.db.close();
    },
  };
}
