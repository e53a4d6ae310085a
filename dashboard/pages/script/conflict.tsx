// Somebody else saved meanwhile: both texts are shown, and the user chooses. Nothing is overwritten before.

import { DiffView } from '../../editor/diff-view.tsx';
import { Button } from '../../ui/button.tsx';
import { When } from '../../ui/when.tsx';
import './conflict.css';

export interface ConflictProps {
  readonly mine: string;
  /** Undefined where it was deleted. */
  readonly theirs: { readonly content: string; readonly revision: number; readonly updatedAt: number } | undefined;
  /** A draft has no versions. */
  readonly isDraft?: boolean;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
  readonly onBack: () => void;
}

export const Conflict = ({ mine, theirs, isDraft = false, onKeepMine, onTakeTheirs, onBack }: ConflictProps) => (
  <section class="conflict" aria-label="Conflict">
    <h2>{theirs === undefined ? 'It was deleted meanwhile' : 'It was saved elsewhere meanwhile'}</h2>
    {theirs === undefined ? (
      <p>Another tab or program deleted this script. What you wrote is still here.</p>
    ) : (
      <>
        <p>
          Another tab or program saved revision {theirs.revision} at <When atMs={theirs.updatedAt} nowMs={Date.now()} />
          . Lines with − stand only there, lines with + only in yours.
        </p>
        <DiffView label="The saved text and yours" before={theirs.content} after={mine} />
      </>
    )}
    <div class="choices">
      <Button onClick={onBack}>Go on editing mine</Button>
      <Button onClick={onTakeTheirs}>{theirs === undefined ? 'Let it go' : 'Take theirs, drop mine'}</Button>
      <Button kind="filled" onClick={onKeepMine}>
        {theirs === undefined ? 'Save mine again' : 'Save mine over it'}
      </Button>
    </div>
    {theirs !== undefined && (
      <p class="quiet">
        {isDraft
          ? 'A draft has no versions: what you do not take here is gone.'
          : 'Theirs stays among the versions if you save yours over it.'}
      </p>
    )}
  </section>
);
