// The page a trader opens first: what the money is worth, what is held, what came in, and what became of it.

import { useState } from 'preact/hooks';
import { sumOf } from '../../server/account-sums.ts';
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
import { useAnswer } from '../../server/use-answer.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { fixed, gainOrLoss, percent, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { sumOfCurves, worstDrawdown } from './equity-curve.ts';
import { HappenedPanel } from './happened-panel.tsx';
import { latestSignals } from './latest-signals.ts';
import './overview.css';
import { PositionsPanel } from './positions-panel.tsx';
import { SignalsPanel } from './signals-panel.tsx';

const DAY_MS = 86_400_000;
const SPANS = [
  ['1d', DAY_MS],
  ['1w', 7 * DAY_MS],
  ['1m', 30 * DAY_MS],
  ['all', undefined],
] as const;
type Span = (typeof SPANS)[number][0];

const MOST_SIGNALS = 12;

export function Overview() {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  const { answer: positions } = useAnswer<Result<readonly Position[]>>('/positions');
  const { answer: trades } = useAnswer<Result<readonly Trade[]>>('/trades?limit=50');
  const { answer: refusals } = useAnswer<Result<readonly Refusal[]>>('/refusals?limit=50');
  const mode = health?.mode;
  const inForce = (accounts?.result ?? []).filter((account) => account.mode === mode);
  const held = positions?.result ?? [];
  return (
    <div class="overview">
      <Figures accounts={inForce} positions={held.filter((position) => position.mode === mode)} mode={mode} />
      <div class="two">
        <Equity mode={mode} />
        <HappenedPanel />
      </div>
      {positions !== undefined && <PositionsPanel positions={held} />}
      {trades !== undefined && refusals !== undefined && (
        <SignalsPanel signals={latestSignals(trades.result, refusals.result, MOST_SIGNALS)} />
      )}
    </div>
  );
}

interface FiguresProps {
  readonly accounts: readonly Account[];
  readonly positions: readonly Position[];
  readonly mode: Health['mode'] | undefined;
}

function Figures({ accounts, positions, mode }: FiguresProps) {
  const { answer: curves } = useAnswer<Result<readonly EquityCurve[]>>('/equity', 30_000);
  const { answer: performance } = useAnswer<Result<Performance>>('/performance', 30_000);
  const total = performance?.result.totals.find((each) => each.mode === mode);
  const points = sumOfCurves((curves?.result ?? []).filter((curve) => curve.mode === mode));
  const [equity, today, open] = [
    sumOf(accounts, 'equity'),
    sumOf(accounts, 'realizedToday'),
    sumOf(accounts, 'unrealizedPnl'),
  ];
  const first = points[0]?.equity;
  const leverage = Math.max(0, ...accounts.map(({ leverageInUse }) => leverageInUse ?? 0));
  return (
    <dl class="figures-row">
      <Figure
        title="Equity"
        value={fixed(equity)}
        words={first === undefined || first === 0 ? 'USDT' : `${percent(equity / first - 1)} since the first sample`}
      />
      <Figure title="Today" value={signed(today)} gain={today} words={`${fixed(sumOf(accounts, 'feesToday'))} fees`} />
      <Figure
        title="Open profit"
        value={signed(open)}
        gain={open}
        words={`${positions.length} ${positions.length === 1 ? 'position' : 'positions'}, ${fixed(leverage, 1)}× leverage`}
      />
      <Figure title="Worst drawdown" value={percent(worstDrawdown(points), 1)} words="of equity, all time" />
      <Figure
        title="Closed trades"
        value={total === undefined ? '–' : String(total.trades)}
        words={
          total === undefined || total.winRate === null ? 'none closed yet' : `${fixed(total.winRate * 100, 0)} % won`
        }
      />
    </dl>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly words: string;
  readonly gain?: number;
}

const Figure = ({ title, value, words, gain }: FigureProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={gainOrLoss(gain)}>{value}</dd>
    <dd class="words">{words}</dd>
  </div>
);

function Equity({ mode }: { readonly mode: Health['mode'] | undefined }) {
  const [span, setSpan] = useState<Span>('1w');
  const { answer } = useAnswer<Result<readonly EquityCurve[]>>('/equity', 30_000);
  const nowMs = Date.now();
  const spanMs = SPANS.find(([word]) => word === span)?.[1];
  const whole = sumOfCurves((answer?.result ?? []).filter((curve) => curve.mode === mode));
  const points = whole.filter(({ at }) => spanMs === undefined || at >= nowMs - spanMs);
  return (
    <Panel title="Equity" aside={<SpanChoice span={span} onChoose={setSpan} />}>
      {points.length > 1 ? (
        <LineChart label="Equity" nowMs={nowMs} points={points.map(({ at, equity }) => ({ at, value: equity }))} />
      ) : (
        <p class="empty">The curve begins with the second sample; one is taken every minute.</p>
      )}
    </Panel>
  );
}

const SpanChoice = ({ span, onChoose }: { readonly span: Span; readonly onChoose: (span: Span) => void }) => (
  <fieldset class="span-choice" aria-label="How far back">
    {SPANS.map(([word]) => (
      <button key={word} type="button" aria-pressed={word === span} onClick={() => onChoose(word)}>
        {word}
      </button>
    ))}
  </fieldset>
);
