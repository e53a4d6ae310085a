// GET, POST and DELETE /agent/trailing-stops: the stops of open positions as their owner sets them.

import { z } from 'zod';
import { StorageError } from '../../errors/storage-error.ts';
import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import { actorOf } from '../../http/audit.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readJson } from '../../http/read-body.ts';
import type { PricesOf, ShownPrices } from '../../trading/account-prices.ts';
import { type Accounts, MAIN_ACCOUNT } from '../../trading/accounts.ts';
import { keyInWords } from '../../trading/books/position.ts';
import { shownStop, type TickOf } from '../../trading/books/shown-amounts.ts';
import { NAMELESS } from '../../trading/books/strategy-book.ts';
import { type Decimal, decimal, toNumber } from '../../trading/decimal.ts';
import { missingAccount } from '../../trading/intake/gates.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { KEY_FORM, readPositionKey } from '../../trading/intake/position-key.ts';
import type { Level } from '../../trading/level.ts';
import type { AskedChange } from '../../trading/protection/named-parts.ts';
import type { Changed, ChangedProtection, ChangedWaiting } from '../../trading/protection/owner-changes.ts';
import { type Protection, statusOf, stopLossOf } from '../../trading/protection/protection.ts';
import type { Protections } from '../../trading/protection/protections.ts';
import { stopPriceOf } from '../../trading/protection/stop-rules.ts';
import { checkShape } from './read-signal.ts';
import { BAD_BODY, refused } from './responses.ts';
import { answerOf, MAX_AMOUNT, signalSchema } from './schemas.ts';
import { CHANGE_WORDS, storageRefusal } from './storage-refusal.ts';
import { misspelledFields } from './unknown-fields.ts';

const SIDES = ['LONG', 'SHORT'] as const;
const amount = z.number().gt(0).max(MAX_AMOUNT);
const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

export const newStopSchema = z
  .strictObject({
    exchange: z.enum(EXCHANGES),
    account: described(signalSchema.shape.account, 'Of the position; "main" when omitted'),
    symbol: signalSchema.shape.symbol,
    side: described(z.enum(SIDES), 'Of the position'),
    trailPercent: described(signalSchema.shape.trailPercent, 'How far behind the best price, in percent of it'),
    trailAmount: described(amount.optional(), 'How far behind the best price, as a price difference'),
    activationPrice: described(amount.optional(), 'The trail begins when this price is reached; at once when omitted'),
  })
  .refine(({ trailPercent, trailAmount }) => (trailPercent === undefined) !== (trailAmount === undefined), {
    path: ['trailPercent'],
    error: 'is how far the stop follows; send it or trailAmount, one of the two',
  });

const STOP_FIELDS = Object.keys(newStopSchema.shape);

export const stopSchema = z.object({
  key: described(z.string(), KEY_FORM),
  exchange: z.enum(EXCHANGES),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: z.string(),
  symbol: z.string(),
  side: z.enum(SIDES),
  strategy: described(z.string().nullable(), 'Whose share it guards; null is what signals without a strategy hold'),
  status: described(
    z.enum(['waiting', 'active', 'closing']),
    'waiting for the activation price; watching; or reached, and the position is being closed',
  ),
  trailPercent: z.number().nullable(),
  trailAmount: z.number().nullable(),
  activationPrice: z.number().nullable(),
  peak: described(z.number().nullable(), 'The best price since the trail began'),
  stopPrice: described(
    z.number().nullable(),
    'Where the trailing stop stands now: the first price of the market, on its tick, at which it fires',
  ),
  stopLoss: z.number().nullable(),
  takeProfit: z.number().nullable(),
  closeRequestId: described(z.string().nullable(), 'The closing trade, once there is one: GET /trades/{requestId}'),
  prices: described(z.string(), 'Where prices come from; "simulated" is not a real market'),
  createdAt: z.number().int(),
});

const PATH = '/agent/trailing-stops';
const TAGS = ['Agent'];
const UNAUTHORIZED = { 401: refused('UNAUTHORIZED') };
const SET_RESPONSES = {
  200: { description: 'In place of the one before', schema: answerOf(stopSchema) },
  201: { description: 'Watching from now on', schema: answerOf(stopSchema) },
  400: BAD_BODY,
  ...UNAUTHORIZED,
  409: refused(
    'STOP_CONFLICT: there is no such position, it is being closed, several strategies hold it, or the trail is as long as the price',
  ),
  413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
  422: refused('UNKNOWN_ACCOUNT, VENUE_NOT_CONFIGURED'),
  500: refused('STORAGE_FAILED: nothing was changed; STORAGE_UNKNOWN: the next start will tell'),
};
const REMOVE_RESPONSES = {
  200: { description: 'As it was', schema: answerOf(stopSchema) },
  ...UNAUTHORIZED,
  404: refused('STOP_NOT_FOUND'),
  409: refused('STOP_CONFLICT: it was reached, and the position is being closed'),
  500: refused('STORAGE_FAILED: nothing was changed; STORAGE_UNKNOWN: the next start will tell'),
};

export interface TrailingStopDeps {
  readonly protections: Pick<Protections, 'set' | 'remove' | 'list' | 'waiting' | 'waitingOf' | 'stopsAtVenue'>;
  readonly accounts: Pick<Accounts, 'find' | 'namesAt' | 'whyOff'>;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'label'>>;
  readonly tickOf: TickOf;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const LIST_RESPONSES = {
  200: { description: 'Sorted by key', schema: answerOf(z.array(stopSchema)) },
  ...UNAUTHORIZED,
};

export function trailingStopEndpoints(deps: TrailingStopDeps): readonly Endpoint[] {
  const { protections, accounts, onFault } = deps;
  const view = (protection: Protection) => stopView(protection, deps);
  /** A storage that fails says what to do about it, and the log has the whole story. */
  const inWords = (requestId: string) => (error: unknown) => {
    if (error instanceof StorageError) onFault(error, requestId);
    throw storageRefusal(error, CHANGE_WORDS);
  };

  const remove = async (key: string, requestId: string, by: string): Promise<Changed | undefined> => {
    const name = readPositionKey(key);
    return name && (await protections.remove(name, by, 'held').catch(inWords(requestId)));
  };

  return [
    {
      method: 'get',
      path: PATH,
      summary: 'The stops of open positions',
      tags: TAGS,
      responses: LIST_RESPONSES,
      handler: (c) => c.json({ success: true, requestId: c.var.requestId, result: protections.list().map(view) }),
    },
    {
      method: 'post',
      path: PATH,
      summary: 'Set a trailing stop for an open position',
      tags: TAGS,
      body: newStopSchema,
      bodyExample: { exchange: 'binance', symbol: 'BTCUSDT', side: 'LONG', trailPercent: 2 },
      responses: SET_RESPONSES,
      async handler(c) {
        const { rest, faults } = misspelledFields(await readJson(c), STOP_FIELDS);
        const body = checkShape(newStopSchema, rest, faults);
        const market = marketOf(body.symbol);
        if (market === undefined) throw invalid('symbol: names no market, send one such as BTCUSDT');
        const { exchange, account = MAIN_ACCOUNT, side } = body;
        checkAccount(accounts, exchange, account);
        const where = { exchange, account, market, side };
        const told = inWords(c.var.requestId);
        const changed = await protections.set(where, askedOf(body), actorOf(c), 'held').catch(told);
        const { protection, isNew } = guarding(granted(asConflict(changed)));
        return c.json({ success: true, requestId: c.var.requestId, result: view(protection) }, isNew ? 201 : 200);
      },
    },
    {
      method: 'delete',
      path: `${PATH}/{key}`,
      summary: 'Take every stop of a position away',
      tags: TAGS,
      params: z.object({
        key: z.string().meta({
          description: KEY_FORM,
          examples: ['binance:BTCUSDT:LONG'],
        }),
      }),
      responses: REMOVE_RESPONSES,
      async handler(c) {
        const removed = await remove(paramOf(c, 'key'), c.var.requestId, actorOf(c));
        if (!removed) throw new Refusal('STOP_NOT_FOUND');
        const { protection } = guarding(granted(removed));
        return c.json({ success: true, requestId: c.var.requestId, result: view(protection) });
      },
    },
  ];
}

function checkAccount(accounts: TrailingStopDeps['accounts'], exchange: Exchange, account: string): void {
  if (accounts.find(exchange, account)) return;
  const { code, message } = missingAccount(exchange, account, accounts);
  throw new Refusal(code, message);
}

const invalid = (fault: string): Refusal => new Refusal('INVALID_PAYLOAD', fault, { extra: { faults: [fault] } });

/** This endpoint has one word for whatever stands in the way. */
const asConflict = (changed: Changed): Changed =>
  'conflict' in changed && changed.cause === 'wrong-side' ? { ...changed, cause: 'no-position' } : changed;

/** What was changed here is of a position that is open: entries that wait are changed at /positions/{key}/protection. */
function guarding(changed: ChangedProtection | ChangedWaiting): ChangedProtection {
  if ('protection' in changed) return changed;
  throw new Refusal('STOP_NOT_FOUND');
}

export function granted(changed: Changed): ChangedProtection | ChangedWaiting {
  if (!('conflict' in changed)) return changed;
  const { conflict, cause } = changed;
  if (cause === 'invalid') throw invalid(conflict);
  throw new Refusal(cause === 'wrong-side' ? 'STOP_WRONG_SIDE' : 'STOP_CONFLICT', conflict);
}

function askedOf({ trailPercent, trailAmount, activationPrice }: z.infer<typeof newStopSchema>): AskedChange {
  const read = (field: string, value: number): Decimal => {
    const exact = decimal(value);
    if (exact === 0n) throw invalid(`${field}: is smaller than any market trades at, send a higher one`);
    return exact;
  };
  const trail: Level =
    trailAmount === undefined
      ? { unit: 'percent', value: read('trailPercent', trailPercent as number) }
      : { unit: 'price', value: read('trailAmount', trailAmount) };
  return activationPrice === undefined
    ? { trail }
    : { trail, activationPrice: read('activationPrice', activationPrice) };
}

const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

function stopView(protection: Protection, { pricesOf, tickOf }: TrailingStopDeps): z.infer<typeof stopSchema> {
  const { exchange, mode, account, market, side, trail } = protection;
  const level = stopPriceOf(protection);
  return {
    key: keyInWords(protection),
    exchange,
    mode,
    account,
    symbol: market,
    side,
    strategy: protection.strategy === NAMELESS ? null : protection.strategy,
    status: statusOf(protection),
    trailPercent: orNull(trail && 'percent' in trail ? trail.percent : undefined),
    trailAmount: orNull(trail && 'amount' in trail ? trail.amount : undefined),
    activationPrice: orNull(protection.activationPrice),
    peak: orNull(protection.peak),
    stopPrice: orNull(level && shownStop(level, side, tickOf(exchange, market))),
    stopLoss: orNull(stopLossOf(protection).level),
    takeProfit: orNull(protection.takeProfit),
    closeRequestId: protection.fired ? protection.closeRequestId : null,
    prices: pricesOf(protection).label,
    createdAt: protection.createdAtMs,
  };
}
