// Kept runs for a terminal: a list, one of them, and two beside each other.

import { repaintWords } from '../library/repaint-check.ts';
import type { Difference, RunComparison } from '../library/runs/compare-runs.ts';
import type { KeptRun, KeptTrade } from '../library/runs/kept-run.ts';
import { money, percent, plain } from './backtest-figures.ts';
import type { Paint } from './paint.ts';
import { priceSourceRow } from './price-source-words.ts';
import { cell, column, type Fields, pairs, table, time, words, wordsColumn } from './table.ts';

const right = { right: true };
/** Enough to tell two apart by eye; JSON has all of it. */
const SHOWN_DIGITS = 8;

const figureOf = ({ metrics }: KeptRun, name: string): number =>
  typeof metrics[name] === 'number' ? metrics[name] : Number.NaN;
/** Counts have no cents. */
const figureText = (value: number | null): string =>
  value !== null && Number.isInteger(value) ? value.toLocaleString('en-US') : money(value ?? Number.NaN);
const shortDigest = (digest: string): string => digest.slice(0, SHOWN_DIGITS);
const nameOf = ({ name, revision }: KeptRun['script']): string =>
  revision === null ? name : `${name}, revision ${revision}`;
const repaintText = ({ repaint }: KeptRun): string =>
  repaintWords(
    repaint.status === 'not_checked'
      ? { kind: 'not-checked', reason: repaint.reason ?? '' }
      : { kind: 'checked', compared: repaint.bars_compared, lines: repaint.lines },
  );

export function runListText(runs: readonly KeptRun[], paint: Paint): string {
  if (runs.length === 0) return 'No runs are kept here. "signalbox backtest … --save" keeps one.';
  const rows = runs.map(
    (run): Fields => ({
      id: run.id,
      at: time(run.atMs),
      script: run.script.title,
      market: `${cell(run.market.symbol)} ${cell(run.market.timeframe)}`,
      data: shortDigest(run.market.digest),
      trades: run.tradeCount,
      profit: percent(figureOf(run, 'net_profit_percent')),
      drawdown: percent(figureOf(run, 'max_drawdown_percent')),
      note: run.note,
    }),
  );
  const columns = [
    column('run', 'id', right),
    column('at', 'at'),
    column('script', 'script'),
    column('market', 'market'),
    column('data', 'data'),
    column('trades', 'trades', right),
    column('profit', 'profit', right),
    column('drawdown', 'drawdown', right),
    wordsColumn('note', 'note'),
  ];
  return table(columns, rows, paint);
}

export function runText(run: KeptRun, paint: Paint): string {
  const { script, market, inputs, settings } = run;
  const given = Object.entries(inputs).map(([name, value]) => `${cell(name)} = ${cell(value)}`);
  const account = Object.entries(settings).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  const about = pairs(
    [
      ['run', `${run.id}, ${time(run.atMs)}, by Signalbox ${cell(run.engine)}`],
      ['note', words(run.note)],
      ['script', `${cell(nameOf(script))}, digest ${shortDigest(script.digest)}`],
      ...script.libraries.map(
        ({ name, digest }) => ['library', `${cell(name)}, digest ${shortDigest(digest)}`] as const,
      ),
      ['inputs', given.join(', ') || 'the script’s own'],
      ['settings', account.join(', ')],
      ['market', `${cell(market.symbol)}, timeframe ${cell(market.timeframe)}`],
      ...priceSourceRow(market.priceSource),
      [
        'bars',
        `${market.bars} from ${time(market.fromMs)} to ${time(market.toMs)}, digest ${shortDigest(market.digest)}`,
      ],
      ...market.others.map(
        (other) =>
          [
            'bars',
            `${cell(`${other.symbol}:${other.timeframe}`)}, ${other.bars}, digest ${shortDigest(other.digest)}`,
          ] as const,
      ),
      ['repaint', cell(repaintText(run))],
      ['result', `${run.tradeCount} trades, digest ${shortDigest(run.resultDigest)}`],
    ],
    paint,
  );
  const figures = Object.entries(run.metrics).flatMap(([name, value]): Fields[] =>
    typeof value === 'number' && name !== 'from' && name !== 'to' ? [{ name, value: figureText(value) }] : [],
  );
  return [
    paint('bold', cell(script.title)),
    about,
    table([column('', 'name'), column('', 'value', right)], figures, paint),
  ].join('\n\n');
}

export function comparisonText(a: KeptRun, b: KeptRun, found: RunComparison, paint: Paint): string {
  const same = (isSame: boolean): string => (isSame ? paint('green', 'the same') : paint('yellow', 'different'));
  const head = pairs(
    [
      ['script', same(found.sameScript)],
      ['data', same(found.sameData)],
      ['engine', same(found.sameEngine)],
      ['result', same(found.sameResult)],
      ['trades', tradeWords(found)],
    ],
    paint,
  );
  const titles = [column(`run ${a.id}`, 'a', right), column(`run ${b.id}`, 'b', right)];
  const differing = [...found.script, ...found.inputs, ...found.settings, ...found.market];
  const parts = [head];
  if (differing.length > 0)
    parts.push(table([column('differs', 'name'), ...titles], differing.map(differenceRow), paint));
  const figures = found.metrics.map(
    ({ name, a: one, b: other, difference }): Fields => ({
      name,
      a: figureText(one),
      b: figureText(other),
      difference: difference === 0 ? '' : figureText(difference),
    }),
  );
  const last = { title: 'difference', of: (row: Fields) => String(row.difference), right: true };
  parts.push(table([column('figure', 'name'), ...titles, last], figures, paint));
  return parts.join('\n\n');
}

const differenceRow = ({ name, a, b }: Difference): Fields => {
  const isMoment = name === 'from' || name === 'to';
  const shown = (value: unknown): unknown => (isMoment ? time(value) : value);
  return { name, a: shown(a), b: shown(b) };
};

function tradeWords({ firstDifferentTrade: parted, partsLater, sameResult }: RunComparison): string {
  if (parted !== null)
    return `part at trade ${parted.number}: ${tradeText(parted.a)} here, ${tradeText(parted.b)} there`;
  if (partsLater) return 'the kept ones are the same; later ones are not';
  return sameResult ? 'all the same' : 'the same; other figures are not';
}

function tradeText(trade: KeptTrade | null): string {
  if (trade === null) return 'none';
  const { direction, quantity, entryTimeMs, entryPrice, exitTimeMs, exitPrice } = trade;
  const end = exitTimeMs === null ? 'still open' : `to ${time(exitTimeMs)} at ${plain(exitPrice ?? Number.NaN)}`;
  return `${direction} ${plain(quantity)} from ${time(entryTimeMs)} at ${plain(entryPrice)} ${end}`;
}
