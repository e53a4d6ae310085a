// A question that must be answered before anything else: the browser's own dialog, which keeps focus and closes on Escape.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './dialog.css';
import { useLasting } from './use-lasting.ts';
import { Working } from './working.tsx';

export interface DialogProps {
  readonly title: string;
  /** While what was asked for is being done it stays, whatever key is pressed: nobody would see what became of it. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, isBusy = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const isSlow = useLasting(isBusy);
  // A browser lets a page say no to the first Escape, and closes on the next all the same.
  const whenClosed = (): void => (isBusy ? dialog.current?.showModal() : onClose());
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={whenClosed}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {isSlow && (
        <p class="busy" ref={bringIntoView}>
          <Working words="Waiting for Signalbox" />
        </p>
      )}
    </dialog>
  );
}

/** A dialog may be longer than the screen: whoever sends something sees that it is on its way. */
const bringIntoView = (line: HTMLElement | null): void => line?.scrollIntoView({ block: 'nearest' });
