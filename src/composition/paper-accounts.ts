// Opens the paper accounts: main at every exchange, those that the settings name, and those that were opened once.

import type { PaperAccountName, PaperLedger } from '../adapters/venues/paper/ledger.ts';
import type { PaperVenue, PaperVenueOptions } from '../adapters/venues/paper/paper-venue.ts';
import type { Config } from '../config.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { EXCHANGES } from '../trading/signal.ts';

interface NewAccount extends PaperAccountName {
  readonly balance: string;
}

export interface PaperAccountsParts {
  readonly config: Pick<Config, 'paperBalance' | 'paperAccounts' | 'paperPositionMode'>;
  readonly ledger: PaperLedger;
  /** Opens one of them. */
  readonly open: (account: Pick<PaperVenueOptions, OpenedWith>) => Promise<PaperVenue>;
}

type OpenedWith = 'exchange' | 'account' | 'ledger' | 'startingBalance' | 'positionMode';

/** In the order of the exchanges, main first, then by name. */
export async function openPaperAccounts({ config, ledger, open }: PaperAccountsParts): Promise<readonly PaperVenue[]> {
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
    sorted.map(({ exchange, account, balance }) =>
      open({ exchange, account, ledger, startingBalance: balance, positionMode }),
    ),
  );
}

const placeOf = ({ exchange, account }: PaperAccountName): string =>
  `${EXCHANGES.indexOf(exchange)} ${account === MAIN_ACCOUNT ? '' : account}`;
