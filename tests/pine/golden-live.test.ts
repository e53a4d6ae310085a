// The golden samples again, live: bars that come tick by tick end with the values and the books they have in history.

import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type LiveRun } from '../../src/pine/index.ts';
import {
  barsOf,
  expectsErrors,
  goldenSamples,
  isClose,
  librariesOf,
  optionsOf,
  type SampleFile,
  tradeFaults,
} from './golden-files.ts';
import type { ExpectedSeries } from './golden-sample.ts';

/** What is another thing on a live chart by its nature, and so cannot be compared. */
const LIVE_MATTERS = /\b(barstate\.|varip\b|last_bar_|timenow|chart\.\w+_visible|session\.islastbar|calc_bars_count)/;

/**
 * On a live bar a request sees the other chart's bar as it stands, in history only when it is over. What history makes of
 * bars that came live is what both must agree on.
 */
const REQUESTS = /\brequest\./;

/** Of history, before the first tick: enough for state to have built up, few enough that much happens live. */
const HISTORY_BARS = 3;

const samples = goldenSamples().map(({ group, samples }) => ({ group, samples: samples.filter(isComparable) }));

for (const { group, samples: files } of samples.filter(({ samples }) => samples.length > 0))
  describe(`golden, live: ${group}`, () => {
    for (const file of files)
      it(file.name.replaceAll('-', ' '), () => {
        expect(liveFaults(file)).toEqual([]);
      });
  });

function isComparable({ sample }: SampleFile): boolean {
  const { series, trades, runtimeError, source } = sample;
  return (
    series.length + (trades?.length ?? 0) > 0 &&
    runtimeError === null &&
    !expectsErrors(sample) &&
    !LIVE_MATTERS.test(source)
  );
}

function liveFaults({ path, sample }: SampleFile): string[] {
  const { program } = compile(sample.source, { libraries: librariesOf(sample, dirname(path)) });
  if (program === null) return ['it does not compile'];
  const bars = barsOf(sample);
  const run = program.open(barColumns(bars.slice(0, HISTORY_BARS)), optionsOf(sample));
  const liveSince = bars[HISTORY_BARS]?.time;
  const replayed =
    REQUESTS.test(sample.source) && liveSince !== undefined
      ? program.run(barColumns(bars), { ...optionsOf(sample), liveSinceMs: liveSince })
      : null;
  const faults: string[] = [];
  for (let index = HISTORY_BARS; index < bars.length; index += 1) {
    const values = tickThrough(run, bars[index] as Bar);
    for (const expected of sample.series) {
      const [wanted] = replayed === null ? wantedAt(expected, index) : [replayed.series.get(expected.title)![index]];
      if (wanted === undefined) continue;
      const value = values.get(expected.title);
      if (!isClose(value, wanted)) faults.push(`${expected.title}@${index} is ${value}, not ${wanted}`);
    }
  }
  const closed = program.run(barColumns(bars), optionsOf(sample));
  return [...faults, ...tradeFaults(sample.trades, run.broker), ...bookFaults(run.broker, closed.broker)];
}

/** Whether a strategy's books are the same to the last digit, whichever way its bars came. */
function bookFaults(live: LiveRun['broker'], closed: LiveRun['broker']): string[] {
  const books = (broker: LiveRun['broker']): string =>
    JSON.stringify(
      broker && [broker.ledger.closed, broker.ledger.lots, broker.ledger.totals, [...broker.equityCurve.all()]],
    );
  return books(live) === books(closed) ? [] : ['its books differ from those of history'];
}

/** A bar as an exchange sends it: its open, its whole range, a fall back to the low, and its end. */
function tickThrough(run: LiveRun, bar: Bar): ReadonlyMap<string, number> {
  const { open, high, low, volume } = bar;
  run.update({ ...bar, high: open, low: open, close: open, volume: volume / 4 });
  run.update({ ...bar, close: high, volume: volume / 2 });
  run.update({ ...bar, close: low });
  return run.close(bar).values;
}

/** The expected value of a bar; none where the sample leaves it unchecked. */
function wantedAt({ bar, values, rest }: ExpectedSeries, index: number): readonly number[] {
  if (bar !== null) return bar === index ? values : [];
  return rest === 'same' ? values : values.slice(index, index + 1);
}
