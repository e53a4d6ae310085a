// Between rows and the domain's nouns: stops, also those at venues, and the day of the drawdown guard.

import type { Exchange } from '../../../../../exchanges/exchange.ts';
import { ACTION_MEANING } from '../../../../../trading/action.ts';
import type { ShareName } from '../../../../../trading/books/strategy-book.ts';
import { type Decimal, decimal, toText, ZERO } from '../../../../../trading/decimal.ts';
import type { Levels } from '../../../../../trading/fixed-levels.ts';
import { type Level, levelText, readLevel } from '../../../../../trading/level.ts';
import type { DrawdownDay } from '../../../../../trading/protection/drawdown-guard.ts';
import type { NamedParts } from '../../../../../trading/protection/named-parts.ts';
import type { AskedDistances, Basis, Protection } from '../../../../../trading/protection/protection.ts';
import type { PendingStop } from '../../../../../trading/protection/protection-store.ts';
import type { StoredStop } from '../../../../../trading/protection/venue-stop-store.ts';
import type { Action, ProtectionSource, ProtectRequest } from '../../../../../trading/signal.ts';
import type { PositionSide, StopKind, VenueMode } from '../../../../../trading/venue.ts';
import type { Row } from '../../sql.ts';
import type { Columns } from './mutations.ts';

export const textOf = (value: Decimal | undefined): string | null => (value === undefined ? null : toText(value));
const writtenLevel = (level: Level | undefined): string | null => (level === undefined ? null : levelText(level));

export const protectionColumns = (protection: Protection): Columns => {
  const { trail, fired, basis, targets } = protection;
  return {
    exchange: protection.exchange,
    mode: protection.mode,
    account: protection.account,
    market: protection.market,
    side: protection.side,
    strategy: protection.strategy,
    created_at: protection.createdAtMs,
    origin: protection.origin ?? null,
    trail_percent: trail && 'percent' in trail ? toText(trail.percent) : null,
    trail_amount: trail && 'amount' in trail ? toText(trail.amount) : null,
    activation_price: textOf(protection.activationPrice),
    stop_loss: textOf(protection.stopLoss),
    take_profit: textOf(protection.takeProfit),
    targets: targets ? JSON.stringify(targets.map(({ level, share }) => [toText(level), toText(share)])) : null,
    break_even_after: protection.breakEvenAfter ?? null,
    max_hold_seconds: protection.maxHoldSeconds ?? null,
    asked: protection.asked ? askedText(protection.asked) : null,
    named: protection.named ? JSON.stringify(protection.named) : null,
    basis_price: textOf(basis?.price),
    basis_filled: textOf(basis?.filled),
    basis_quantity: textOf(basis?.quantity),
    basis_tick: textOf(basis?.tick),
    basis_since: basis?.sinceMs ?? null,
    targets_hit: protection.targetsHit ?? 0,
    targets_closed: toText(protection.targetsClosed ?? ZERO),
    peak: textOf(protection.peak),
    seen_until: protection.seenUntilMs,
    close_request_id: protection.closeRequestId,
    fired_by: fired?.by ?? null,
    fired_level: textOf(fired?.level),
    fired_target: fired?.target ?? null,
    fired_at: fired?.atMs ?? null,
  };
};

/** What an entry asks for, as it is written beside it. */
export const pendingColumns = (asked: ProtectRequest): Columns => ({
  stop_loss: writtenLevel(asked.stopLoss),
  take_profit: writtenLevel(asked.takeProfit),
  trail: writtenLevel(asked.trail),
  // Of older versions, and never written again: a trail that replaces it stands in the column above.
  trail_percent: null,
  activation_price: textOf(asked.activationPrice),
  targets: asked.targets
    ? JSON.stringify(asked.targets.map(({ level, share }) => [levelText(level), toText(share)]))
    : null,
  break_even_after: asked.breakEvenAfter ?? null,
  max_hold_seconds: asked.maxHoldSeconds ?? null,
});

const askedText = ({ stopLoss, takeProfit, trail, targets }: AskedDistances): string =>
  JSON.stringify({
    ...(stopLoss && { stopLoss: levelText(stopLoss) }),
    ...(takeProfit && { takeProfit: levelText(takeProfit) }),
    ...(trail && { trail: levelText(trail) }),
    ...(targets && { targets: targets.map(levelText) }),
  });

const text = (row: Row, name: string): string => row[name] as string;
const isThere = (row: Row, name: string): boolean => row[name] !== null && row[name] !== undefined;
const amount = (row: Row, name: string): Decimal | undefined =>
  isThere(row, name) ? decimal(text(row, name)) : undefined;

/** A row is ours, so what stands in it is a level; anything else is damage, and stops the start. */
function levelOf(written: string): Level {
  const level = readLevel(written);
  if (level === undefined) throw new RangeError(`not a level: ${written.slice(0, 80)}`);
  return level;
}

function levelsOf(row: Row): Levels {
  const percent = amount(row, 'trail_percent');
  const distance = amount(row, 'trail_amount');
  const [activationPrice, stopLoss, takeProfit] = ['activation_price', 'stop_loss', 'take_profit'].map((name) =>
    amount(row, name),
  );
  return {
    ...(percent !== undefined && { trail: { percent } }),
    ...(distance !== undefined && { trail: { amount: distance } }),
    ...(activationPrice !== undefined && { activationPrice }),
    ...(stopLoss !== undefined && { stopLoss }),
    ...(takeProfit !== undefined && { takeProfit }),
    ...(isThere(row, 'targets') && { targets: pairsOf(row).map(([at, share]) => ({ level: decimal(at), share })) }),
    ...countsOf(row),
  };
}

const pairsOf = (row: Row): readonly (readonly [level: string, share: Decimal])[] =>
  (JSON.parse(text(row, 'targets')) as [string, string][]).map(([level, share]) => [level, decimal(share)]);

const countsOf = (row: Row) => ({
  ...(isThere(row, 'break_even_after') && { breakEvenAfter: row.break_even_after as number }),
  ...(isThere(row, 'max_hold_seconds') && { maxHoldSeconds: row.max_hold_seconds as number }),
});

function basisOf(row: Row): Basis | undefined {
  const [price, filled, quantity, tick] = ['price', 'filled', 'quantity', 'tick'].map((name) =>
    amount(row, `basis_${name}`),
  );
  if (price === undefined || filled === undefined || quantity === undefined || tick === undefined) return undefined;
  return { price, filled, quantity, tick, sinceMs: row.basis_since as number };
}

function askedOf(row: Row): AskedDistances | undefined {
  if (!isThere(row, 'asked')) return undefined;
  const { targets, ...levels } = JSON.parse(text(row, 'asked')) as Record<string, string> & { targets?: string[] };
  const read = Object.entries(levels as Record<string, string>).map(([name, written]) => [name, levelOf(written)]);
  return { ...Object.fromEntries(read), ...(targets && { targets: targets.map(levelOf) }) };
}

const shareOf = (row: Row, side: PositionSide): ShareName => ({
  exchange: text(row, 'exchange') as Exchange,
  mode: text(row, 'mode') as VenueMode,
  account: text(row, 'account'),
  market: text(row, 'market'),
  side,
  strategy: text(row, 'strategy'),
});

export function protectionOf(row: Row): Protection {
  const [peak, level, basis, asked] = [amount(row, 'peak'), amount(row, 'fired_level'), basisOf(row), askedOf(row)];
  return {
    ...shareOf(row, text(row, 'side') as PositionSide),
    createdAtMs: row.created_at as number,
    ...(row.origin !== null && { origin: text(row, 'origin') }),
    ...levelsOf(row),
    ...(basis && { basis }),
    ...(asked && { asked }),
    ...(isThere(row, 'named') && { named: JSON.parse(text(row, 'named')) as NamedParts }),
    ...(row.targets_hit !== 0 && { targetsHit: row.targets_hit as number }),
    ...(row.targets_closed !== '0' && { targetsClosed: decimal(text(row, 'targets_closed')) }),
    ...(peak !== undefined && { peak }),
    seenUntilMs: row.seen_until as number,
    closeRequestId: text(row, 'close_request_id'),
    ...(row.fired_by !== null && {
      fired: {
        by: text(row, 'fired_by') as ProtectionSource,
        ...(level !== undefined && { level }),
        ...(row.fired_target !== null && { target: row.fired_target as number }),
        atMs: row.fired_at as number,
      },
    }),
  };
}

export function pendingStopOf(row: Row): PendingStop {
  const [stopLoss, takeProfit] = ['stop_loss', 'take_profit'].map((name) =>
    isThere(row, name) ? levelOf(text(row, name)) : undefined,
  );
  const percent = amount(row, 'trail_percent');
  const activationPrice = amount(row, 'activation_price');
  const trail: Level | undefined = percent === undefined ? undefined : { unit: 'percent', value: percent };
  return {
    requestId: text(row, 'request_id'),
    createdAtMs: row.created_at as number,
    asked: {
      ...(stopLoss && { stopLoss }),
      ...(takeProfit && { takeProfit }),
      ...(trail && { trail }),
      ...(isThere(row, 'trail') && { trail: levelOf(text(row, 'trail')) }),
      ...(activationPrice !== undefined && { activationPrice }),
      ...(isThere(row, 'targets') && { targets: pairsOf(row).map(([at, share]) => ({ level: levelOf(at), share })) }),
      ...countsOf(row),
    },
    ...(isThere(row, 'action') && { share: shareOf(row, ACTION_MEANING[row.action as Action].positionSide) }),
  };
}

export const venueStopColumns = ({ share, ...stop }: StoredStop): Columns => ({
  client_stop_id: stop.clientStopId,
  exchange: share.exchange,
  mode: share.mode,
  account: share.account,
  market: share.market,
  side: share.side,
  strategy: share.strategy,
  kind: stop.kind,
  source: stop.by,
  quantity: toText(stop.quantity),
  trigger_price: toText(stop.triggerPrice),
  created_at: stop.createdAtMs,
});

export const venueStopOf = (row: Row): StoredStop => ({
  clientStopId: text(row, 'client_stop_id'),
  share: shareOf(row, row.side as PositionSide),
  kind: row.kind as StopKind,
  by: row.source as ProtectionSource,
  quantity: decimal(text(row, 'quantity')),
  triggerPrice: decimal(text(row, 'trigger_price')),
  createdAtMs: row.created_at as number,
});

export function dayOf(row: Row): DrawdownDay {
  const trippedPercent = amount(row, 'tripped_percent');
  return {
    day: text(row, 'day'),
    startEquity: decimal(text(row, 'start_equity')),
    lastEquity: decimal(text(row, 'last_equity')),
    lastSeenMs: row.last_seen as number,
    ...(trippedPercent !== undefined && { trippedPercent }),
  };
}
