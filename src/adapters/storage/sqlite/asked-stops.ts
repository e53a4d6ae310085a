// The stops that a signal asked for as text in the history of its trade: JSON in which every amount is decimal text.

import { type Decimal, decimal, toText } from '../../../trading/decimal.ts';
import type { ProtectRequest } from '../../../trading/signal.ts';

export const askedStops = (protect: ProtectRequest): string =>
  JSON.stringify(protect, (_, value: unknown) => (typeof value === 'bigint' ? toText(value as Decimal) : value));

/** Other texts, such as a unit, are no numbers. */
const AMOUNT = /^-?\d+(?:\.\d+)?$/;

export const readAskedStops = (text: string): ProtectRequest =>
  JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && AMOUNT.test(value) ? decimal(value) : value,
  ) as ProtectRequest;
