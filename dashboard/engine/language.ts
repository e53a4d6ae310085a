// The page's side of the language worker: questions in order, each with its answer; one worker for all editors of the page.

import type { LibrarySource } from '../../src/pine/index.ts';
import type { AnswerTo, LanguageAnswer, LanguageQuestion, QuestionKind } from './language-messages.ts';

export type { CheckedScript } from './language-messages.ts';

interface Waiting {
  readonly resolve: (answer: AnswerTo<QuestionKind>) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, Waiting>();

function theWorker(): Worker {
  if (worker !== undefined) return worker;
  const started = new Worker(new URL('./language-worker.ts', import.meta.url), { type: 'module', name: 'language' });
  started.addEventListener('message', ({ data: { id, answer } }: MessageEvent<LanguageAnswer>) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
  });
  // The next question starts another one.
  started.addEventListener('error', ({ message }) => {
    started.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  });
  worker = started;
  return started;
}

export interface WrittenScript {
  readonly source: string;
  /** Of the cursor or the pointer. */
  readonly offset?: number;
  readonly libraries?: readonly LibrarySource[];
}

export const askLanguage = <Kind extends QuestionKind>(
  kind: Kind,
  { source, offset = 0, libraries = [] }: WrittenScript,
): Promise<AnswerTo<Kind>> =>
  new Promise((resolve, reject) => {
    lastId += 1;
    waiting.set(lastId, { resolve: resolve as Waiting['resolve'], reject });
    theWorker().postMessage({ id: lastId, kind, source, offset, libraries } satisfies LanguageQuestion);
  });
