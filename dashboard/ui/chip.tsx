// A word on a soft ground: a state, a side, the kind of money. The word says it; the colour only helps.

import type { ComponentChildren } from 'preact';
import './chip.css';

export type Tone = 'up' | 'down' | 'warn' | 'accent' | 'plain';

export const Chip = ({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}) => (
  <span class={`chip ${tone}`} title={title}>
    {children}
  </span>
);
