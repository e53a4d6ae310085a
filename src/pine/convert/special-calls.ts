// Calls with rules of their own: security() and its tickers, the declaration of the script, and the orders of a strategy.

import type { Argument, Call } from '../syntax/index.ts';
import { isNumber } from './kinds.ts';
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

/** The last version in which renko(), linebreak() and kagi() are told the price they are made of. */
const LAST_WITH_SOURCE = 3;
/** How many arguments those functions have with the price; renko() may also go without it. */
const ARGUMENTS_WITH_SOURCE: Readonly<Record<string, number>> = { renko: 4, linebreak: 3, kagi: 3 };
/** What version 5 makes such bars of, unless it is told otherwise. */
const CLOSE = 'close';

/** `renko(tickerid, "close", "ATR", 10)` has the price as its second argument; version 5 always takes the close. */
export function rewriteTicker(r: Rewriter, call: Call): boolean {
  const name = r.builtIn(call);
  const source = call.arguments[1];
  if (r.version > LAST_WITH_SOURCE || call.arguments.length !== ARGUMENTS_WITH_SOURCE[name]) return false;
  if (source === undefined || call.arguments.some((argument) => argument.name !== null)) return false;
  r.drop(call, source);
  const what = `the price of ${name}() is left out`;
  if (source.value.kind === 'string' && source.value.value === CLOSE)
    r.changed(source.span, what, 'Since version 4 it is the close.');
  else r.check(source.span, what, 'Since version 4 it is the close, whatever was written.');
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

/** Until version 4 the direction is a bool, and a number is taken for one: 0 is false. */
function rewriteDirection(r: Rewriter, { value, span }: Argument): void {
  const why = 'Since version 5 the direction of an order is no bool.';
  const kind = r.kinds.of(value);
  if (value.kind === 'bool' || value.kind === 'int') {
    const written = value.value ? 'strategy.long' : 'strategy.short';
    r.edits.replace(value.span, written);
    r.changed(span, `the direction is ${written}`, why);
  } else if ((kind === 'bool' || isNumber(kind)) && dottedName(value) !== 'strategy.long') {
    const isLoose = value.kind === 'conditional';
    r.wrap(value, isLoose ? '(' : '', `${isLoose ? ')' : ''} ? strategy.long : strategy.short`);
    r.changed(span, 'the direction is strategy.long or strategy.short', why);
  }
}
