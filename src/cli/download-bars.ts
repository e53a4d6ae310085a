// `signalbox bars download`: looks for what the archive lacks, has it fetched piece by piece, and tells what is left.
//
// Whatever is asked of GET /bars is kept, so the command only asks. What is there already is not fetched again: after an
// interruption the same command goes on where it was.

import type { LocalIo } from './command.ts';
import type { Connection } from './host.ts';
import { startProgress } from './progress.ts';
import { refusalText, succeeded } from './refusal-text.ts';
import { type Fields, fieldsOf, rowsOf, table, time } from './table.ts';
import { COMPUTED, count, GAP_COLUMNS, type WantedBars } from './wanted-bars.ts';

/** Gaps are looked for in so many bars at once. */
const BARS_A_LOOK = 50_000;
/** Some seconds of a venue's time; longer answers would run into the time limit of a call. */
const BARS_A_PAGE = 2_000;
const MAX_GAPS_SHOWN = 20;

interface Totals {
  kept: number;
  fetched: number;
  readonly unknown: Fields[];
  readonly empty: Fields[];
}

/** The answer of a route was no; the words are for the terminal. */
class Refused extends Error {}

export async function downloadBars(
  wanted: WantedBars,
  connection: Connection,
  io: LocalIo,
  isJson: boolean,
): Promise<number> {
  const toMs = wanted.toMs ?? Date.now();
  const progress = startProgress(io.screen, Math.ceil((toMs - wanted.fromMs) / wanted.timeframeMs), 'Downloading');
  const totals: Totals = { kept: 0, fetched: 0, unknown: [], empty: [] };
  try {
    const get = getterOf(connection, io);
    const lookMs = BARS_A_LOOK * wanted.timeframeMs;
    for (let fromMs = wanted.fromMs; fromMs < toMs; fromMs += lookMs) {
      const isComputed = await fill(wanted, { fromMs, toMs: Math.min(fromMs + lookMs, toMs) }, totals, get, (bars) =>
        Atomics.add(progress.counter, 0, bars),
      );
      if (!isComputed) continue;
      progress.stop();
      io.out(isJson ? JSON.stringify({ computed: true, fetched: 0 }) : COMPUTED);
      return 0;
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    progress.stop();
    io.err(error.message);
    if (totals.fetched > 0) io.err(`${count(totals.fetched)} bars were fetched and are kept; run it again to go on.`);
    return 1;
  } finally {
    progress.stop();
  }
  return tell(wanted, toMs, totals, io, isJson);
}

type Get = (path: string, query: Readonly<Record<string, string | number | undefined>>) => Promise<Fields>;

const getterOf =
  (connection: Connection, io: LocalIo): Get =>
  async (path, query) => {
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, String(value));
    const answer = await connection.call('GET', `${path}?${text}`);
    if (!succeeded(answer)) throw new Refused(refusalText(answer, io.errPaint));
    return fieldsOf(fieldsOf(answer.body).result);
  };

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fetches what is missing of a stretch. True where nothing is ever kept, because it is computed. */
async function fill(
  { symbol, timeframe, timeframeMs, exchange }: WantedBars,
  { fromMs, toMs }: Stretch,
  totals: Totals,
  get: Get,
  onDone: (bars: number) => void,
): Promise<boolean> {
  const market = { symbol, timeframe };
  const stretch = { from: iso(fromMs), to: iso(toMs) };
  const before = await get('/bars/gaps', { ...market, ...stretch });
  if (before.computed === true) return true;
  const missing = rowsOf(before.unknown);
  const missingBars = missing.reduce((sum, gap) => sum + Number(gap.bars), 0);
  onDone(Math.ceil((toMs - fromMs) / timeframeMs) - missingBars);
  for (const gap of missing) {
    const endMs = Number(gap.to);
    for (let startMs = Number(gap.from); startMs < endMs; startMs += BARS_A_PAGE * timeframeMs) {
      const page = { from: iso(startMs), to: iso(Math.min(startMs + BARS_A_PAGE * timeframeMs, endMs)) };
      const found = await get('/bars', { ...market, exchange, ...page, limit: BARS_A_PAGE });
      totals.fetched += rowsOf(found.bars).length;
      onDone(Math.ceil((Math.min(startMs + BARS_A_PAGE * timeframeMs, endMs) - startMs) / timeframeMs));
    }
  }
  const after = missing.length === 0 ? before : await get('/bars/gaps', { ...market, ...stretch });
  totals.kept += Number(after.bars);
  totals.unknown.push(...rowsOf(after.unknown));
  totals.empty.push(...rowsOf(after.empty));
  return false;
}

/** Never as a number: the first years of 1970 would be taken for seconds. */
const iso = (ms: number): string => new Date(ms).toISOString();

function tell({ symbol, timeframe, fromMs }: WantedBars, toMs: number, totals: Totals, io: LocalIo, isJson: boolean) {
  const { kept, fetched, unknown, empty } = totals;
  if (isJson)
    io.out(JSON.stringify({ symbol, timeframe, from: fromMs, to: toMs, bars: kept, fetched, unknown, empty }));
  if (kept === 0 && fetched > 0) {
    io.err(
      `${count(fetched)} bars came, but this Signalbox keeps none: it runs without scripts and analysis (SERVICES).`,
    );
    return 1;
  }
  if (isJson) return 0;
  const gaps = [
    ...unknown.map((gap) => ({ ...gap, why: 'not final yet, or left out by the venue; run it again later' })),
    ...empty.map((gap) => ({ ...gap, why: 'the venue has none' })),
  ];
  io.out(
    `${symbol} ${timeframe} from ${time(fromMs)} to ${time(toMs)}: ${count(kept)} bars are kept, ${count(fetched)} of them new.`,
  );
  if (gaps.length > 0) io.out(table(GAP_COLUMNS, gaps.slice(0, MAX_GAPS_SHOWN), io.paint));
  if (gaps.length > MAX_GAPS_SHOWN) io.out(`… and ${count(gaps.length - MAX_GAPS_SHOWN)} more; --json lists all.`);
  return 0;
}
