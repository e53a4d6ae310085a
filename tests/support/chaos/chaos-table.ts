// What rounds of chaos came to, as a table.

import type { Finding } from '../nothing-lost.ts';
import type { RoundReport } from './chaos-round.ts';

const NAME_CHARS = 34;

export const roundLine = ({
  seed,
  mode,
  signals,
  requests,
  acknowledged,
  filled,
  faults,
  findings,
}: RoundReport): string =>
  `seed ${seed} ${mode}: ${signals} signals in ${requests} requests, ${acknowledged} acknowledged, ${filled} filled, ` +
  `${total([...faults.values()])} faults, ${findings.length} findings`;

export function chaosTable(reports: readonly RoundReport[]): string[] {
  const sum = (of: (report: RoundReport) => number): number => total(reports.map(of));
  const found = (wanted: Finding['kind']): number =>
    sum(({ findings }) => findings.filter(({ kind }) => kind === wanted).length);
  const names = [...new Set(reports.flatMap(({ faults }) => [...faults.keys()]))].toSorted();
  const ends = [...new Set(reports.flatMap(({ ends }) => [...ends.keys()]))].toSorted();
  return [
    '',
    ...names.map((name) =>
      row(
        name,
        sum(({ faults }) => faults.get(name) ?? 0),
      ),
    ),
    row(
      'faults',
      sum(({ faults }) => total([...faults.values()])),
    ),
    '',
    row(
      'signals',
      sum(({ signals }) => signals),
    ),
    row(
      'requests (with those sent again)',
      sum(({ requests }) => requests),
    ),
    row(
      'acknowledged',
      sum(({ acknowledged }) => acknowledged),
    ),
    ...ends.map((end) =>
      row(
        `  ended as ${end}`,
        sum((report) => report.ends.get(end) ?? 0),
      ),
    ),
    row(
      'refused',
      sum(({ refused }) => refused),
    ),
    row(
      'never answered',
      sum(({ unanswered }) => unanswered),
    ),
    row(
      'trades in the journal',
      sum(({ trades }) => trades),
    ),
    row(
      'of them filled',
      sum(({ filled }) => filled),
    ),
    row(
      'orders at the emulated venues',
      sum(({ liveOrders }) => liveOrders),
    ),
    '',
    row('lost', found('lost')),
    row('doubled', found('doubled')),
    row('out of order within a lane', found('out of order')),
    row('other differences', found('other')),
  ];
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const row = (name: string, count: number): string => `${name.padEnd(NAME_CHARS)}${String(count).padStart(9)}`;
