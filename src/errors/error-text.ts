// What went wrong, in words, whatever was thrown: JavaScript lets anything be thrown, not only errors.

export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
