// What the server says, for a component: the same question is asked once for all that show it.

import { useEffect, useState } from 'preact/hooks';
import { SharedAnswer, type Shown } from './shared-answer.ts';

const EVERY_MS = 5_000;

const answers = new Map<string, SharedAnswer<unknown>>();

function sharedAnswer<Answer>(path: string, everyMs: number, key?: string): SharedAnswer<Answer> {
  const name = key === undefined ? path : `${key} ${path}`;
  let found = answers.get(name);
  if (found === undefined) {
    found = new SharedAnswer(path, everyMs, key);
    answers.set(name, found);
  }
  return found as SharedAnswer<Answer>;
}

/** `everyMs` counts for whoever shows it first; `key` is the user's own, where a session opens nothing. */
export function useAnswer<Answer>(path: string, everyMs = EVERY_MS, key?: string): Shown<Answer> {
  const shared = sharedAnswer<Answer>(path, everyMs, key);
  const [, setTurn] = useState(0);
  useEffect(() => shared.show(() => setTurn((turn) => turn + 1)), [shared]);
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
  if (path !== undefined) {
    answers.get(path)?.refresh();
    return;
  }
  for (const answer of answers.values()) answer.refresh();
  for (const listener of refreshListeners) listener();
}
