// A surface with a heading and what belongs beside it.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './panel.css';

export interface PanelProps {
  readonly title: string;
  /** Beside the heading, to the right. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Leads to the panel of this page that has that title. */
export function showPanel(title: string): void {
  const headings = [...document.querySelectorAll('.panel > header h2')];
  const panel = headings.find(({ textContent }) => textContent === title)?.closest<HTMLElement>('.panel');
  if (panel == null) return;
  panel.tabIndex = -1;
  panel.focus();
  panel.scrollIntoView({ block: 'nearest' });
}
