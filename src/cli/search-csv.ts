// Every combination that a search tried as CSV: its rank, its inputs, what it is worth, and its figures on each market.

import type { Search } from '../library/search/search.ts';
import { csvName, FIGURE_NAMES } from '../pine/light.ts';

/** Digits that say something: what adding doubles leaves behind them is dust. */
const DIGITS = 12;

export function* searchCsv(search: Search): Generator<string> {
  const { plan } = search;
  const markets = plan.markets.flatMap(({ name }) =>
    FIGURE_NAMES.map((figure) => (plan.markets.length === 1 ? figure : `${name} ${figure}`)),
  );
  const titles = plan.axes.map(({ title }) => title);
  yield line(['rank', ...titles, 'value', 'meets_constraints', ...markets]);
  for (const [index, trial] of search.ranking().entries()) {
    const places = search.candidates[trial.candidate]!;
    const inputs = plan.axes.map(({ values }, axis) => values[places[axis]!]);
    yield line([index + 1, ...inputs, trial.value, trial.meets, ...trial.markets.flat()]);
  }
}

const line = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\n`;

function cell(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : '';
  return csvName(String(value));
}
