// "Delete it?", of something that is saved under a name: it goes for every browser.

import type { SavedLayouts, SavedName } from '../../server/layouts.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { DangerQuestion } from '../script/questions.tsx';

export interface DeleteQuestionProps<Content extends object> {
  readonly store: SavedLayouts<Content>;
  readonly saved: SavedName;
  readonly onClose: () => void;
}

export function DeleteQuestion<Content extends object>({ store, saved, onClose }: DeleteQuestionProps<Content>) {
  const remove = async (): Promise<void> => {
    try {
      await store.remove(saved);
    } finally {
      refreshAnswers(store.listPath);
    }
  };
  return (
    <DangerQuestion
      title={`Delete ${saved.name}?`}
      words="It goes for all your browsers, and cannot be brought back."
      {...{ keep: 'Keep it', action: 'Delete it', onDo: remove, onClose }}
    />
  );
}
