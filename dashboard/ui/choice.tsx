// One of a few, side by side: the chosen one is filled.

import './choice.css';

export interface ChoiceProps<Value extends string> {
  /** For who cannot see it. */
  readonly label: string;
  readonly options: readonly (readonly [value: Value, words: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export const Choice = <Value extends string>({ label, options, chosen, onChoose }: ChoiceProps<Value>) => (
  <fieldset class="choice" aria-label={label}>
    {options.map(([value, words]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
        {words}
      </button>
    ))}
  </fieldset>
);
