// The outcome of a script run as a model needs it: the end of every series, not all of it.

import { type ToolOutcome, ToolRefusal } from '../../agent/tool-calls.ts';
import type { Evaluated, Refused, Stopped } from '../../library/script-runner.ts';

const MAX_SERIES = 16;
const LAST_VALUES = 20;
const LAST_MESSAGES = 20;
const MAX_DIAGNOSTICS = 10;
/** Prices have no more digits that matter, and every digit is a token. */
const DIGITS = 8;

/** The fields of the evaluate contract that are read here. */
interface Answer {
  readonly count: number;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  readonly trades: readonly unknown[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly alerts: readonly unknown[];
  readonly logs: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
}

export function scriptSummary(outcome: Evaluated | Refused | Stopped): ToolOutcome {
  switch (outcome.kind) {
    case 'answer':
      return summary(JSON.parse(Buffer.from(outcome.json).toString('utf8')) as Answer);
    case 'compile-failed': {
      const faults = outcome.diagnostics
        .slice(0, MAX_DIAGNOSTICS)
        .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
      throw new ToolRefusal(`the script does not compile: ${faults.join('; ')}`);
    }
    case 'runtime-error':
      throw new ToolRefusal(`the script failed on bar ${outcome.barIndex}, line ${outcome.line}: ${outcome.message}`);
    default:
      throw new ToolRefusal(outcome.reason);
  }
}

function summary({ count, series, trades, metrics, alerts, logs, meta }: Answer): ToolOutcome {
  const names = Object.keys(series);
  return {
    script: meta.script_name,
    bars: count,
    // Oldest first, as on a chart; the last one belongs to the newest bar.
    lastValues: Object.fromEntries(names.slice(0, MAX_SERIES).map((name) => [name, lastOf(series[name] ?? [])])),
    ...(names.length > MAX_SERIES && { omittedSeries: names.slice(MAX_SERIES) }),
    alerts: alerts.slice(-LAST_MESSAGES),
    logs: logs.slice(-LAST_MESSAGES),
    ...(Object.keys(metrics).length > 0 && { metrics: newestMonths(metrics) }),
    ...(trades.length > 0 && { rows: [...trades].reverse() }),
  };
}

/** The figures of a strategy are few but for its months. */
function newestMonths(metrics: Answer['metrics']): Answer['metrics'] {
  const { monthly_returns: months } = metrics;
  return Array.isArray(months) ? { ...metrics, monthly_returns: months.slice(-LAST_VALUES) } : metrics;
}

const lastOf = (values: readonly (number | null)[]): readonly (number | null)[] =>
  values.slice(-LAST_VALUES).map((value) => (value === null ? null : Number(value.toPrecision(DIGITS))));
