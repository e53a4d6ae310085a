// What can be gone to by name besides pages: the markets the server knows, and the scripts of the user's library.

import type { Market, Result } from '../server/answers.ts';
import { useScriptKey } from '../server/script-key.ts';
import { SCRIPTS, type ScriptSummary } from '../server/script-library.ts';
import { useAnswer } from '../server/use-answer.ts';
import { useAsked } from '../server/use-asked.ts';
import { linkTo } from '../ui/places.ts';
import type { Command } from './commands.ts';

/** Neither list changes while somebody types a few letters. */
const EVERY_MS = 60_000;

const goTo = (...place: readonly [string, ...string[]]): void => {
  location.hash = linkTo(...place);
};

export function useMarketCommands(): readonly Command[] {
  const { answer } = useAnswer<Result<readonly Market[]>>('/markets', EVERY_MS);
  const symbols = new Set(answer?.result.map(({ symbol }) => symbol));
  return [...symbols].map((symbol) => ({ title: symbol, kind: 'market', run: () => goTo('chart', symbol) }));
}

/** None without the user's own key: no session opens the library. */
export function useScriptCommands(): readonly Command[] {
  const key = useScriptKey();
  const path = key === undefined ? undefined : SCRIPTS;
  const { answer } = useAsked<{ readonly scripts: readonly ScriptSummary[] }>(path, { key });
  return (answer?.scripts ?? []).map(({ id, name }) => ({
    ...{ id, title: name, kind: 'script', run: () => goTo('library', id) },
  }));
}
