// "Do you mean it?": what will happen in words, a way out, and the one button that does it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { RefusedWords } from './refused.tsx';
import { useAction } from './use-action.ts';

export interface QuestionProps {
  readonly title: string;
  /** The words on the button that does it. */
  readonly yes: string;
  readonly no?: string;
  readonly isDanger?: boolean;
  /** False while something that it needs is missing. */
  readonly isReady?: boolean;
  /** The question is closed when it has resolved; it stays, with the reason, when it was refused: thrown, or resolved as words. */
  readonly onYes: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What is asked for: why it was refused is told as long as that is the same. */
  readonly subject?: string | undefined;
  readonly children: ComponentChildren;
}

export function Question(props: QuestionProps) {
  const { title, yes, no = 'Leave it', isDanger = false, isReady = true, onYes, onClose, subject, children } = props;
  const [tried, setTried] = useState<string>();
  const { isBusy, refused, run } = useAction(async () => {
    setTried(subject);
    const why = await onYes();
    if (typeof why === 'string') throw new Error(why);
    onClose();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog title={title} isBusy={isBusy} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <RefusedWords words={tried === subject ? refused : undefined} />
        <div class="actions">
          <Button disabled={isBusy} onClick={onClose}>
            {no}
          </Button>
          <Button kind={isDanger ? 'danger' : 'filled'} type="submit" disabled={isBusy || !isReady}>
            {yes}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
