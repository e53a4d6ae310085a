// The `alertcondition()` calls of a script: on each closed bar on which the condition holds, an alert.
//
// A condition that holds on a tick may be gone at the close, so conditions are looked at when a bar closes and nowhere
// else: history and live agree, and every alert is of the frequency once_per_bar_close.

import { type AlertMoment, alertMessage, type PlotReader } from './alert-message.ts';
import type { Alerts } from './alerts.ts';
import type { Bar } from './bars.ts';
import type { Market } from './market.ts';
import type { OutputData } from './output-data.ts';
import { namedOutputs, valueAt } from './result-series.ts';

export interface AlertConditionParts {
  readonly alerts: Alerts;
  /** All outputs of the script, in its order. */
  readonly outputs: readonly OutputData[];
  readonly market: Market;
  readonly nowMs: () => number;
}

interface Condition {
  readonly output: OutputData;
  readonly title: string | null;
  readonly message: (moment: AlertMoment) => string;
}

export class AlertConditions {
  private readonly parts: AlertConditionParts;
  /** Made after the first bar, when the settings of the outputs are known. */
  private conditions: readonly Condition[] | null = null;

  constructor(parts: AlertConditionParts) {
    this.parts = parts;
  }

  /** After the closing run of a bar. `place` is the bar's in the columns of the outputs; the bar is read only for an alert. */
  closeBar(barIndex: number, place: number, bar: (place: number) => Bar): void {
    this.conditions ??= conditionsOf(this.parts);
    for (let i = 0; i < this.conditions.length; i += 1) {
      const condition = this.conditions[i] as Condition;
      if (valueAt(condition.output, 'condition', place) === 1) this.raise(condition, barIndex, place, bar(place));
    }
  }

  private raise({ title, message }: Condition, barIndex: number, place: number, bar: Bar): void {
    const { alerts, nowMs } = this.parts;
    const item = {
      message: message({ bar, nowMs: nowMs(), place }),
      freq: 'once_per_bar_close',
      barIndex,
      timeMs: bar.time,
      source: 'alertcondition',
    } as const;
    alerts.add(title === null ? item : { ...item, title });
  }
}

function conditionsOf({ outputs, market }: AlertConditionParts): Condition[] {
  const conditions = outputs.filter(({ spec }) => spec.name === 'alertcondition');
  if (conditions.length === 0) return [];
  const plots = plotsOf(outputs);
  return conditions.map((output) => {
    const { title } = output.spec;
    const { message } = output.settings;
    // Without a message an alert still says what it is about.
    const text = typeof message === 'string' && message !== '' ? message : (title ?? '');
    return { output, title, message: alertMessage(text, market, plots) };
  });
}

/** Plots by number and by title. Levels have no number; of several outputs with one title the first is meant. */
export function plotsOf(outputs: readonly OutputData[]) {
  const byNumber: PlotReader[] = [];
  const byTitle = new Map<string, PlotReader>();
  for (const { place, kind, series } of namedOutputs(outputs.map(({ spec }) => spec)))
    for (const { name, parameter } of series) {
      const output = outputs[place] as OutputData;
      const read: PlotReader = (at) => valueAt(output, parameter, at);
      if (kind !== 'hline') byNumber.push(read);
      byTitle.set(name, read);
    }
  return { byNumber, byTitle };
}
