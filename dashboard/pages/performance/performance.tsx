// What trading came to: equity and its falls, the figures, and who made what: strategy, market, key, account and day.

import type { EquityCurve, Health, Performance, Result } from '../../server/answers.ts';
import { drawdowns, sumOfCurves } from '../../server/equity-curve.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { fixed, percent, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkWith, type Place } from '../../ui/places.ts';
import { useAccountFilters } from '../trades/use-account-filters.ts';
import { DayCalendar } from './day-calendar.tsx';
import { Groups, heldWords } from './groups.tsx';
import './performance.css';
import { type Chosen, chosenOf, SPANS } from './chosen.ts';
import { TwinPanel } from './twin-panel.tsx';

const EVERY_MS = 30_000;
const MODES = [
  ['paper', 'PAPER'],
  ['testnet', 'TESTNET'],
  ['live', 'LIVE'],
] as const;

export function PerformancePage({ place }: { readonly place: Place }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const [, ...accountFilters] = useAccountFilters();
  const filters: readonly Filter[] = [
    {
      ...{ name: 'span', label: 'How far back', without: 'everything' },
      options: SPANS.map(([word, title]) => [word, title]),
    },
    { name: 'mode', label: 'Money', options: MODES, without: 'in force' },
    ...accountFilters,
  ];
  if (health === undefined) return null;
  const chosen = chosenOf(place.query, health.mode, Date.now());
  return (
    <div class="performance-page">
      <FilterBar place={place} filters={filters} />
      {chosen.day !== undefined && (
        <p>
          Only <strong>{chosen.day}</strong> (UTC). <a href={linkWith(place, { day: undefined })}>All days</a>
        </p>
      )}
      <Outcome place={place} chosen={chosen} />
    </div>
  );
}

function Outcome({ place, chosen }: { readonly place: Place; readonly chosen: Chosen }) {
  const { mode, exchange, account, from, to } = chosen;
  const asked = { mode, exchange, account, from, to };
  const { answer: days, refused } = useAnswer<Result<Performance>>(pathWith('/performance', asked), EVERY_MS);
  if (refused !== undefined && days === undefined)
    return (
      <p role="alert">
        {refused.message} <a href="#/performance">Show all</a>
      </p>
    );
  const total = days?.result.totals.find((each) => each.mode === mode);
  return (
    <>
      {total !== undefined && <Figures figures={figuresOf(total)} />}
      {chosen.day === undefined && <Curves chosen={chosen} />}
      <Groups place={place} chosen={chosen} />
      {chosen.day === undefined && days !== undefined && <DayCalendar place={place} days={days.result.groups} />}
      <TwinPanel chosen={chosen} />
    </>
  );
}

const figuresOf = (total: Performance['totals'][number]): readonly Figure[] => [
  {
    ...{ title: 'Net', value: signed(total.net), gain: total.net },
    words: `${signed(total.pnl)} realized, ${fixed(total.fees)} fees${total.funding === null ? '' : `, ${signed(total.funding)} funding`}`,
  },
  {
    title: 'Closed trades',
    value: String(total.trades),
    words: `${total.wins} won, ${total.losses} lost`,
    link: '#/trades?status=Filled',
  },
  {
    ...{ title: 'Won', value: total.winRate === null ? '–' : `${fixed(total.winRate * 100, 1)} %` },
    words: 'after fees',
  },
  { title: 'Profit factor', value: fixed(total.profitFactor), words: 'earned over lost' },
  {
    ...{ title: 'A trade, on average', value: signed(total.expectancy), gain: total.expectancy ?? undefined },
    words: total.averageHoldingSeconds === null ? 'USDT' : `USDT, held ${heldWords(total.averageHoldingSeconds)}`,
  },
  { title: 'Deepest fall', value: fixed(total.maxDrawdown), words: 'USDT, of what was realized' },
];

function Curves({ chosen: { mode, exchange, account, from, to } }: { readonly chosen: Chosen }) {
  const { answer } = useAnswer<Result<readonly EquityCurve[]>>(
    pathWith('/equity', { exchange, account, from, to, limit: '1000' }),
    EVERY_MS,
  );
  const points = sumOfCurves((answer?.result ?? []).filter((curve) => curve.mode === mode));
  const nowMs = Date.now();
  return (
    <Panel title="Equity and drawdown" aside="USDT; open profit included">
      {points.length > 1 ? (
        <>
          <LineChart label="Equity" nowMs={nowMs} points={points.map(({ at, equity }) => ({ at, value: equity }))} />
          <LineChart
            label="Drawdown"
            nowMs={nowMs}
            points={drawdowns(points)}
            show={(value) => percent(value)}
            isFall
          />
        </>
      ) : (
        <p class="empty">
          The curve begins with the second sample: one is taken every five minutes and after every fill.
        </p>
      )}
    </Panel>
  );
}
