// What stands where an answer will be while it is waited for; and why it did not come.

import { Panel } from './panel.tsx';
import { RefusedWords } from './refused.tsx';
import './unanswered.css';
import { Waiting } from './waiting.tsx';

export interface UnansweredProps {
  /** Of the panel that will be there; a page, or what stands in a panel already, has none. */
  readonly title?: string;
  readonly refused: { readonly message: string } | undefined;
}

export function Unanswered({ title, refused }: UnansweredProps) {
  const said = refused === undefined ? <Waiting /> : <RefusedWords words={refused.message} />;
  return title === undefined ? (
    said
  ) : (
    <Panel title={title}>
      <div class="unanswered">{said}</div>
    </Panel>
  );
}
