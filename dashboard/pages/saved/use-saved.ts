// What the server keeps under names, for whoever lists it, and the work on it: one thing at a time, with the list asked for anew.

import { useEffect } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { SavedLayouts, SavedName } from '../../server/layouts.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { useAction } from '../../ui/use-action.ts';

export interface Saved {
  /** Undefined until the server has said. */
  readonly names: readonly SavedName[] | undefined;
  readonly isBusy: boolean;
  readonly error: string | undefined;
  readonly run: (work: () => Promise<void>) => void;
}

/** `prepare` is done before anything else, whenever the list is opened. */
export function useSaved<Content extends object>(store: SavedLayouts<Content>, prepare?: () => Promise<void>): Saved {
  const { answer, refused: notListed } = useAnswer<Result<readonly SavedName[]>>(store.listPath);
  const { isBusy, refused, run } = useAction(async (work: () => Promise<void>) => {
    try {
      await work();
    } finally {
      refreshAnswers(store.listPath);
    }
  });
  useEffect(() => void (prepare && run(prepare)), []);
  return {
    ...{ names: answer?.result, isBusy, error: refused ?? notListed?.message },
    run: (work) => void run(work),
  };
}

/** What was saved by another version may be of another form. */
export async function readSaved<Content extends object>(
  store: SavedLayouts<Content>,
  name: string,
  isContent: (content: unknown) => content is Content,
): Promise<Content> {
  const content: unknown = await store.read(name);
  if (!isContent(content)) throw new Error(`${name} was saved by another version and cannot be shown here.`);
  return content;
}
