// Between rows and the domain's nouns: stops, and the day of the drawdown guard.

import { type Decimal, decimal, toText } from '../../../../trading/decimal.ts';
import type { DrawdownDay } from '../../../../trading/protection/drawdown-guard.ts';
import type { Levels, Protection } from '../../../../trading/protection/protection.ts';
import type { PendingStop } from '../../../../trading/protection/protection-store.ts';
import type { Exchange, ProtectionSource } from '../../../../trading/signal.ts';
import type { PositionSide, VenueMode } from '../../../../trading/venue.ts';
import type { Row } from '../database.ts';
import type { Columns } from './mutations.ts';

export const textOf = (value: Decimal | undefined): string | null => (value === undefined ? null : toText(value));

export const protectionColumns = (protection: Protection): Columns => {
  const { trail, fired } = protection;
  return {
    exchange: protection.exchange,
    mode: protection.mode,
    account: protection.account,
    market: protection.market,
    side: protection.side,
    created_at: protection.createdAtMs,
    origin: protection.origin ?? null,
    trail_percent: trail && 'percent' in trail ? toText(trail.percent) : null,
    trail_amount: trail && 'amount' in trail ? toText(trail.amount) : null,
    activation_price: textOf(protection.activationPrice),
    stop_loss: textOf(protection.stopLoss),
    take_profit: textOf(protection.takeProfit),
    peak: textOf(protection.peak),
    seen_until: protection.seenUntilMs,
    close_request_id: protection.closeRequestId,
    fired_by: fired?.by ?? null,
    fired_level: textOf(fired?.level),
    fired_at: fired?.atMs ?? null,
  };
};

const text = (row: Row, name: string): string => row[name] as string;
const amount = (row: Row, name: string): Decimal | undefined =>
  row[name] === null || row[name] === undefined ? undefined : decimal(row[name] as string);

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
  };
}

export function protectionOf(row: Row): Protection {
  const peak = amount(row, 'peak');
  const level = amount(row, 'fired_level');
  return {
    exchange: text(row, 'exchange') as Exchange,
    mode: text(row, 'mode') as VenueMode,
    account: text(row, 'account'),
    market: text(row, 'market'),
    side: text(row, 'side') as PositionSide,
    createdAtMs: row.created_at as number,
    ...(row.origin !== null && { origin: text(row, 'origin') }),
    ...levelsOf(row),
    ...(peak !== undefined && { peak }),
    seenUntilMs: row.seen_until as number,
    closeRequestId: text(row, 'close_request_id'),
    ...(level !== undefined && {
      fired: { by: text(row, 'fired_by') as ProtectionSource, level, atMs: row.fired_at as number },
    }),
  };
}

export const pendingStopOf = (row: Row): PendingStop => ({
  requestId: text(row, 'request_id'),
  createdAtMs: row.created_at as number,
  levels: levelsOf(row),
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
