// The port of named alerts as they came in, whatever the gates made of them: what a second opinion compares with.

import type { Decimal } from '../decimal.ts';
import type { Action, PreviousPosition } from '../signal.ts';

export interface ArrivedAlert {
  readonly requestId: string;
  readonly alertId: string;
  readonly receivedAtMs: number;
  /** `accepted`, or the code of the refusal. */
  readonly decision: string;
  readonly symbol: string;
  readonly action: Action;
  /** Of what was accepted; a refused signal is known by its name and side alone. */
  readonly accepted?: {
    readonly quantity: Decimal;
    readonly isInBase: boolean;
    readonly previousPosition?: PreviousPosition | undefined;
    readonly comment?: string | undefined;
  };
}

export interface AlertArrivals {
  /** Those with a name that others than scripts sent under the key of this label, from this moment on, oldest first. */
  since(of: {
    readonly keyLabel: string;
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly ArrivedAlert[]>;
}
