// The report of a strategy: what must be known of it, its figures, its equity and the falls of it, and everything by direction.

import { useMemo } from 'preact/hooks';
import type { StrategyAnswer } from '../../../../src/pine/light.ts';
import { Chip } from '../../../ui/chip.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { LineChart, type LinePoint } from '../../../ui/line-chart.tsx';
import { fixed, signed } from '../../../ui/numbers.ts';
import { type Column, Table } from '../../../ui/table.tsx';
import { thinned } from './curve-points.ts';
import type { HonestWords } from './honest-words.ts';
import { currencyOf, type FigureLine, figureLines, headFigures } from './report-figures.ts';
import './report-view.css';

const COLUMNS: readonly Column<FigureLine>[] = [
  { title: 'Figure', cell: ({ name }) => name },
  { title: 'All', isNumber: true, cell: ({ all }) => all },
  { title: 'Long', isNumber: true, cell: ({ long }) => long },
  { title: 'Short', isNumber: true, cell: ({ short }) => short },
];

export interface ReportViewProps {
  readonly strategy: StrategyAnswer;
  readonly honest: HonestWords;
}

export function ReportView({ strategy, honest }: ReportViewProps) {
  const { equity, drawdown } = useMemo(() => curvesOf(strategy), [strategy]);
  const currency = currencyOf(strategy);
  const nowMs = Date.now();
  return (
    <div class="report-view">
      <Honest {...honest} />
      <Figures figures={headFigures(strategy)} />
      <div class="columns">
        <div class="curves">
          {equity.length > 1 && (
            <>
              <h2>Equity, {currency}</h2>
              <LineChart label={`Equity in ${currency}`} points={equity} nowMs={nowMs} show={(value) => fixed(value)} />
              <h2>Drawdown (equity curve), {currency}</h2>
              <LineChart
                label={`Drawdown in ${currency}`}
                points={drawdown}
                nowMs={nowMs}
                show={(value) => signed(value)}
                isFall
              />
            </>
          )}
        </div>
        <Table
          label={`Figures by direction, ${currency}`}
          columns={COLUMNS}
          rows={figureLines(strategy)}
          keyOf={({ name }) => name}
        />
      </div>
    </div>
  );
}

export const Honest = ({ isSimulated, bars, warnings }: HonestWords) => (
  <div class="honest">
    <p>
      {isSimulated && (
        <>
          <Chip tone="warn">Simulated prices</Chip> made up by Signalbox, not those of a market.{' '}
        </>
      )}
      {bars}.
    </p>
    {warnings.map((warning) => (
      <p key={warning} class="warning">
        {warning}
      </p>
    ))}
  </div>
);

function curvesOf({ equity }: StrategyAnswer): {
  readonly equity: readonly LinePoint[];
  readonly drawdown: readonly LinePoint[];
} {
  const points = (of: (point: StrategyAnswer['equity'][number]) => number | null): readonly LinePoint[] =>
    thinned(
      equity.flatMap((point) => {
        const value = of(point);
        return value === null ? [] : [{ at: point.time, value }];
      }),
    );
  return {
    equity: points((point) => point.equity),
    drawdown: points(({ drawdown }) => (drawdown === null ? null : -drawdown)),
  };
}
