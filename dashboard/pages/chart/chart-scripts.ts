// The scripts of a chart as one of them changes, and what of their texts stands nowhere else.

import { isUnsaved, keepUnsaved, unsavedOf } from '../script/unsaved.ts';
import type { ChosenScript } from './chart-choice.ts';

export type ScriptChange = Partial<Omit<ChosenScript, 'id'>>;

/** One of them changed; the same script of the library has one text, however often it is on the chart. */
export function withChange(
  scripts: readonly ChosenScript[],
  id: string,
  change: ScriptChange,
): readonly ChosenScript[] {
  const storedId = scripts.find((script) => script.id === id)?.storedId;
  const { source } = change;
  return scripts.map((script) => {
    if (script.id === id) return { ...script, ...change };
    const isSame = storedId !== undefined && script.storedId === storedId;
    return isSame && source !== undefined ? { ...script, source } : script;
  });
}

/**
 * With what was written last, also in another tab that has forgotten it since. What was written of a script of the library may be
 * older than what was saved since: that is settled when the script is opened, and until then the chart keeps its own copy.
 */
export const withUnsaved = (scripts: readonly ChosenScript[]): readonly ChosenScript[] =>
  scripts.map((script) =>
    script.storedId === undefined ? { ...script, source: unsavedOf(script.id)?.content ?? script.source } : script,
  );

/** Those whose text would be lost with what comes next: the library keeps what is written of its own. */
export const lostBy = (scripts: readonly ChosenScript[], next: readonly ChosenScript[]): readonly ChosenScript[] =>
  scripts.filter(
    ({ id, source, storedId }) =>
      storedId === undefined && isUnsaved(id) && !next.some((other) => other.id === id && other.source === source),
  );

/** Whether a script that stays has another text than the one that may be open. */
export const hasOtherText = (scripts: readonly ChosenScript[], next: readonly ChosenScript[]): boolean =>
  next.some(({ id, source }) => scripts.some((before) => before.id === id && before.source !== source));

export function forgetUnsaved(scripts: readonly ChosenScript[]): void {
  for (const { id } of scripts) keepUnsaved(id, undefined);
}
