// The page a trader opens first: what the money is worth, what is held, what came in, and what became of it.

import { useState } from 'preact/hooks';
import { sumOf, todayLink, todayOf } from '../../server/account-sums.ts';
import type {
  Account,
  EquityCurve,
  Health,
  Performance,
  Position,
  Refusal,
  Result,
  Trade,
} from '../../server/answers.ts';
import { sumOfCurves, worstDrawdown } from '../../server/equity-curve.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Choice } from '../../ui/choice.tsx';
import { Figures as FigureRow } from '../../ui/figures.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { fixed, percent, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Place } from '../../ui/places.ts';
import { latestSignals } from '../signals/signal.ts';
import { FirstSteps } from './first-steps.tsx';
import { HappenedPanel } from './happened-panel.tsx';
import './overview.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { PositionsTable } from '../positions/positions-table.tsx';
import { RunningPanel } from './running-panel.tsx';
import { SignalsPanel } from './signals-panel.tsx';

const DAY_MS = 86_400_000;
const SPANS = [
  ['1d', DAY_MS],
  ['1w', 7 * DAY_MS],
  ['1m', 30 * DAY_MS],
  ['all', undefined],
] as const;
type Span = (typeof SPANS)[number][0];
const CHOICES = SPANS.map(([word]) => [word, word] as const);

const MOST_SIGNALS = 12;
/** What strangers send must neither push these out nor look like a sign of life. */
const OF_KEYS = '/refusals?limit=50&sender=known';
const OF_STRANGERS = '/refusals?limit=1&sender=unknown';

export function Overview({ place }: { readonly place: Place }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  const { answer: positions, refused: unknown } = useAnswer<Result<readonly Position[]>>('/positions');
  const { answer: trades, refused: noTrades } = useAnswer<Result<readonly Trade[]>>('/trades?limit=50');
  const { answer: refusals, refused: noRefusals } = useAnswer<Result<readonly Refusal[]>>(OF_KEYS);
  const { answer: strangers } = useAnswer<Result<readonly Refusal[]>>(OF_STRANGERS);
  const mode = health?.mode;
  const inForce = (accounts?.result ?? []).filter((account) => account.mode === mode);
  const held = positions?.result ?? [];
  const signals = trades && refusals && latestSignals(trades.result, refusals.result, MOST_SIGNALS);
  const whyUnknown = noTrades ?? noRefusals;
  const lastSignal = whyUnknown === undefined ? signals && (signals[0]?.at ?? 'none') : whyUnknown;
  return (
    <div class="overview">
      <FirstSteps />
      <Figures
        accounts={inForce}
        held={positions && held.filter((position) => position.mode === mode).length}
        mode={mode}
      />
      <div class="two">
        <Equity mode={mode} equityNow={inForce.length === 0 ? undefined : sumOf(inForce, 'equity')} />
        <HappenedPanel />
      </div>
      {positions === undefined ? (
        <Unanswered title="Positions" refused={unknown} />
      ) : (
        <Panel title="Positions" aside={<a href="#/positions">{held.length} open</a>}>
          <PositionsTable positions={held} />
        </Panel>
      )}
      {signals === undefined ? (
        <Unanswered title="Latest signals" refused={whyUnknown} />
      ) : (
        <SignalsPanel signals={signals} strangerAtMs={strangers?.result[0]?.receivedAt} />
      )}
      <RunningPanel lastSignal={lastSignal} isWanted={place.query.has('see')} />
    </div>
  );
}

interface FiguresProps {
  readonly accounts: readonly Account[];
  /** How many positions; undefined while that is not known. */
  readonly held: number | undefined;
  readonly mode: Health['mode'] | undefined;
}

function Figures({ accounts, held, mode }: FiguresProps) {
  const { answer: curves } = useAnswer<Result<readonly EquityCurve[]>>('/equity', 30_000);
  const { answer: performance } = useAnswer<Result<Performance>>('/performance', 30_000);
  const total = performance?.result.totals.find((each) => each.mode === mode);
  const points = sumOfCurves((curves?.result ?? []).filter((curve) => curve.mode === mode));
  const [equity, today, open] = [sumOf(accounts, 'equity'), todayOf(accounts), sumOf(accounts, 'unrealizedPnl')];
  const first = points[0]?.equity;
  const leverage = accounts.some(({ leverageInUse }) => leverageInUse === null)
    ? undefined
    : Math.max(0, ...accounts.map(({ leverageInUse }) => leverageInUse ?? 0));
  return (
    <FigureRow
      figures={[
        {
          ...{ title: 'Equity', value: fixed(equity), link: '#/performance' },
          words:
            first === undefined || first === 0 || equity === undefined
              ? 'USDT'
              : `${percent(equity / first - 1)} since the first sample`,
        },
        {
          ...{ title: 'Today', value: signed(today), gain: today, link: todayLink() },
          words: `closed, after ${fixed(sumOf(accounts, 'feesToday'))} fees`,
        },
        {
          ...{ title: 'Open profit', value: signed(open), gain: open, link: '#/positions' },
          words: `${held ?? '–'} ${held === 1 ? 'position' : 'positions'}, ${leverage === undefined ? 'leverage not known' : `${fixed(leverage, 1)}× leverage`}`,
        },
        {
          ...{ title: 'Worst drawdown', value: percent(worstDrawdown(points)), link: '#/performance' },
          words: 'of equity, all time',
        },
        {
          ...{
            title: 'Closed trades',
            value: total === undefined ? '–' : String(total.trades),
            link: '#/performance/trades',
          },
          words:
            total === undefined || total.winRate === null
              ? 'none closed yet'
              : `${fixed(total.winRate * 100, 0)} % won`,
        },
      ]}
    />
  );
}

interface EquityProps {
  readonly mode: Health['mode'] | undefined;
  /** The curve has samples; it ends where the figure above it stands. */
  readonly equityNow: number | undefined;
}

function Equity({ mode, equityNow }: EquityProps) {
  const [span, setSpan] = useState<Span>('1w');
  const { answer } = useAnswer<Result<readonly EquityCurve[]>>('/equity', 30_000);
  const nowMs = Date.now();
  const spanMs = SPANS.find(([word]) => word === span)?.[1];
  const whole = sumOfCurves((answer?.result ?? []).filter((curve) => curve.mode === mode));
  const sampled = whole.filter(({ at }) => spanMs === undefined || at >= nowMs - spanMs);
  const points = equityNow === undefined ? sampled : [...sampled, { at: nowMs, equity: equityNow }];
  return (
    <Panel title="Equity" aside={<Choice label="How far back" options={CHOICES} chosen={span} onChoose={setSpan} />}>
      {sampled.length > 1 ? (
        <LineChart label="Equity" nowMs={nowMs} points={points.map(({ at, equity }) => ({ at, value: equity }))} />
      ) : (
        <p class="empty">
          The curve begins with the second sample; one is taken every five minutes, and after every fill.
        </p>
      )}
    </Panel>
  );
}
