// The port that keeps what we have asked a venue to guard: there before the venue is asked, until it is certain what became of it.

import type { ShareName } from '../books/strategy-book.ts';
import type { Decimal } from '../decimal.ts';
import type { ProtectionSource } from '../signal.ts';
import type { StopKind } from '../venue.ts';

/** A stop that may be at a venue. Nothing of it ever changes: a stop that is moved is another one. */
export interface StoredStop {
  readonly clientStopId: string;
  /** What it closes. */
  readonly share: ShareName;
  readonly kind: StopKind;
  /** Which of the share's levels it is. */
  readonly by: ProtectionSource;
  readonly quantity: Decimal;
  readonly triggerPrice: Decimal;
  readonly createdAtMs: number;
}

/** As it is shown: until its venue has told of it, nobody knows whether it stands there. */
export interface ShownStop extends StoredStop {
  readonly isKnown: boolean;
}

export interface VenueStopStore {
  /** The oldest first. */
  load(): Promise<readonly StoredStop[]>;
  /** On disk when it resolves. */
  add(stop: StoredStop): Promise<void>;
  remove(clientStopId: string): Promise<void>;
}
