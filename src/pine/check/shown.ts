// Whether a script shows, tells or exports anything: one that does not was left unfinished, and is refused.

import type { Checker } from './checker.ts';
import { OUTPUTS } from './recorded-calls.ts';
import type { Module } from './scopes.ts';

/** Drawings, log lines, orders, and an error that people get to see. */
const SHOWING_NAMESPACES: ReadonlySet<string> = new Set([
  'line',
  'label',
  'box',
  'table',
  'polyline',
  'linefill',
  'log',
  'strategy',
  'runtime',
]);

/**
 * Notes a call of a built-in function, wherever it stands, also in a function that nobody calls. What stands in a
 * library counts when the script calls it.
 */
export function noteShown(c: Checker, name: string): void {
  if (c.program.shows || (c.place.dry && c.place.module.library !== null)) return;
  const [namespace = ''] = name.split('.');
  c.program.shows = name === 'alert' || OUTPUTS.has(name) || (name !== namespace && SHOWING_NAMESPACES.has(namespace));
}

/** At the declaration of a script that has no mistakes: with one, what is missing may be what could not be read. */
export function checkShown(c: Checker): void {
  const { declaration, declaredAt, shows } = c.program;
  if (declaration === null || declaredAt === null) return;
  const { scriptType } = declaration;
  if (scriptType === 'library') {
    const remedy = 'Write "export" before a function, a type, an enum or a constant.';
    if (exportsNothing(c.place.module)) c.report('nothingExported', 'The library exports nothing.', declaredAt, remedy);
  } else if (!shows) {
    const others = scriptType === 'strategy' ? 'an order, a drawing' : 'a drawing';
    const remedy = `Call plot(), or another function that people see something of: ${others}, an alert, a log line.`;
    c.report('noOutput', `The ${scriptType} shows nothing: it has no output.`, declaredAt, remedy);
  }
}

const exportsNothing = ({ script }: Module): boolean =>
  !script.statements.some((statement) => 'exported' in statement && statement.exported);
