// What the search for repainting came to, and how answers and pages tell it.

export type RepaintCheck =
  | {
      readonly kind: 'checked';
      /** Bars that were told one by one, each a cut: nothing after it was known. */
      readonly compared: number;
      /** Lines to look at, from 1; empty where nothing repaints. */
      readonly lines: readonly number[];
    }
  | { readonly kind: 'not-checked'; readonly reason: string };

const NOBODY_ASKED = 'nobody asked for it';

/** As JSON tells it. */
export interface RepaintAnswer {
  readonly status: 'none_found' | 'repaints' | 'not_checked';
  readonly bars_compared: number;
  readonly lines: readonly number[];
  /** Why it was not checked. */
  readonly reason?: string;
}

export function repaintAnswer(check: RepaintCheck | undefined): RepaintAnswer {
  if (check?.kind !== 'checked')
    return { status: 'not_checked', bars_compared: 0, lines: [], reason: check?.reason ?? NOBODY_ASKED };
  const { compared, lines } = check;
  return { status: lines.length > 0 ? 'repaints' : 'none_found', bars_compared: compared, lines };
}

/** For people. A single bar leaves nothing to compare. */
export function repaintWords(check: RepaintCheck | undefined): string {
  const { status, bars_compared: compared, lines, reason } = repaintAnswer(check);
  if (status === 'not_checked') return `not checked: ${reason}`;
  if (status === 'repaints') return `repaints: look at ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
  return `no repainting found over ${compared.toLocaleString('en-US')} ${compared === 1 ? 'cut' : 'cuts'}`;
}
