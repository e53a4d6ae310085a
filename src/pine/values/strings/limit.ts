// The limit on the length of a string.

import { PineRuntimeError } from '../runtime-error.ts';

/** The language's own limit, the same for both versions: it was 4096 until the manual of version 6 raised it. */
export const MAX_STRING_LENGTH = 40_960;

/** The string itself, when it is not too long. */
export function limited(text: string): string {
  checkLength(text.length);
  return text;
}

/** For results whose length is known before they are built. */
export function checkLength(length: number): void {
  if (length > MAX_STRING_LENGTH)
    throw new PineRuntimeError(
      `String is too long (${length} characters). Maximum length is ${MAX_STRING_LENGTH} characters.`,
    );
}
