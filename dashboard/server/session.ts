// How this page gets in: at once, by its session, or not before a login. Whoever is shut out is asked to log in at once.

import { useLayoutEffect } from 'preact/hooks';
import type { Result } from './answers.ts';
import { whenShutOut } from './ask.ts';
import { keepScriptKey } from './script-key.ts';
import { forgetAnswers, refreshAnswers, useAnswer } from './use-answer.ts';

export interface Entry {
  readonly entry: 'open' | 'session' | 'closed';
  readonly passwordSet: boolean;
  readonly codeNeeded: boolean;
}

const EVERY_MS = 60_000;

/** Undefined before the first answer; `lost` where the server gives none. */
export function useEntry(): Entry | 'lost' | undefined {
  const { answer, refused } = useAnswer<Result<Entry>>('/session', EVERY_MS);
  useLayoutEffect(() => whenShutOut(() => refreshAnswers('/session')), []);
  const isClosed = answer?.result.entry === 'closed';
  useLayoutEffect(() => {
    if (isClosed) forgetOwner();
  }, [isClosed]);
  return answer?.result ?? (refused && 'lost');
}

/** Whoever sits at this browser next gets neither the owner's key nor what was shown. Texts that are not saved stay: they would be lost. */
function forgetOwner(): void {
  keepScriptKey(undefined);
  forgetAnswers();
}
