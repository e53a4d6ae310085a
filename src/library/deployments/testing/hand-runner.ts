// A script runner that raises an alert on every bar with an even close, history included, unless a test says otherwise.

import { type BarColumns, barColumns, type RunResult } from '../../../pine/index.ts';
import type { LiveDone, LiveRequest, LiveRunner } from '../../live-runner.ts';
import type { RunRequest, ScriptRunner } from '../../script-runner.ts';

type Outcome = Awaited<ReturnType<ScriptRunner['run']>>;

export interface HandRunner extends Pick<ScriptRunner, 'run'>, LiveRunner {
  /** In place of the usual outcome. */
  answer: ((request: RunRequest) => Outcome | undefined | Promise<Outcome | undefined>) | undefined;
  readonly requests: RunRequest[];
  readonly mostAtOnce: number;
}

export const isAlerting = (close: number): boolean => close % 2 === 0;

export function resultOf({ bars }: RunRequest, alertsOf: (close: number) => number = (c) => (isAlerting(c) ? 1 : 0)) {
  const alerts: RunResult['alerts'][number][] = [];
  for (let index = 0; index < bars.count; index += 1)
    for (let copy = 0; copy < alertsOf(bars.close[index] as number); copy += 1)
      alerts.push({
        message: `close ${bars.close[index]}`,
        freq: 'once_per_bar',
        barIndex: index,
        timeMs: bars.time[index] as number,
        source: 'alert',
      });
  const result = { count: bars.count, alerts, meta: { scriptType: 'indicator' } } as unknown as RunResult;
  return { kind: 'result', result, report: null, warnings: [], runMs: 3 } as const;
}

export function createHandRunner(): HandRunner {
  const requests: RunRequest[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const runner: HandRunner = {
    answer: undefined,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async run(request) {
      requests.push(request);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await Promise.resolve();
      const outcome = await runner.answer?.(request);
      atOnce -= 1;
      return outcome ?? resultOf(request);
    },
    /** Over its whole history each time, so that a test sees what a run stands on; alerts come at the close. */
    async advance({ bar, anchorMs: _, afterMs: __, runId: ___, ...request }, history) {
      const bars = withBar(history(), bar);
      const outcome = await runner.run({ ...request, bars, alertsSinceMs: bar.time });
      return outcome.kind === 'result' ? liveOf(outcome.result, request.isClosed ? bar.time : Number.NaN) : outcome;
    },
  };
  return runner;
}

function withBar(history: BarColumns, bar: LiveRequest['bar']): BarColumns {
  const rows = Array.from(history.time, (time, index) => ({
    ...{ time, open: history.open[index]!, high: history.high[index]!, low: history.low[index]! },
    ...{ close: history.close[index]!, volume: history.volume[index]! },
  }));
  return barColumns([...rows, bar]);
}

const liveOf = ({ alerts, count }: RunResult, timeMs: number): LiveDone => ({
  kind: 'live',
  scriptType: 'indicator',
  bars: count,
  isReplayed: false,
  alerts: alerts.filter((alert) => alert.timeMs === timeMs),
  fills: [],
  position: null,
  awaitsTicks: false,
  runMs: 3,
});
