// What the event loop and the thread that reads large bodies tell each other.

import type { BarColumns } from '../../pine/index.ts';

/** Rows of bars that were taken out of a body, and the keys that lead to where they stood. */
export interface PlacedRows {
  readonly path: readonly string[];
  readonly columns: BarColumns;
}

export type BodyAnswer =
  | { readonly kind: 'read'; readonly top: { readonly root: unknown }; readonly rows: readonly PlacedRows[] }
  /** Not for a thread: refused, or full of things that would have to be copied. */
  | { readonly kind: 'unread'; readonly bytes: Uint8Array };
