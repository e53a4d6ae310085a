// GET, PUT and DELETE /positions/{key}/protection, and GET /protections: the stops, targets and time stops of positions as their
// owner reads, sets, moves and takes them away.

import { z } from 'zod';
import { StorageError } from '../../errors/storage-error.ts';
import { actorOf } from '../../http/audit.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readJson } from '../../http/read-body.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { keyInWords, type ShortName } from '../../trading/books/position.ts';
import type { TickOf } from '../../trading/books/shown-amounts.ts';
import { missingAccount } from '../../trading/intake/gates.ts';
import { KEY_FORM, readPositionKey } from '../../trading/intake/position-key.ts';
import type { AskedChange } from '../../trading/protection/named-parts.ts';
import type { ChangedProtection, ChangedWaiting } from '../../trading/protection/owner-changes.ts';
import type { Protections } from '../../trading/protection/protections.ts';
import { MAX_STRATEGY_CHARS } from '../../trading/signal.ts';
import type { PositionSide } from '../../trading/venue.ts';
import { protectionChangeSchema } from './protection-schemas.ts';
import {
  type ProtectionView,
  pendingView,
  protectionSchema,
  protectionView,
  protectionViews,
} from './protection-views.ts';
import { askedOf } from './read-protect.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { checkShape, invalid } from './read-signal.ts';
import { ok, refused } from './responses.ts';
import { answerOf, described } from './schemas.ts';
import { CHANGE_WORDS, storageRefusal } from './storage-refusal.ts';
import { granted } from './trailing-stops.ts';
import { misspelledFields } from './unknown-fields.ts';

export interface ProtectionDeps {
  readonly protections: Pick<Protections, 'set' | 'remove' | 'list' | 'waiting' | 'waitingOf' | 'stopsAtVenue'>;
  readonly accounts: Pick<Accounts, 'find' | 'namesAt' | 'whyOff'>;
  readonly tickOf: TickOf;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const PATH = '/positions/{key}/protection';
const TAGS = ['Trades'];
const FIELDS = Object.keys(protectionChangeSchema.shape);
const params = z.object({ key: described(z.string(), KEY_FORM).meta({ examples: ['binance:BTCUSDT:LONG'] }) });
const query = z.strictObject({
  strategy: described(
    z.string().max(MAX_STRATEGY_CHARS).optional(),
    'Whose share is meant; empty: that of signals without one. When omitted: that one, or the only share there is',
  ),
});
const STORAGE = { 500: refused('STORAGE_FAILED: nothing was changed; STORAGE_UNKNOWN: the next start will tell') };
const NOT_FOUND = { 404: refused('STOP_NOT_FOUND: nothing guards this position, or the key names none') };
const changedAnswer = <T extends z.ZodType>(result: T) =>
  answerOf(result).extend({
    waitingEntries: described(
      z.number().int(),
      'So many entries of this share wait for their fill with stops of their own, and are met by the change too: what it sets stands when they fill, what it takes away is taken from them. Where nothing is held yet, it changes what they ask for, gives stops also to those that were sent without, and the first is shown',
    ),
  });
const SET_RESPONSES = {
  200: {
    description: 'As it is now; null where the last part of it was taken away',
    schema: changedAnswer(protectionSchema.nullable()),
  },
  400: refused('INVALID_JSON, INVALID_PAYLOAD: every fault at once, each with its remedy; INVALID_QUERY'),
  401: refused('UNAUTHORIZED'),
  404: refused('STOP_NOT_FOUND: the key names no position'),
  409: refused(
    'STOP_CONFLICT: there is no such position and no entry that waits, it is being closed, or several strategies hold it',
  ),
  413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
  422: refused(
    'STOP_WRONG_SIDE: the market has passed this level, or could never reach it; UNKNOWN_ACCOUNT, VENUE_NOT_CONFIGURED',
  ),
  ...STORAGE,
};

export const protectionEndpoints = (deps: ProtectionDeps): readonly Endpoint[] => [
  listEndpoint(deps),
  readEndpoint(deps),
  setEndpoint(deps),
  removeEndpoint(deps),
];

const listEndpoint = ({ protections, tickOf }: ProtectionDeps): Endpoint => ({
  method: 'get',
  path: '/protections',
  summary: 'What guards open positions, and what will when its entry has filled',
  tags: TAGS,
  responses: { ...ok('Those in force first', z.array(protectionSchema)), 400: refused('INVALID_QUERY') },
  async handler(c) {
    readQuery(c, NO_QUERY);
    return c.json({ success: true, requestId: c.var.requestId, result: await protectionViews(protections, tickOf) });
  },
});

const readEndpoint = ({ protections, tickOf }: ProtectionDeps): Endpoint => ({
  method: 'get',
  path: PATH,
  summary: 'What guards a position, of each strategy by itself',
  tags: TAGS,
  params,
  query,
  responses: { ...ok('At least one', z.array(protectionSchema)), 400: refused('INVALID_QUERY'), ...NOT_FOUND },
  async handler(c) {
    const where = positionOf(paramOf(c, 'key'));
    const { strategy } = readQuery(c, query);
    const found = (await protectionViews(protections, tickOf)).filter(
      (view) => view.key === keyInWords(where) && (strategy === undefined || (view.strategy ?? '') === strategy),
    );
    if (found.length === 0) throw new Refusal('STOP_NOT_FOUND');
    return c.json({ success: true, requestId: c.var.requestId, result: found });
  },
});

const setEndpoint = ({ protections, accounts, tickOf, onFault }: ProtectionDeps): Endpoint => ({
  method: 'put',
  path: PATH,
  summary:
    'Set or move stops of an open position, or of entries that wait for their fill; what is not named stays, null takes a part away',
  tags: TAGS,
  params,
  query,
  body: protectionChangeSchema,
  bodyExample: { stopLoss: { percent: 2 }, targets: [{ percent: 2, share: 0.5 }], breakEvenAfter: 1 },
  responses: SET_RESPONSES,
  async handler(c) {
    const where = positionOf(paramOf(c, 'key'));
    const { strategy } = readQuery(c, query);
    const change = readChange(await readJson(c), where.side);
    const { exchange, account } = where;
    if (!accounts.find(exchange, account)) {
      const { code, message } = missingAccount(exchange, account, accounts);
      throw new Refusal(code, message);
    }
    const changed = await protections
      .set({ ...where, strategy }, change, actorOf(c))
      .catch(inWords(onFault, c.var.requestId));
    const now = granted(changed);
    const result = now.isGone ? null : changedView(now, tickOf, protections);
    return c.json({ success: true, requestId: c.var.requestId, result, waitingEntries: now.waitingEntries });
  },
});

const removeEndpoint = ({ protections, tickOf, onFault }: ProtectionDeps): Endpoint => ({
  method: 'delete',
  path: PATH,
  summary: 'Take everything away that guards a position, and what waits for the fill of its entries',
  tags: TAGS,
  params,
  query,
  responses: {
    200: { description: 'As it was', schema: changedAnswer(protectionSchema) },
    400: refused('INVALID_QUERY'),
    401: refused('UNAUTHORIZED'),
    ...NOT_FOUND,
    409: refused('STOP_CONFLICT: a level was reached and is being closed, or several strategies have one'),
    ...STORAGE,
  },
  async handler(c) {
    const where = positionOf(paramOf(c, 'key'));
    const { strategy } = readQuery(c, query);
    const removed = await protections
      .remove({ ...where, strategy }, actorOf(c))
      .catch(inWords(onFault, c.var.requestId));
    if (!removed) throw new Refusal('STOP_NOT_FOUND');
    const was = granted(removed);
    const { waitingEntries } = was;
    return c.json({
      success: true,
      requestId: c.var.requestId,
      result: changedView(was, tickOf, protections),
      waitingEntries,
    });
  },
});

const changedView = (
  changed: ChangedProtection | ChangedWaiting,
  tickOf: TickOf,
  protections: ProtectionDeps['protections'],
): ProtectionView =>
  'protection' in changed ? protectionView(changed.protection, tickOf, protections) : pendingView(changed.waiting);

/** A storage that fails says what to do about it, and the log has the whole story. */
const inWords = (onFault: ProtectionDeps['onFault'], requestId: string) => (error: unknown) => {
  if (error instanceof StorageError) onFault(error, requestId);
  throw storageRefusal(error, CHANGE_WORDS);
};

function positionOf(key: string): ShortName {
  const name = readPositionKey(key);
  if (name === undefined) throw new Refusal('STOP_NOT_FOUND', `this names no position; write it as ${KEY_FORM}`);
  return name;
}

function readChange(sent: unknown, side: PositionSide): AskedChange {
  const { rest, faults } = misspelledFields(sent, FIELDS);
  const fields = checkShape(protectionChangeSchema, rest, faults);
  const wrong: string[] = [];
  if (Object.keys(fields).length === 0)
    wrong.push(`body: asks for nothing, send one of ${FIELDS.filter((name) => name !== 'activationPrice').join(', ')}`);
  const change = askedOf(fields, side, wrong);
  if (wrong.length > 0) throw invalid(wrong);
  return change;
}
