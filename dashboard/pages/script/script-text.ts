// What can be said of the text of a script without its compiler, and the text that a new one begins with.

export const BEGINNING = '//@version=6\nindicator("My script", overlay = true)\n\nplot(ta.ema(close, 20))\n';

/** What the script calls itself. */
export const titleOf = (source: string): string | undefined =>
  /\b(?:indicator|strategy|study|library)\s*\(\s*(?:title\s*=\s*)?(["'])([^"'\\\n]{1,100})\1/.exec(source)?.[2];
