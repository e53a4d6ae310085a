// What the server says, for a component: the same question is asked once for all that show it.

import { useLayoutEffect, useState } from 'preact/hooks';
import { AnswerCache } from './answer-cache.ts';
import type { Shown } from './shared-answer.ts';

const EVERY_MS = 5_000;

const answers = new AnswerCache();

/** `everyMs` counts for whoever shows it first; `key` is the user's own, where a session opens nothing. */
export function useAnswer<Answer>(path: string, everyMs = EVERY_MS, key?: string): Shown<Answer> {
  const shared = answers.of<Answer>(path, everyMs, key);
  const [, setTurn] = useState(0);
  useLayoutEffect(() => shared.show(() => setTurn((turn) => turn + 1)), [shared]);
  return shared.shown;
}

const refreshListeners = new Set<() => void>();

/** For what asks by itself, such as a long list; returns how to stop. */
export function whenRefreshed(listener: () => void): () => void {
  refreshListeners.add(listener);
  return () => void refreshListeners.delete(listener);
}

/** Something has happened: every answer that is shown is asked for again, or the one to this question. */
export function refreshAnswers(path?: string): void {
  answers.refresh(path);
  if (path === undefined) for (const listener of refreshListeners) listener();
}

/** Those that nobody shows any more. */
export const forgetAnswers = (): void => answers.clear();
