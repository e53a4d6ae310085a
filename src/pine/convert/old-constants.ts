// Constants that had another form: styles and displays as numbers, and the line of a level by the name of that of a plot.

import type { Argument, Call } from '../syntax/index.ts';
import type { Rewriter } from './rewriter.ts';

/** Styles that version 1 also knew by their numbers. */
const STYLE_NUMBERS: readonly string[] = [
  ...['line', 'histogram', '', 'cross', 'area', 'columns', 'circles', 'linebr', 'areabr', 'stepline'],
];

export function rewriteStyleNumber(r: Rewriter, call: Call): void {
  const style = r.argument(call, 'style')?.value;
  const name = style?.kind === 'int' ? (STYLE_NUMBERS[style.value] ?? '') : '';
  if (style === undefined || name === '') return;
  r.edits.replace(style.span, `plot.style_${name}`);
  r.changed(style.span, `the style is plot.style_${name}`, 'Styles have no numbers any more.');
}

/**
 * Until version 3 a solid level may be called what the line of a plot is called: `hline(0, linestyle=line)`. Whether the
 * argument is that word, which then is not renamed as everywhere else.
 */
export function rewriteLineStyle(r: Rewriter, call: Call, { value }: Argument): boolean {
  if (r.builtIn(call) !== 'hline' || r.argument(call, 'linestyle')?.value !== value) return false;
  if (value.kind !== 'identifier' || value.name !== 'line' || r.names.of.has(value)) return false;
  r.edits.replace(value.span, 'hline.style_solid');
  r.changed(value.span, 'line is hline.style_solid', 'Levels have other styles than plots since version 4.');
  return true;
}

/** Until version 4 displays are whole numbers, and 0 is display.none. */
export function rewriteDisplay(r: Rewriter, call: Call): void {
  const display = r.argument(call, 'display')?.value;
  if (display?.kind !== 'int') return;
  const written = display.value === 0 ? 'display.none' : 'display.all';
  r.edits.replace(display.span, written);
  r.changed(display.span, `display is ${written}`, 'Since version 5 it is no number.');
}
