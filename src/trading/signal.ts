// The signal: what a trader's rule wants done, already checked for shape and with its market's plain name.

import type { Exchange } from '../exchanges/exchange.ts';
import { type Decimal, times } from './decimal.ts';
import type { Level } from './level.ts';

/** What `quantity` counts: base currency, USDT, percent of the account's equity, percent of it at risk, percent of what is held. */
export const QUANTITY_TYPES = ['base', 'quote', 'percent_equity', 'risk_percent', 'percent_position'] as const;
export type QuantityType = (typeof QUANTITY_TYPES)[number];

/** How long a limit order may wait: until it is canceled; not at all, the rest expires; not at all, whole or nothing. */
export const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];
/** 30 days. */
export const MAX_CANCEL_AFTER_SECONDS = 2_592_000;

export const MAX_STRATEGY_CHARS = 64;
export const MAX_COMMENT_CHARS = 256;
export const MAX_ALERT_ID_CHARS = 128;

export const ACTIONS = ['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'] as const;
export type Action = (typeof ACTIONS)[number];

export const PARSE_MODES = ['Plain', 'HTML', 'Markdown', 'MarkdownV2'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];

/** `ticket`: an order of the owner's own, which passes the gates as a signal does. */
export type SignalSource = 'webhook' | 'tradingview' | 'email' | 'script' | 'ticket' | DirectSource;

/** What closes a position by itself. */
export const PROTECTION_SOURCES = [
  'trailing-stop',
  'stop-loss',
  'take-profit',
  'target',
  'break-even',
  'time-stop',
] as const;
export type ProtectionSource = (typeof PROTECTION_SOURCES)[number];
/** The owner's own hand: what he closes over the internal door, the command line or his chat. */
export const OWNER = 'owner';
/** What the venue closes because an account can no longer carry it. */
export const LIQUIDATION = 'liquidation';
export type DirectSource = ProtectionSource | typeof OWNER | typeof LIQUIDATION;
const direct: ReadonlySet<SignalSource> = new Set([...PROTECTION_SOURCES, OWNER, LIQUIDATION]);

/** Closes that no signal asked for: by a stop, by the owner or by the venue. No kill switch stops them, and it is never too late for them. */
export const isDirectClose = ({ source }: { readonly source: SignalSource }): boolean => direct.has(source);

export interface NotifyRequest {
  readonly chatId?: string;
  readonly message?: string;
  readonly parseMode: ParseMode;
}

/** What a door hands to the gates: what is to be traded, without the key that allows it. */
export interface SignalOrder {
  readonly exchange: Exchange;
  /** The account that its sender named; absent means the main one. */
  readonly account?: string;
  readonly action: Action;
  /** As the sender spelled it. */
  readonly symbol: string;
  /** The market's plain name, see market-symbol.ts. */
  readonly market: string;
  /** In what `quantityType` says. */
  readonly quantity: Decimal;
  /** Absent means base currency. */
  readonly quantityType?: QuantityType;
  /** A close of the whole position, however much of it there is: `quantity` is then only what the sender believed. */
  readonly closesAll?: boolean;
  readonly price?: Decimal;
  /** Of a limit order; absent means GTC. */
  readonly timeInForce?: TimeInForce;
  /** A limit order that would trade at once is refused instead. */
  readonly postOnly?: boolean;
  /** A limit order is canceled so long after its signal came. */
  readonly cancelAfterSeconds?: number;
  readonly leverage?: number;
  /** Whose share of a position is meant; absent means the nameless strategy's (see books/strategy-book.ts). */
  readonly strategy?: string;
  /** The sender's own words, kept and shown with the trade. */
  readonly comment?: string;
  readonly idempotencyKey?: string;
  /** The sender's own name of this alert: under one key it trades once, whichever door it comes through. */
  readonly alertId?: string;
  readonly notify?: NotifyRequest;
  readonly protect?: ProtectRequest;
  /** Compared with the strategy's share before the order is sent (see execution/position-check.ts). */
  readonly previousPosition?: PreviousPosition;
}

/** What a charting platform's strategy can hold. */
export const STRATEGY_POSITIONS = ['long', 'short', 'flat'] as const;
export type StrategyPosition = (typeof STRATEGY_POSITIONS)[number];

/** What the strategy behind a signal held before this order, by its own account. */
export interface PreviousPosition {
  readonly position: StrategyPosition;
  /** In base currency, above 0; absent where it is not told or counts something else than the orders here. */
  readonly size?: Decimal;
}

/** Of a signal that is traded in another size: what its strategy held is that much more or less as well. */
export const previousTimes = (
  { previousPosition }: Pick<SignalOrder, 'previousPosition'>,
  factor: Decimal,
): Pick<SignalOrder, 'previousPosition'> =>
  previousPosition?.size === undefined
    ? {}
    : { previousPosition: { ...previousPosition, size: times(previousPosition.size, factor) } };

/** At most so many parts of a position are closed at prices of their own. */
export const MAX_TARGETS = 5;
/** A year. */
export const MAX_HOLD_SECONDS = 31_536_000;

/** A part of the position that is closed at a level of its own. */
export interface AskedTarget {
  readonly level: Level;
  /** Of what is held when the entry has filled: above 0, at most 1. */
  readonly share: Decimal;
}

/** Stops that an entry brings along for its position, as they were asked for. */
export interface ProtectRequest {
  readonly stopLoss?: Level;
  readonly takeProfit?: Level;
  /** How far behind the best price; a price is a price difference. */
  readonly trail?: Level;
  /** The trail begins when this price is reached; absent means with the fill. */
  readonly activationPrice?: Decimal;
  /** The nearest first. */
  readonly targets?: readonly AskedTarget[];
  /** After this target was hit the stop loss stands at the entry price. */
  readonly breakEvenAfter?: number;
  /** The position is closed when it was held so long. */
  readonly maxHoldSeconds?: number;
}
