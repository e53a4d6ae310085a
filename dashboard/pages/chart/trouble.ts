// What keeps a script from running, in words.

import type { ScriptState } from '../../engine/script-run.ts';

/** The first thing, with its place. */
export function troubleOf(state: ScriptState): string | undefined {
  if (state.status === 'failed') return `${state.line === undefined ? '' : `line ${state.line}: `}${state.message}`;
  if (state.status !== 'refused') return undefined;
  const { line, message, remedy } = state.findings.find(({ severity }) => severity === 'error') ?? {};
  return `line ${line}: ${message}${remedy === undefined ? '' : ` ${remedy}`}`;
}
