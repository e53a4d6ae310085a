// How this page gets in: at once, by its session, or not before a login. Whoever is shut out is asked to log in at once.

import { useEffect } from 'preact/hooks';
import type { Result } from './answers.ts';
import { whenShutOut } from './ask.ts';
import { refreshAnswers, useAnswer } from './use-answer.ts';

export interface Entry {
  readonly entry: 'open' | 'session' | 'closed';
  readonly passwordSet: boolean;
  readonly codeNeeded: boolean;
}

const EVERY_MS = 60_000;

/** Undefined before the first answer; `lost` where the server gives none. */
export function useEntry(): Entry | 'lost' | undefined {
  const { answer, refused } = useAnswer<Result<Entry>>('/session', EVERY_MS);
  useEffect(() => whenShutOut(() => refreshAnswers('/session')), []);
  return answer?.result ?? (refused && 'lost');
}
