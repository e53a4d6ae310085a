// What went wrong, in words, whatever was thrown: JavaScript lets anything be thrown, not only errors.

export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same as an error, for whoever must hand one on. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
