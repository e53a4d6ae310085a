// What a kill switch refuses, takes back and closes: chosen the same way for everything, and for one key, strategy, account or market.

import './stop-fields.css';

const SCOPES = [
  ['all', 'Every signal is refused', 'Entries and closes alike. Stops that stand go on working.'],
  ['entries', 'Entries are refused', 'Signals that close a position still pass.'],
] as const;

export interface ChosenStop {
  readonly scope: (typeof SCOPES)[number][0];
  readonly cancelEntries: boolean;
  readonly flatten: boolean;
}

export const START_STOP: ChosenStop = { scope: 'all', cancelEntries: true, flatten: false };

/** A choice, and what it would do now. */
interface Effect {
  readonly title: string;
  readonly words: string;
}

export interface StopFieldsProps {
  readonly chosen: ChosenStop;
  readonly onChange: (chosen: ChosenStop) => void;
  readonly entries: Effect;
  readonly closing: Effect;
}

export const StopFields = ({ chosen, onChange, entries, closing }: StopFieldsProps) => (
  <div class="stop-fields">
    <fieldset>
      <legend class="sr-only">What is refused</legend>
      {SCOPES.map(([scope, title, words]) => (
        <label key={scope}>
          <input
            type="radio"
            name="scope"
            checked={chosen.scope === scope}
            onChange={() => onChange({ ...chosen, scope })}
          />
          <span>
            <strong>{title}</strong>
            <small>{words}</small>
          </span>
        </label>
      ))}
    </fieldset>
    <label>
      <input
        type="checkbox"
        checked={chosen.cancelEntries}
        onChange={() => onChange({ ...chosen, cancelEntries: !chosen.cancelEntries })}
      />
      <span>
        {entries.title}
        <small>{entries.words}</small>
      </span>
    </label>
    <label>
      <input
        type="checkbox"
        checked={chosen.flatten}
        onChange={() => onChange({ ...chosen, flatten: !chosen.flatten })}
      />
      <span>
        {closing.title}
        <small class={chosen.flatten ? 'down' : undefined}>{closing.words}</small>
      </span>
    </label>
  </div>
);
