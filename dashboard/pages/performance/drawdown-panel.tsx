// What was realized over time and how far it fell from its height, fill by fill, as the server counts it.

import type { Drawdown, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { fixed, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Chosen } from './chosen.ts';
import { stepsOf } from './steps-of.ts';

const EVERY_MS = 30_000;

export const FALLS_TITLE = 'Result and its drawdown';

export function DrawdownPanel({ chosen: { mode, exchange, account, from, to } }: { readonly chosen: Chosen }) {
  const path = pathWith('/performance/drawdown', { mode, exchange, account, from, to });
  const { answer } = useAnswer<Result<readonly Drawdown[]>>(path, EVERY_MS);
  const points = answer?.result.find((each) => each.mode === mode)?.points ?? [];
  const nowMs = Date.now();
  return (
    <Panel title={FALLS_TITLE} aside="USDT; realized, with fees and funding">
      {points.length > 1 ? (
        <>
          <LineChart
            label="Result"
            nowMs={nowMs}
            points={stepsOf(points.map(({ at, net }) => ({ at, value: net })))}
            show={(value) => signed(value)}
          />
          <LineChart
            label="Drawdown of the result"
            nowMs={nowMs}
            points={stepsOf(points.map(({ at, drawdown }) => ({ at, value: -drawdown })))}
            show={(value) => fixed(value)}
            isFall
          />
        </>
      ) : (
        <p class="empty">The curve begins with the second fill.</p>
      )}
    </Panel>
  );
}
