// The performance of accounts over a stretch of time, from every fill that the journal has of them. Real money and play money
// are never added up: each mode has a report of its own.

import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Accounts } from '../accounts.ts';
import type { VenueMode } from '../venue.ts';
import { type AccountFilter, accountsOf } from './account-reports.ts';
import type { FillFilter, HistoricFill, TradedFill, TradedFillHistory } from './fill-history.ts';
import {
  type HistoricFunding,
  type Performance,
  type PerformanceOf,
  type PerformanceRange,
  performanceOf,
} from './performance.ts';

/** They are in memory at once, a few hundred bytes each. */
const MAX_FILLS = 300_000;

export class TooManyFills extends Error {}

export interface PerformanceReportParts {
  readonly accounts: Pick<Accounts, 'has' | 'list'>;
  readonly history: Pick<TradedFillHistory, 'pages' | 'tags' | 'completeFromMs'>;
  readonly maxFills?: number;
}

export interface PerformanceOfMode {
  readonly mode: VenueMode;
  readonly total: Performance;
  readonly groups: readonly PerformanceOf[];
  /** Earlier fills may be archived and are not counted, whatever was asked for; undefined where nothing was archived. */
  readonly archivedBeforeMs?: number;
}

/** One for each mode of the accounts that fit, real money first; none where no account fits. */
export type PerformanceReports = (
  filter: AccountFilter,
  range: PerformanceRange,
) => Promise<readonly PerformanceOfMode[]>;

const MODES: readonly VenueMode[] = ['live', 'testnet', 'paper'];

/** One after another: each may have that many fills in memory. */
export function createPerformanceReports(parts: PerformanceReportParts): PerformanceReports {
  const turns = new SerialQueue();
  return (filter, asked) =>
    turns.run(async () => {
      const archivedBeforeMs = await parts.history.completeFromMs();
      const range = { ...asked, fromMs: Math.max(asked.fromMs, archivedBeforeMs) };
      const open = accountsOf(parts.accounts, filter);
      const fills = await fillsOf(parts, filter);
      const payments = await paymentsOf(parts, filter, range);
      const tags = range.by === 'tag' ? await parts.history.tags() : undefined;
      const tagsOf = ({ requestId }: TradedFill): readonly string[] => tags?.get(requestId) ?? [];
      return MODES.filter((mode) => open.some((account) => account.mode === mode)).map((mode) => {
        const isOfMode = (each: { readonly mode: VenueMode }): boolean => each.mode === mode;
        return {
          mode,
          ...(archivedBeforeMs > 0 && { archivedBeforeMs }),
          ...performanceOf(fills.filter(isOfMode), range, payments.filter(isOfMode), tagsOf),
        };
      });
    });
}

export async function paymentsOf(
  { accounts }: PerformanceReportParts,
  filter: AccountFilter,
  { fromMs, toMs }: Pick<PerformanceRange, 'fromMs' | 'toMs'>,
): Promise<readonly HistoricFunding[]> {
  const found = await Promise.all(
    accountsOf(accounts, filter).map(async (venue) => {
      const { exchange, mode, account } = venue;
      const payments = (await venue.funding?.(fromMs, toMs)) ?? [];
      return payments.map((payment) => ({ ...payment, exchange, mode, account }));
    }),
  );
  return found.flat();
}

type FillParts<Fill> = Omit<PerformanceReportParts, 'history'> & {
  readonly history: { pages(filter: FillFilter): AsyncIterable<readonly Fill[]> };
};

/** Of accounts that are open: those of another mode are never mixed in. */
export async function fillsOf<Fill extends HistoricFill>(
  { accounts, history, maxFills = MAX_FILLS }: FillParts<Fill>,
  filter: AccountFilter,
): Promise<readonly Fill[]> {
  const found: Fill[] = [];
  for await (const fills of history.pages(filter)) {
    for (const fill of fills) if (accounts.has(fill)) found.push(fill);
    if (found.length > maxFills)
      throw new TooManyFills(
        `there are more than ${maxFills} fills; ask for one exchange and account, or use POST /query`,
      );
  }
  return found;
}
