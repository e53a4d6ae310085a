// `signalbox bars`: what the archive of bars holds, what is missing in it, and filling it.

import { EXCHANGES_IN_WORDS } from '../../exchanges/exchange.ts';
import { type Args, type Command, noWords, queryOf, type RouteCall, type RouteCalls, UsageFault } from '../command.ts';
import type { Paint } from '../paint.ts';
import { nearest } from '../parse.ts';
import { column, type Fields, fieldsOf, rowsOf, table, timeColumn } from '../table.ts';
import { COMPUTED, count, GAP_COLUMNS, stretchOf } from '../wanted-bars.ts';

const VERBS: Readonly<Record<string, (args: Args) => RouteCall | RouteCalls>> = { list, gaps, download };

export const bars: Command = {
  name: 'bars',
  summary: 'the archive of bars: list, gaps, download',
  usage: [
    'list',
    'gaps --symbol BTCUSDT --timeframe 1m --from 2026-01-01 [--to 2026-02-01]',
    'download --symbol BTCUSDT --timeframe 1m --from 2026-01-01 [--to 2026-02-01] [--exchange binance]',
  ],
  flags: {
    symbol: 'the market, like BTCUSDT',
    timeframe: 'length of a bar, like 1m, 4h, 1d',
    from: 'the beginning: 2026-01-01, 2026-01-01T14:30:00Z, or ms or s since 1970',
    to: 'the end, not included; now if left out',
    exchange: `${EXCHANGES_IN_WORDS}; all have the prices of the one source`,
  },
  plan(args) {
    const [verb = 'list', ...words] = args.words;
    const plan = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (plan === undefined) {
      const near = nearest(verb, Object.keys(VERBS));
      throw new UsageFault(`bars cannot "${verb}".${near === undefined ? '' : ` Did you mean "bars ${near}"?`}`);
    }
    noWords(words);
    return plan(args);
  },
};

function list(): RouteCall {
  const columns = [
    column('market', 'symbol'),
    column('timeframe', 'timeframe'),
    timeColumn('from', 'from'),
    timeColumn('to', 'to'),
    column('prices of', 'source'),
  ];
  return {
    method: 'GET',
    path: '/bars/archive',
    show({ result }, paint) {
      const rows = rowsOf(result);
      return rows.length > 0
        ? table(columns, rows, paint)
        : 'Nothing is kept yet. Fill it with "signalbox bars download".';
    },
  };
}

function gaps({ flags }: Args): RouteCall {
  stretchOf(flags);
  return {
    method: 'GET',
    path: `/bars/gaps${queryOf(flags, ['symbol', 'timeframe', 'from', 'to'])}`,
    show: ({ result }, paint) => gapsText(fieldsOf(result), paint),
  };
}

function gapsText(found: Fields, paint: Paint): string {
  if (found.computed === true) return COMPUTED;
  const missing = rowsOf(found.unknown).map((gap) => ({
    ...gap,
    why: 'not kept yet; "signalbox bars download" fetches it',
  }));
  const empty = rowsOf(found.empty).map((gap) => ({ ...gap, why: 'the venue has none' }));
  const head = `${count(found.bars)} bars are kept.`;
  const rows = [...missing, ...empty];
  return rows.length === 0 ? `${head} There are no gaps.` : `${head}\n${table(GAP_COLUMNS, rows, paint)}`;
}

function download({ flags }: Args): RouteCalls {
  const wanted = stretchOf(flags);
  return {
    // Loaded by no other command.
    callAll: async (connection, io, isJson) =>
      (await import('../download-bars.ts')).downloadBars(wanted, connection, io, isJson),
  };
}
