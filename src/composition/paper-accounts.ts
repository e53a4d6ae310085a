// Opens the paper accounts: main at every exchange that trades on paper, those that the settings name, and those that were opened once.

import type { PaperAccountName, PaperLedger } from '../adapters/venues/paper/ledger.ts';
import type { PaperVenue, PaperVenueOptions } from '../adapters/venues/paper/paper-venue.ts';
import type { Config } from '../config.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { modeIn, type PositionModes, twoSidedMarkets } from '../trading/intake/position-modes.ts';
import type { PositionMode } from '../trading/venue.ts';

interface NewAccount extends PaperAccountName {
  readonly balance: string;
  /** Absent where the settings leave it to PAPER_POSITION_MODE. */
  readonly positionMode?: PositionMode;
}

export interface PaperAccountsParts {
  readonly config: Pick<Config, 'paperBalance' | 'paperAccounts' | 'paperPositionMode'>;
  readonly ledger: PaperLedger;
  /** Those that trade on paper. */
  readonly exchanges: readonly Exchange[];
  /** The modes that accounts had when they were last opened. */
  readonly remembered: PositionModes;
  /** Opens one of them. */
  readonly open: (account: OpenedAccount) => Promise<PaperVenue>;
}

export interface OpenedAccount extends Pick<PaperVenueOptions, 'exchange' | 'account' | 'ledger' | 'startingBalance'> {
  /** The one in force. */
  readonly positionMode: PositionMode;
  /** The markets for which it is hedge although it should be one-way; mostly none. */
  readonly keptHedgeFor: readonly string[];
}

/** In the order of the exchanges, main first, then by name. */
export async function openPaperAccounts(parts: PaperAccountsParts): Promise<readonly PaperVenue[]> {
  const { config, ledger, exchanges, remembered, open } = parts;
  const { paperBalance, paperAccounts, paperPositionMode } = config;
  const withBalance = (name: PaperAccountName): NewAccount => ({ ...name, balance: paperBalance });
  const all = [
    ...paperAccounts,
    ...exchanges.map((exchange) => withBalance({ exchange, account: MAIN_ACCOUNT })),
    // No longer in the settings: what it holds must still be closed, protected and shown, in the mode it was opened in.
    ...(await ledger.accounts()).map((name) => {
      const positionMode = modeIn(remembered, name);
      return { ...withBalance(name), ...(positionMode && { positionMode }) };
    }),
  ].filter(({ exchange }) => exchanges.includes(exchange));
  const byName = new Map<string, NewAccount>();
  for (const account of all) {
    const name = placeOf(account);
    if (!byName.has(name)) byName.set(name, account);
  }
  const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, account]) => account);
  return Promise.all(
    sorted.map(async ({ exchange, account, balance: startingBalance, positionMode = paperPositionMode }) => {
      const mode = await modeInForce({ exchange, account }, positionMode, parts);
      return open({ exchange, account, ledger, startingBalance, ...mode });
    }),
  );
}

/** The settings say what an account is to be; what it has on its books may need hedge still. */
async function modeInForce(
  name: PaperAccountName,
  wanted: PositionMode,
  { ledger, remembered }: PaperAccountsParts,
): Promise<Pick<OpenedAccount, 'positionMode' | 'keptHedgeFor'>> {
  if (wanted === 'hedge') return { positionMode: wanted, keptHedgeFor: [] };
  const { positions, openOrders } = await ledger.load(name);
  const entries = openOrders
    .filter(({ reduceOnly }) => !reduceOnly)
    .map(({ market, positionSide: side }) => ({ market, side }));
  const keptHedgeFor = twoSidedMarkets(modeIn(remembered, name), { positions, entries });
  return { positionMode: keptHedgeFor.length > 0 ? 'hedge' : wanted, keptHedgeFor };
}

const placeOf = ({ exchange, account }: PaperAccountName): string =>
  `${EXCHANGES.indexOf(exchange)} ${account === MAIN_ACCOUNT ? '' : account}`;
