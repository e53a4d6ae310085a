// The port between processes that share streams of bars: one of them holds a stream and tells the others what it says.

import type { MaybePromise } from '../timing/maybe-promise.ts';

/** Undefined in the place of an answer: nobody can be asked now. */
export interface BarRelay {
  /** Whether the stream is the holder's from now on: true for one at a time. It ends some seconds after the last word. */
  claim(stream: string, holder: string): MaybePromise<boolean | undefined>;
  /** Tells everybody who listens, and keeps the stream; false where it is another's by now, and then nobody was told. */
  tell(stream: string, holder: string, text: string): MaybePromise<boolean | undefined>;
  /** The next claim has it. */
  release(stream: string, holder: string): void;
  /** Words may be lost, and none comes twice. Nothing is heard before this has returned. */
  listen(stream: string, onText: (text: string) => void): { close(): void };
}
