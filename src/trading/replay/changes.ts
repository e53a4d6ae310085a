// What a replay does otherwise than the past: other limits, sizes and stops, and what follows from sizes for closes.

import { ACTION_MEANING } from '../action.ts';
import { type Decimal, decimal, times } from '../decimal.ts';
import { type ProtectRequest, previousTimes, type QuantityType, type SignalOrder } from '../signal.ts';
import type { LimitChange } from './replayed-limits.ts';

/** Every quantity so many times as large, or every entry of the same size. */
export type SizeChange =
  | { readonly factor: Decimal }
  | { readonly quantity: Decimal; readonly quantityType: Exclude<QuantityType, 'percent_position'> };

export interface ReplayChanges {
  readonly size?: SizeChange;
  /** Other limits than those of the past, from the beginning of the stretch on. */
  readonly limits?: readonly LimitChange[];
  /** Of every entry, instead of those it asked for; what is not named stays. */
  readonly stops?: Pick<ProtectRequest, 'stopLoss' | 'takeProfit' | 'trail'>;
  /** Signals that were refused stay refused. */
  readonly withoutRefused?: boolean;
}

const ALL_OF_IT = decimal('100');

/** As the replay sends it: never with a notification, for what it tells is long past. */
export function changedOrder(order: SignalOrder, { size, stops }: ReplayChanges): SignalOrder {
  const { notify: _, ...silent } = order;
  const isEntry = !ACTION_MEANING[order.action].closes;
  const guarded = isEntry && stops ? { ...silent, protect: { ...silent.protect, ...stops } } : silent;
  if (size === undefined || order.quantityType === 'percent_position') return guarded;
  if ('factor' in size)
    return { ...guarded, quantity: times(order.quantity, size.factor), ...previousTimes(order, size.factor) };
  const other = sizeless(guarded);
  if (isEntry) return { ...other, quantity: size.quantity, quantityType: size.quantityType };
  // How much of its entry a close with a quantity meant cannot be known: it closes what its strategy holds.
  return { ...other, quantity: ALL_OF_IT, quantityType: 'percent_position' };
}

/** Sizes of the strategy count nothing where its orders are of another size: only the sides are compared then. */
const sizeless = (order: SignalOrder): SignalOrder =>
  order.previousPosition === undefined
    ? order
    : { ...order, previousPosition: { position: order.previousPosition.position } };
