// How tests read a snippet: what it means when it is right, and where which code is reported when it is not.

import { LineTable, parse } from '../index.ts';
import { printScript } from './print-ast.ts';

/** The snippet below a version line, so that its own first line is line 2. */
export const versioned = (snippet: string, version = 6): string => `//@version=${version}\n${snippet}`;

/** The statements in short; throws with the findings when there are any. */
export function meaningOf(snippet: string, version = 6): string {
  const { script, diagnostics } = parse(versioned(snippet, version));
  if (diagnostics.length > 0) throw new Error(findingsIn(versioned(snippet, version)).join('\n'));
  return printScript(script.statements);
}

/** `CODE line:column` of every finding, lines counted in the text as given. */
export function findingsIn(source: string): string[] {
  const table = new LineTable(source);
  return parse(source).diagnostics.map(({ code, span }) => {
    const { line, column } = table.positionAt(span.start);
    return `${code} ${line}:${column}`;
  });
}

/** The same for a snippet below a version line, lines counted in the snippet. */
export function faultsOf(snippet: string, version = 6): string[] {
  const shift = (_all: string, line: string) => ` ${Number(line) - 1}:`;
  return findingsIn(versioned(snippet, version)).map((finding) => finding.replace(/ (\d+):/, shift));
}
