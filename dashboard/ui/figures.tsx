// A row of figures, each with its words below it, and each a way to its list.

import './figures.css';
import { gainOrLoss } from './numbers.ts';

export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly words: string;
  /** Coloured by its sign, which stands in the value too. */
  readonly gain?: number | undefined;
  readonly link?: string;
}

export const Figures = ({ figures }: { readonly figures: readonly Figure[] }) => (
  <dl class="figures-row">
    {figures.map(({ title, value, words, gain, link }) => (
      <div key={title}>
        <dt>{link === undefined ? title : <a href={link}>{title}</a>}</dt>
        <dd class={gainOrLoss(gain)}>{value}</dd>
        <dd class="words">{words}</dd>
      </div>
    ))}
  </dl>
);
