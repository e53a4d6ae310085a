// Several views in one place, one of them shown: their names side by side, chosen by a press or the arrow keys.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import './tabs.css';

export interface TabsProps<Value extends string> {
  /** For who cannot see it. */
  readonly label: string;
  readonly tabs: readonly (readonly [value: Value, words: ComponentChildren])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
  /** Of the element that shows the chosen one; `tabId` names the tab that labels it. */
  readonly panelId: string;
}

export const tabId = (panelId: string, value: string): string => `${panelId}-${value}`;

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<Value extends string>({ label, tabs, chosen, onChoose, panelId }: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  const follow = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    const index = tabs.findIndex(([value]) => value === chosen);
    const next = (index + step + tabs.length) % tabs.length;
    onChoose(tabs[next]![0]);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={follow}>
      {tabs.map(([value, words]) => (
        <button
          key={value}
          id={tabId(panelId, value)}
          type="button"
          role="tab"
          aria-selected={value === chosen}
          aria-controls={panelId}
          tabIndex={value === chosen ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
