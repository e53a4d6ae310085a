// Calls with rules of their own: security(), the declaration of the script, and the orders of a strategy.

import type { Argument, Call } from '../syntax/index.ts';
import { dottedName } from './names.ts';
import type { Rewriter } from './rewriter.ts';

/** The first version in which security() does not look ahead unless it is told to. */
const WITHOUT_LOOKAHEAD = 3;

export function rewriteSecurity(r: Rewriter, call: Call): boolean {
  for (const name of ['gaps', 'lookahead'] as const) {
    const argument = r.argument(call, name);
    if (argument?.value.kind !== 'bool') continue;
    const written = `barmerge.${name}_${argument.value.value ? 'on' : 'off'}`;
    r.edits.replace(argument.value.span, written);
    r.changed(argument.span, `${name} of security() is ${written}`, 'Since version 3 it is no bool.');
  }
  if (r.version < WITHOUT_LOOKAHEAD && r.argument(call, 'lookahead') === null) {
    r.add(call, 'lookahead=barmerge.lookahead_on');
    r.check(
      call.span,
      'security() looks ahead',
      'In versions 1 and 2 it does unless told otherwise: on old bars it sees the end of a day at its beginning. Remove lookahead if that is not wanted.',
    );
  }
  return false;
}

/** study() and strategy(). */
export function rewriteDeclaration(r: Rewriter, call: Call): boolean {
  const name = r.builtIn(call);
  if (r.argument(call, 'title') === null) {
    const short = r.argument(call, 'shorttitle');
    const title = short === null ? '"Script"' : r.edits.textOf(r.whole(short.value));
    r.add(call, `title=${title}`);
    r.changed(call.span, `${name}() has a title`, 'Version 5 asks for one.');
  }
  if (name === 'strategy' && r.argument(call, 'initial_capital') === null)
    r.check(
      call.span,
      'strategy() without initial_capital',
      'The capital that is assumed differs between versions; write initial_capital.',
    );
  return false;
}

export function rewriteOrder(r: Rewriter, call: Call): boolean {
  const given = r.argumentsOf(call);
  const when = given.findIndex(({ name }) => name === 'when');
  if (when >= 0)
    for (const { name, argument, isPositional } of given.slice(when))
      if (isPositional && name !== '') {
        r.edits.before(argument.span.start, `${name}=`);
        r.changed(
          argument.span,
          `${name} of ${r.builtIn(call)}() is named`,
          'Its place is another one since version 5.',
        );
      }
  const direction = r.argument(call, 'long') ?? r.argument(call, 'direction');
  if (direction !== null) rewriteDirection(r, direction);
  return false;
}

/** Until version 4 the direction is a bool. */
function rewriteDirection(r: Rewriter, { value, span }: Argument): void {
  const why = 'Since version 5 the direction of an order is no bool.';
  if (value.kind === 'bool') {
    const written = value.value ? 'strategy.long' : 'strategy.short';
    r.edits.replace(value.span, written);
    r.changed(span, `the direction is ${written}`, why);
  } else if (r.kinds.of(value) === 'bool' && dottedName(value) !== 'strategy.long') {
    const isLoose = value.kind === 'conditional';
    r.wrap(value, isLoose ? '(' : '', `${isLoose ? ')' : ''} ? strategy.long : strategy.short`);
    r.changed(span, 'the direction is strategy.long or strategy.short', why);
  }
}
