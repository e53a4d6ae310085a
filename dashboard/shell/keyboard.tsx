// The keyboard of every page: ⌘K or Ctrl+K for the palette, `?` for the list of keys, `g` and a letter for a page.

import { useLayoutEffect, useState } from 'preact/hooks';
import { CHART_KEYS } from '../pages/chart/key-list.ts';
import { Dialog } from '../ui/dialog.tsx';
import { linkTo } from '../ui/places.ts';
import { isTyping } from '../ui/typing.ts';
import type { Command } from './commands.ts';
import './keyboard.css';
import { chooseNotifications, EVERYTHING, isNotifying, NOTHING } from '../ui/notify-choice.ts';
import { applyTheme } from '../ui/theme.ts';
import { useMarketCommands, useScriptCommands } from './known-names.ts';
import { PAGES } from './pages.ts';
import { Palette, type PaletteProps } from './palette.tsx';

type Open = 'palette' | 'keys' | undefined;

const goTo = (page: string): void => {
  location.hash = linkTo(page);
};

/** `g` and the first free letter of each page's word. */
export const PAGE_KEYS: ReadonlyMap<string, string> = PAGES.reduce((keys, { word }) => {
  const letter = [...word].find((each) => !keys.has(each));
  return letter === undefined ? keys : keys.set(letter, word);
}, new Map<string, string>());

const keysOf = (word: string): string | undefined => {
  const letter = [...PAGE_KEYS].find(([, page]) => page === word)?.[0];
  return letter === undefined ? undefined : `g ${letter}`;
};

export const pageCommands = (): readonly Command[] =>
  PAGES.map(({ word, title }) => {
    const keys = keysOf(word);
    return { title, kind: 'page', run: () => goTo(word), ...(keys !== undefined && { keys }) };
  });

/** Where the browser refuses, the settings say why and what to do. */
async function turnNotifications(): Promise<void> {
  const isDone = await chooseNotifications(isNotifying() ? NOTHING : EVERYTHING);
  if (!isDone) goTo('settings');
}

const THEME_COMMANDS: readonly Command[] = [
  { title: 'Theme: as this machine', kind: 'theme', run: () => applyTheme('auto') },
  { title: 'Theme: light', kind: 'theme', run: () => applyTheme('light') },
  { title: 'Theme: dark', kind: 'theme', run: () => applyTheme('dark') },
];

interface KeyboardProps {
  readonly onStop: () => void;
  readonly onOrder: () => void;
}

export function Keyboard({ onStop, onOrder }: KeyboardProps) {
  const [open, setOpen] = useState<Open>();
  useLayoutEffect(() => {
    let isAfterG = false;
    const press = (event: KeyboardEvent): void => {
      const isLetter = !event.metaKey && !event.ctrlKey && !event.altKey;
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setOpen('palette');
        return;
      }
      if (!isLetter || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
      if (event.key === '?') setOpen('keys');
      const page = isAfterG ? PAGE_KEYS.get(event.key) : undefined;
      if (page !== undefined) goTo(page);
      isAfterG = event.key === 'g' && !isAfterG;
      // A page that has keys of its own leaves these alone.
      if (isAfterG || page !== undefined) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const close = (): void => setOpen(undefined);
  if (open === 'palette') {
    const order: Command = { title: 'New order…', kind: 'action', run: onOrder };
    const stop: Command = { title: 'Stop trading…', kind: 'action', run: onStop };
    const notify: Command = {
      title: isNotifying() ? 'Stop notifying me' : 'Notify me of fills and alarms',
      ...{ kind: 'action', run: () => void turnNotifications() },
    };
    const help: Command = { title: 'Keys', kind: 'help', keys: '?', run: () => setOpen('keys') };
    return <EveryName commands={[...pageCommands(), order, stop, notify, ...THEME_COMMANDS, help]} onClose={close} />;
  }
  return open === 'keys' ? <Keys onClose={close} /> : null;
}

/** Asked for only while the palette is open. */
function EveryName({ commands, onClose }: PaletteProps) {
  const [scripts, markets] = [useScriptCommands(), useMarketCommands()];
  return <Palette commands={[...commands, ...scripts, ...markets]} onClose={onClose} />;
}

const Keys = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl class="keys">
      <div>
        <dt>
          <kbd>⌘K</kbd> or <kbd>Ctrl K</kbd>
        </dt>
        <dd>everything by name</dd>
      </div>
      {pageCommands().map(
        ({ title, keys }) =>
          keys !== undefined && (
            <div key={title}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ),
      )}
      {CHART_KEYS.map(([keys, words]) => (
        <div key={words}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
      <div>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>this list</dd>
      </div>
    </dl>
  </Dialog>
);
