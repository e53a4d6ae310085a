// A row of figures, each with its words below it, and each a way to its list.

import './figures.css';
import { gainOrLoss } from './numbers.ts';
import { showPanel } from './panel.tsx';

export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly words: string;
  /** Coloured by its sign, which stands in the value too. */
  readonly gain?: number | undefined;
  readonly link?: string;
  /** The title of the panel on the same page that tells it in full, where it is there. */
  readonly panel?: string;
}

export const Figures = ({ figures }: { readonly figures: readonly Figure[] }) => (
  <dl class="figures-row">
    {figures.map(({ title, value, words, gain, link, panel }) => (
      <div key={title}>
        <dt>
          {link !== undefined && <a href={link}>{title}</a>}
          {panel !== undefined && (
            <button type="button" onClick={() => showPanel(panel)}>
              {title}
            </button>
          )}
          {link === undefined && panel === undefined && title}
        </dt>
        <dd class={gainOrLoss(gain)}>{value}</dd>
        <dd class="words">{words}</dd>
      </div>
    ))}
  </dl>
);
