// An order of the owner's own as it is typed, and what is sent of it. What is right or wrong about it the server says; here only
// what is no number or missing is told.

import type { Position, Result } from '../../server/answers.ts';
import {
  changeOf,
  NO_PROTECTION,
  type ProtectionFaults,
  type TypedProtection,
} from '../protection/protection-change.ts';
import { sharesOf } from '../protection/shares.ts';
import { amountFault, numberOf } from '../protection/typed-level.ts';

export const ACTIONS = ['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'] as const;
export type Action = (typeof ACTIONS)[number];

export type SizeUnit = 'base' | 'quote' | 'percent_equity' | 'risk_percent' | 'percent_position';

export interface TypedTicket {
  /** As GET /accounts has it, `binance:main`; empty is the first there is. */
  readonly account: string;
  readonly market: string;
  readonly action: Action;
  readonly kind: 'market' | 'limit';
  readonly size: string;
  readonly sizeUnit: SizeUnit;
  readonly price: string;
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  readonly isPostOnly: boolean;
  /** Minutes. */
  readonly cancelAfter: string;
  readonly leverage: string;
  readonly strategy: string;
  readonly comment: string;
  readonly protection: TypedProtection;
}

export const BLANK: TypedTicket = {
  ...{ account: '', market: '', action: 'LONG', kind: 'market', size: '', sizeUnit: 'base', price: '' },
  ...{ timeInForce: 'GTC', isPostOnly: false, cancelAfter: '', leverage: '', strategy: '', comment: '' },
  protection: NO_PROTECTION,
};

/** An empty one for this market. */
export const ticketOn = (market: string): TypedTicket => ({ ...BLANK, market });

export const closes = (action: Action): boolean => action.startsWith('CLOSE_');

/** An entry is no part of a position, and a close none of the account. */
export const sizeUnitsOf = (action: Action): readonly SizeUnit[] =>
  closes(action) ? ['percent_position', 'base', 'quote'] : ['base', 'quote', 'percent_equity', 'risk_percent'];

/** With another action, the size that it knows. */
export function withAction(typed: TypedTicket, action: Action): TypedTicket {
  const units = sizeUnitsOf(action);
  const isKnown = units.includes(typed.sizeUnit);
  return { ...typed, action, ...(!isKnown && { sizeUnit: units[0]!, size: '' }) };
}

type NumberField = 'size' | 'price' | 'cancelAfter' | 'leverage';
export type TicketFaults = Readonly<Partial<Record<NumberField | 'market', string>>> & {
  readonly protection: ProtectionFaults;
};

export interface Ticket {
  /** For POST /orders; undefined while something is missing or no number. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly faults: TicketFaults;
}

/** `exchange` and `account`: the chosen one. */
export function ticketOf(
  typed: TypedTicket,
  where: { readonly exchange: string; readonly account: string } | undefined,
): Ticket {
  const { market, action, kind, sizeUnit, timeInForce, isPostOnly, strategy, comment } = typed;
  const faults: Partial<Record<NumberField, string>> = {};
  const number = (name: NumberField): number | undefined => {
    const value = numberOf(typed[name]);
    if (value === undefined) faults[name] = amountFault(typed[name]);
    return value ?? undefined;
  };
  const [quantity, leverage] = [number('size'), number('leverage')];
  const price = kind === 'limit' ? number('price') : undefined;
  // What is no longer shown is neither sent nor wrong: only an order that waits has these.
  const isWaiting = kind === 'limit' && timeInForce === 'GTC';
  const minutes = isWaiting ? number('cancelAfter') : undefined;
  const protect = closes(action) ? NO_CHANGE : changeOf(NO_PROTECTION, typed.protection, NOTHING_HELD);
  const isWhole =
    where !== undefined && market.trim() !== '' && quantity !== undefined && (kind === 'market' || price !== undefined);
  const isRight = Object.keys(faults).length + Object.keys(protect.faults).length === 0;
  const body = isWhole &&
    isRight && {
      ...{ exchange: where.exchange, account: where.account, action, symbol: market.trim().toUpperCase(), quantity },
      ...(sizeUnit !== 'base' && { quantityType: sizeUnit }),
      ...(price !== undefined && { price }),
      ...(kind === 'limit' && timeInForce !== 'GTC' && { timeInForce }),
      ...(isWaiting && isPostOnly && { postOnly: true }),
      ...(minutes !== undefined && { cancelAfterSeconds: Math.round(minutes * 60) }),
      ...(leverage !== undefined && { leverage }),
      ...(strategy.trim() !== '' && { strategy: strategy.trim() }),
      ...(comment.trim() !== '' && { comment: comment.trim() }),
      ...protect.body,
    };
  return { body: body === false ? undefined : body, faults: { ...faults, protection: protect.faults } };
}

const NO_CHANGE = { body: undefined, faults: {} };
/** What a stop would come to is told by the dry run, which knows the price. */
const NOTHING_HELD = { side: 'LONG', quantity: 0, entryPrice: 0 } as const;

/** More of a position, or less of it: the share of the strategy that holds most. */
export function ticketFor(position: Position, what: 'add' | 'reduce'): TypedTicket {
  const { exchange, account, market, side } = position;
  const [largest] = sharesOf(position).toSorted((a, b) => b.quantity - a.quantity);
  const where = { account: `${exchange}:${account}`, market, strategy: largest?.strategy ?? '' };
  return what === 'add'
    ? { ...BLANK, ...where, action: side }
    : { ...BLANK, ...where, action: `CLOSE_${side}`, size: '50', sizeUnit: 'percent_position' };
}

/** What POST /orders answers; the requestId names the trade. */
export interface Placed extends Result<unknown> {
  readonly requestId: string;
}
