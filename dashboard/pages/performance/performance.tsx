// What trading came to: equity and its falls, the figures, and who made what: strategy, market, key, tag, account and day.

import type { ClosedTrade, EquityCurve, Health, Performance, Result } from '../../server/answers.ts';
import { drawdowns, sumOfCurves } from '../../server/equity-curve.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { type Figure, Figures } from '../../ui/figures.tsx';
import { type Filter, FilterBar } from '../../ui/filter-bar.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { MONEY_OPTIONS } from '../../ui/money-chip.tsx';
import { fixed, percent, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkWith, type Place } from '../../ui/places.ts';
import { useAccountFilters } from '../trades/use-account-filters.ts';
import { DayCalendar } from './day-calendar.tsx';
import { CLOSED, closedLink, Groups, heldWords } from './groups.tsx';
import './performance.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { type AverageR, averageR } from './average-r.ts';
import { type Chosen, chosenOf, SPANS } from './chosen.ts';
import { ClosedTrades, closedQuery, NewestClosed } from './closed-trades.tsx';
import { DrawdownPanel, FALLS_TITLE } from './drawdown-panel.tsx';
import { LatencyPanel } from './latency-panel.tsx';
import { TwinPanel } from './twin-panel.tsx';

const EVERY_MS = 30_000;

const CLOSED_FILTERS: readonly Filter[] = [
  { name: 'market', label: 'Market', placeholder: 'BTCUSDT' },
  { name: 'key', label: 'Key' },
  { name: 'tag', label: 'Tag' },
];
/** The figures are of everything; only the list of closed trades is narrowed by these. */
const ALL_CLOSED = { symbol: undefined, strategy: undefined, key: undefined, tag: undefined };

export function PerformancePage({ place }: { readonly place: Place }) {
  const { answer: health, refused } = useAnswer<Health>('/health', 3_000);
  const [strategyFilter, ...accountFilters] = useAccountFilters();
  const isOfClosed = place.rest[0] === CLOSED;
  const filters: readonly Filter[] = [
    {
      ...{ name: 'span', label: 'How far back', without: 'everything' },
      options: SPANS.map(([word, title]) => [word, title]),
    },
    { name: 'mode', label: 'Money', options: MONEY_OPTIONS, without: 'in force' },
    ...accountFilters,
    ...(isOfClosed && strategyFilter !== undefined ? [...CLOSED_FILTERS, strategyFilter] : []),
  ];
  if (health === undefined) return <Unanswered refused={refused} />;
  const chosen = chosenOf(place.query, health.mode, Date.now());
  return (
    <div class="performance-page">
      <FilterBar place={place} filters={filters} />
      {chosen.day !== undefined && (
        <p>
          Only <strong>{chosen.day}</strong> (UTC). <a href={linkWith(place, { day: undefined })}>All days</a>
        </p>
      )}
      {isOfClosed ? (
        <ClosedTrades place={place} chosen={chosen} />
      ) : (
        <Outcome place={place} chosen={{ ...chosen, ...ALL_CLOSED }} />
      )}
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
  const archivedBefore = days?.result.archivedBefore ?? null;
  return (
    <>
      {archivedBefore !== null && (from === undefined || Date.parse(from) < archivedBefore) && (
        <p>
          From <strong>{new Date(archivedBefore).toISOString().slice(0, 10)}</strong> on: what is older may be archived
          and is not counted.
        </p>
      )}
      {total !== undefined && <TotalFigures place={place} chosen={chosen} total={total} />}
      {chosen.day === undefined && (
        <div class="curves">
          <Curves chosen={chosen} />
          <DrawdownPanel chosen={chosen} />
        </div>
      )}
      <Groups place={place} chosen={chosen} />
      <NewestClosed place={place} chosen={chosen} />
      {chosen.day === undefined && days !== undefined && <DayCalendar place={place} days={days.result.groups} />}
      <LatencyPanel chosen={chosen} />
      <TwinPanel chosen={chosen} />
    </>
  );
}

/** What R is told of: more would say nothing else, and each is computed anew. */
const MEASURED = '500';

interface TotalFiguresProps {
  readonly place: Place;
  readonly chosen: Chosen;
  readonly total: Performance['totals'][number];
}

function TotalFigures({ place, chosen, total }: TotalFiguresProps) {
  const path = pathWith('/performance/trades', { ...closedQuery(chosen), limit: MEASURED });
  const { answer } = useAnswer<Result<readonly ClosedTrade[]>>(path, EVERY_MS);
  const r = averageR(answer?.result ?? []);
  const link = closedLink(place);
  return <Figures figures={[...figuresOf(total, link), rFigure(r, link)]} />;
}

const rFigure = (r: AverageR | undefined, link: string): Figure => ({
  ...{ title: 'R, on average', value: r === undefined ? '–' : signed(r.average), gain: r?.average, link },
  words: r === undefined ? 'none had a stop with its entry' : `of ${r.count} that had a stop`,
});

const figuresOf = (total: Performance['totals'][number], link: string): readonly Figure[] => [
  {
    ...{ title: 'Net', value: signed(total.net), gain: total.net, link },
    words: `${signed(total.pnl)} realized, ${fixed(total.fees)} fees${total.funding === null ? '' : `, ${signed(total.funding)} funding`}`,
  },
  {
    title: 'Closed trades',
    value: String(total.trades),
    words: `${total.wins} won, ${total.losses} lost`,
    link,
  },
  {
    ...{ title: 'Won', value: total.winRate === null ? '–' : `${fixed(total.winRate * 100, 1)} %`, link },
    words: 'after fees',
  },
  { title: 'Profit factor', value: fixed(total.profitFactor), words: 'earned over lost', link },
  {
    ...{ title: 'A trade, on average', value: signed(total.expectancy), gain: total.expectancy ?? undefined, link },
    words: total.averageHoldingSeconds === null ? 'USDT' : `USDT, held ${heldWords(total.averageHoldingSeconds)}`,
  },
  { title: 'Deepest fall', value: fixed(total.maxDrawdown), words: 'USDT, of what was realized', panel: FALLS_TITLE },
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
