// What the server says, for a component: the same question is asked once for all that show it.

import { useEffect, useState } from 'preact/hooks';
import { SharedAnswer, type Shown } from './shared-answer.ts';

const EVERY_MS = 5_000;

const answers = new Map<string, SharedAnswer<unknown>>();

function sharedAnswer<Answer>(path: string, everyMs: number): SharedAnswer<Answer> {
  let found = answers.get(path);
  if (found === undefined) {
    found = new SharedAnswer(path, everyMs);
    answers.set(path, found);
  }
  return found as SharedAnswer<Answer>;
}

/** `everyMs` counts for whoever shows it first. */
export function useAnswer<Answer>(path: string, everyMs = EVERY_MS): Shown<Answer> {
  const shared = sharedAnswer<Answer>(path, everyMs);
  const [, setTurn] = useState(0);
  useEffect(() => shared.show(() => setTurn((turn) => turn + 1)), [shared]);
  return shared.shown;
}

/** Something has happened: every answer that is shown is asked for again, or the one to this question. */
export function refreshAnswers(path?: string): void {
  if (path === undefined) for (const answer of answers.values()) answer.refresh();
  else answers.get(path)?.refresh();
}
