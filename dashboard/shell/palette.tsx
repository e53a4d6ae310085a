// Everything by name: opened by ⌘K or Ctrl+K, searched by a few letters, chosen by the arrows.

import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words } from '../ui/words.ts';
import { type Command, fitting } from './commands.ts';
import './palette.css';

const MOST = 12;

export interface PaletteProps {
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}

export function Palette({ commands, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once: the letters that follow the key are meant for it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const shown = fitting(commands, typed, MOST);
  const at = Math.min(chosen, shown.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const choose = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      setChosen((at + step + shown.length) % shown.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(shown[at]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to a page or do something" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Go to a page or do something"
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : `${id}-${at}`}
        placeholder="A page, a market, a script, or something to do"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={choose}
      />
      <div id={`${id}-list`} role="listbox" aria-label="What fits" tabIndex={-1}>
        {shown.map((command, index) => (
          <div
            key={command.id ?? `${command.kind} ${command.title}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            class={words(index === at && 'chosen')}
            onPointerMove={() => setChosen(index)}
            onClick={() => run(command)}
            onKeyDown={choose}
          >
            {command.title}
            <span class="quiet">{command.keys ?? command.kind}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p class="nothing">Nothing fits. Type fewer letters.</p>}
    </dialog>
  );
}
