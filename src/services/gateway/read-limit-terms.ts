// The terms of a limit order that a signal asks for, with everything about them that can be wrong.

import type { SignalOrder } from '../../trading/signal.ts';
import type { SignalBody } from './schemas.ts';

const FIELDS = ['timeInForce', 'postOnly', 'cancelAfterSeconds'] as const;

export type LimitTerms = Pick<SignalOrder, (typeof FIELDS)[number]>;

/** A market order has no terms, and an order that never waits can neither be canceled later nor only wait. */
export function limitTermsOf(signal: Omit<SignalBody, 'apiKey'>, faults: string[]): LimitTerms {
  const { price, timeInForce, postOnly, cancelAfterSeconds } = signal;
  const given = FIELDS.filter((field) => signal[field] !== undefined && signal[field] !== false);
  if (price === undefined) {
    faults.push(...given.map((field) => `${field}: is for a limit order, send price too, or remove it`));
    return {};
  }
  if (timeInForce === 'IOC' || timeInForce === 'FOK') {
    const rest = given.filter((field) => field !== 'timeInForce');
    faults.push(
      ...rest.map((field) => `${field}: is for an order that waits, and ${timeInForce} never does; remove one`),
    );
  }
  return {
    ...(timeInForce !== undefined && timeInForce !== 'GTC' && { timeInForce }),
    ...(postOnly === true && { postOnly }),
    ...(cancelAfterSeconds !== undefined && { cancelAfterSeconds }),
  };
}
