// Opens the paper accounts: main at every exchange, those that the settings name, and those that were opened once.

import type { PaperAccountName, PaperLedger } from '../adapters/venues/paper/ledger.ts';
import { openPaperVenue, type PaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { EXCHANGES } from '../trading/signal.ts';
import { endVenueAlarms } from './alarm-wrappers.ts';
import { nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';

interface NewAccount extends PaperAccountName {
  readonly balance: string;
}

/** In the order of the exchanges, main first, then by name. */
export async function openPaperAccounts(
  { config, alarms }: ProcessContext,
  ledger: PaperLedger,
  prices: RangeSource,
): Promise<readonly PaperVenue[]> {
  const { paperBalance, paperAccounts, paperPositionMode: positionMode } = config;
  const withBalance = (name: PaperAccountName): NewAccount => ({ ...name, balance: paperBalance });
  const all = [
    ...paperAccounts,
    ...EXCHANGES.map((exchange) => withBalance({ exchange, account: MAIN_ACCOUNT })),
    // No longer in the settings: what it holds must still be closed, protected and shown.
    ...(await ledger.accounts()).map(withBalance),
  ];
  const byName = new Map<string, NewAccount>();
  for (const account of all) {
    const name = placeOf(account);
    if (!byName.has(name)) byName.set(name, account);
  }
  const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, account]) => account);
  return Promise.all(
    sorted.map(async ({ exchange, account, balance }) => {
      const options = { exchange, account, ledger, prices, nowMs, startingBalance: balance, positionMode };
      return endVenueAlarms(await openPaperVenue(options), alarms);
    }),
  );
}

const placeOf = ({ exchange, account }: PaperAccountName): string =>
  `${EXCHANGES.indexOf(exchange)} ${account === MAIN_ACCOUNT ? '' : account}`;
