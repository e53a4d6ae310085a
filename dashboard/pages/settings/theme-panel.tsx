// Light or dark, in this browser.

import { useState } from 'preact/hooks';
import { Panel } from '../../ui/panel.tsx';
import { applyTheme, storedTheme, type Theme } from '../../ui/theme.ts';

const THEMES: readonly (readonly [theme: Theme, words: string])[] = [
  ['auto', 'As this machine prefers'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThemePanel() {
  const [chosen, setChosen] = useState(storedTheme);
  const choose = (theme: Theme): void => {
    applyTheme(theme);
    setChosen(theme);
  };
  return (
    <Panel title="Theme" aside="of this browser">
      <fieldset class="choices in-a-row">
        <legend class="sr-only">Theme</legend>
        {THEMES.map(([theme, words]) => (
          <label key={theme}>
            <input type="radio" name="theme" checked={chosen === theme} onChange={() => choose(theme)} />
            {words}
          </label>
        ))}
      </fieldset>
    </Panel>
  );
}
