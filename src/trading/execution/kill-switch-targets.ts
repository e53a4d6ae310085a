// What a kill switch is about: which orders, positions and trades belong to its key, strategy, account or symbol; all of them where it
// is the one over everything.

import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import type { LimitFacts } from '../books/limit-facts.ts';
import { openPositionsOf } from '../books/open-positions.ts';
import type { Position } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import type { StrategyBook } from '../books/strategy-book.ts';
import { ZERO } from '../decimal.ts';
import type { KillSwitch } from '../intake/controls.ts';
import { type LimitSubject, subjectInWords } from '../intake/restrictions.ts';
import type { OrderSelection } from './cancel-orders.ts';
import type { TradeRun } from './trade-run.ts';

/** Whose switch it is, or whose pause, where that withdraws entries as a kill switch does. */
export interface SwitchSubject extends LimitSubject {
  readonly isPause?: boolean;
}

/** A switch that is on; without a subject it is the one over everything. */
export interface ThrownSwitch {
  readonly subject?: SwitchSubject | undefined;
  readonly killSwitch: KillSwitch;
}

export const EVERYTHING = 'everything';
const PAUSE = 'pause';
const KILL_SWITCH = 'kill switch';
const kindOf = (subject: SwitchSubject | undefined): string => (subject?.isPause ? PAUSE : KILL_SWITCH);

export const switchId = (subject: SwitchSubject | undefined): string =>
  subject ? `${subject.isPause ? `${PAUSE} of ` : ''}${subjectInWords(subject)}` : EVERYTHING;
/** `kill switch of strategy "ema"`, `pause of symbol "BTCUSDT"`. */
export const switchInWords = (subject: SwitchSubject | undefined): string =>
  `${kindOf(subject)}${subject ? ` of ${subject.kind} ${JSON.stringify(subject.name)}` : ''}`;
/** Shown where a signal shows the label of its key, and in the history of canceled orders. */
export const actorOf = (subject: SwitchSubject | undefined): string =>
  `${kindOf(subject)}${subject ? ` of ${subjectInWords(subject)}` : ''}`;

/** `binance:main` or `binance:BTCUSDT`; a name without an exchange is of all of them. */
function split(name: string): readonly [Exchange | undefined, string] {
  const [first = '', rest] = name.split(':');
  const exchange = EXCHANGES.find((known) => known === first);
  return exchange === undefined || rest === undefined ? [undefined, name] : [exchange, rest];
}

/** Its orders. */
export function selectionOf(subject: LimitSubject | undefined): OrderSelection {
  if (subject === undefined) return {};
  const { kind, name } = subject;
  if (kind === 'key') return { keyLabel: name };
  if (kind === 'strategy') return { strategy: name };
  const [exchange, rest] = split(name);
  return { ...(exchange && { exchange }), ...(kind === 'account' ? { account: rest } : { market: rest }) };
}

/** Whether a trade is one of its. */
export function isTradeOf({ trade }: Pick<TradeRun, 'trade'>, subject: LimitSubject | undefined): boolean {
  const { exchange, account, market, keyLabel, strategy } = selectionOf(subject);
  return (
    (exchange === undefined || exchange === trade.order.exchange) &&
    (account === undefined || account === trade.account) &&
    (market === undefined || market === trade.order.market) &&
    (keyLabel === undefined || keyLabel === trade.keyLabel) &&
    (strategy === undefined || strategy === trade.order.strategy)
  );
}

/** A position to be closed, or the share of a strategy in it. */
export type Flattened = Position | StrategyBook;

/**
 * The open positions of a switch. A key has those that its entries made, whoever else has added to them; a strategy only
 * its own shares.
 */
export function positionsOf(
  subject: LimitSubject | undefined,
  book: Pick<PositionBook, 'all' | 'allStrategies'>,
  facts: Pick<LimitFacts, 'isHeldBy'>,
): readonly Flattened[] {
  const isOpen = ({ quantity }: Position): boolean => quantity > ZERO;
  const open = openPositionsOf(book.all(), book.allStrategies());
  if (subject === undefined) return open;
  if (subject.kind === 'strategy')
    return book.allStrategies().filter((share) => isOpen(share) && share.strategy === subject.name);
  if (subject.kind === 'key')
    return book.all().filter((position) => isOpen(position) && facts.isHeldBy(position, subject.name));
  const { exchange, account, market } = selectionOf(subject);
  return open.filter(
    (position) =>
      (exchange === undefined || exchange === position.exchange) &&
      (account === undefined || account === position.account) &&
      (market === undefined || market === position.market),
  );
}
