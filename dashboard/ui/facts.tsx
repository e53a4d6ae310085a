// A few facts about one thing, each with its name beside it.

import type { ComponentChildren } from 'preact';
import './facts.css';

export interface FactsProps {
  readonly facts: readonly (readonly [name: string, fact: ComponentChildren])[];
}

export const Facts = ({ facts }: FactsProps) => (
  <dl class="facts">
    {facts.map(([name, fact]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{fact}</dd>
      </div>
    ))}
  </dl>
);
