// An answer that is asked for once, and again when something it depends on changes: for what is no list that lives.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Question, Refused } from './ask.ts';

export interface Asked<Answer> {
  readonly answer: Answer | undefined;
  /** Why the last question failed; the answer before it stays. */
  readonly refused: Refused | undefined;
  again(): void;
}

/** With an undefined path nothing is asked. */
export function useAsked<Answer>(path: string | undefined, question: Question = {}): Asked<Answer> {
  const [turn, setTurn] = useState(0);
  const [shown, setShown] = useState<Pick<Asked<Answer>, 'answer' | 'refused'>>({
    answer: undefined,
    refused: undefined,
  });
  const wanted = JSON.stringify([path, question]);
  const shownFor = useRef(wanted);
  // `wanted` is the whole question, and `turn` asks it again.
  useEffect(() => {
    // The answer to another question is none to this one; asked again, the last one stands meanwhile.
    if (shownFor.current !== wanted) setShown({ answer: undefined, refused: undefined });
    shownFor.current = wanted;
    if (path === undefined) return;
    const asking = new AbortController();
    ask<Answer>(path, { effect: 'none', ...question, signal: asking.signal })
      .then((answer) => setShown({ answer, refused: undefined }))
      .catch((error: unknown) => {
        if (error instanceof Refused) setShown(({ answer }) => ({ answer, refused: error }));
      });
    return () => asking.abort();
  }, [wanted, turn]);
  return { ...shown, again: () => setTurn((now) => now + 1) };
}
