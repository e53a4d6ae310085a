// The setting PAPER_ACCOUNTS: further paper accounts by name, each with its starting balance and, where it is said, its position mode.

import { ACCOUNT_NAME, EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { amount, Fault, list, quoted } from './readers.ts';

/** Each compares its resting orders with the market every second. */
const MAX_ACCOUNTS = 64;
const ENTRY = /^([^:=]*):([^:=]*)=([^:]*)(?::(.*))?$/;
export const POSITION_MODES = ['one-way', 'hedge'] as const;

export interface PaperAccountSetting {
  readonly exchange: Exchange;
  readonly account: string;
  /** Decimal text, in USDT. */
  readonly balance: string;
  /** PAPER_POSITION_MODE's where it is not said. */
  readonly positionMode?: (typeof POSITION_MODES)[number];
}

/** `binance:scalp=5000,bybit:main=20000:hedge` */
export function paperAccounts(text: string): readonly PaperAccountSetting[] {
  const accounts = list(text).map(entryOf);
  if (accounts.length > MAX_ACCOUNTS) throw new Fault(`names more than ${MAX_ACCOUNTS} accounts; shorten the list`);
  const names = accounts.map(({ exchange, account }) => `${exchange}:${account}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Fault(`${twice} is named twice; give it one balance`);
  return accounts;
}

function entryOf(entry: string): PaperAccountSetting {
  const [, venue, account = '', balance = '', mode] = ENTRY.exec(entry) ?? [];
  if (venue === undefined)
    throw new Fault(`${quoted(entry)} is no account; write it like binance:scalp=5000, with its starting balance`);
  const exchange = EXCHANGES.find((known) => known === venue);
  if (exchange === undefined)
    throw new Fault(`${quoted(entry)} names no exchange; begin it with one of ${EXCHANGES.join(', ')}`);
  if (!ACCOUNT_NAME.test(account))
    throw new Fault(
      `${quoted(entry)} has no name for an account; use 1 to 32 small letters, digits, - and _, a letter or digit first`,
    );
  // The key of a position, binance:scalp:BTCUSDT:LONG, could then be read in two ways.
  if (EXCHANGES.some((known) => known === account))
    throw new Fault(`${quoted(entry)} gives an account the name of an exchange; choose another name`);
  return {
    ...{ exchange, account, balance: amount(balance) },
    ...(mode !== undefined && { positionMode: modeOf(entry, mode) }),
  };
}

function modeOf(entry: string, text: string): (typeof POSITION_MODES)[number] {
  const mode = POSITION_MODES.find((known) => known === text);
  if (mode === undefined)
    throw new Fault(`${quoted(entry)} names no position mode; end it with :one-way or :hedge, or leave that out`);
  return mode;
}
