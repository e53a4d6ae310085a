// The fields of what protects a position: its stop, one target or several, a trail, and how long it is held at most.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { ordinal } from './guard-words.ts';
import type { ProtectionFaults, TypedProtection } from './protection-change.ts';
import './protection-fields.css';
import { type TypedLevel, UNITS, type Unit } from './typed-level.ts';
import { MOST_TARGETS, type TypedTarget, withOneMore } from './typed-targets.ts';

interface ProtectionFieldsProps {
  readonly typed: TypedProtection;
  readonly faults: ProtectionFaults;
  readonly onType: (typed: TypedProtection) => void;
}

/** No price has more digits. */
const MAX_CHARS = 20;

export function ProtectionFields({ typed, faults, onType }: ProtectionFieldsProps) {
  const set = (changed: Partial<TypedProtection>): void => onType({ ...typed, ...changed });
  const level = (name: 'stopLoss' | 'takeProfit' | 'trail', label: string) => (
    <LevelField label={label} typed={typed[name]} error={faults[name]} onType={(now) => set({ [name]: now })} />
  );
  const [first] = typed.targets;
  // Only at first: what is being emptied must not shut under the hand.
  const [isTrailed] = useState(typed.trail.value !== '' || typed.maxHold !== '');
  return (
    <div class="protection-fields fields">
      {level('stopLoss', 'Stop loss')}
      {first === undefined ? (
        <div>
          {level('takeProfit', 'Take profit')}
          <Button isSmall onClick={() => set(severalInPlaceOf(typed))}>
            Several targets
          </Button>
        </div>
      ) : (
        <ChoiceField
          label="Stop to the entry price"
          value={typed.breakEvenAfter}
          options={[
            ['', 'never'],
            ...typed.targets.map((_, index) => [String(index + 1), `after the ${ordinal(index + 1)} target`] as const),
          ]}
          onChoose={(breakEvenAfter) => set({ breakEvenAfter })}
        />
      )}
      {first !== undefined && (
        <TargetRows
          targets={typed.targets}
          error={faults.targets}
          onType={(targets) => set({ targets, ...(Number(typed.breakEvenAfter) > targets.length && NEVER) })}
        />
      )}
      <details open={isTrailed}>
        <summary>Trailing stop, time stop</summary>
        <div class="fields">
          {level('trail', 'Trailing stop')}
          <TextField
            label="The trail begins at"
            hint="a price; at once without one"
            inputMode="decimal"
            maxLength={MAX_CHARS}
            value={typed.activationPrice}
            error={faults.activationPrice}
            onWrite={(activationPrice) => set({ activationPrice })}
          />
          <TextField
            label="Held at most, minutes"
            inputMode="decimal"
            maxLength={MAX_CHARS}
            value={typed.maxHold}
            error={faults.maxHold}
            onWrite={(maxHold) => set({ maxHold })}
          />
        </div>
      </details>
    </div>
  );
}

const NEVER = { breakEvenAfter: '' };

/** The take profit becomes the first of two. */
function severalInPlaceOf({ takeProfit }: TypedProtection): Partial<TypedProtection> {
  const first = { ...takeProfit, share: '50' };
  return { targets: withOneMore([first]), takeProfit: { ...takeProfit, value: '' } };
}

const UNIT_WORDS = { price: 'price', percent: '%', ticks: 'ticks' };

interface UnitChoiceProps {
  readonly of: string;
  readonly unit: Unit;
  readonly onChoose: (unit: Unit) => void;
}

const UnitChoice = ({ of, unit, onChoose }: UnitChoiceProps) => (
  <select
    aria-label={`Unit of the ${of.toLowerCase()}`}
    value={unit}
    onChange={(event) => onChoose(event.currentTarget.value as Unit)}
  >
    {UNITS.map((each) => (
      <option key={each} value={each}>
        {UNIT_WORDS[each]}
      </option>
    ))}
  </select>
);

interface LevelFieldProps {
  readonly label: string;
  readonly typed: TypedLevel;
  readonly error: string | undefined;
  readonly onType: (typed: TypedLevel) => void;
}

const LevelField = ({ label, typed, error, onType }: LevelFieldProps) => (
  <Field label={label} error={error}>
    {(tied) => (
      <span class="level">
        <input
          {...tied}
          inputMode="decimal"
          maxLength={MAX_CHARS}
          value={typed.value}
          onInput={(event) => onType({ ...typed, value: event.currentTarget.value })}
        />
        <UnitChoice of={label} unit={typed.unit} onChoose={(unit) => onType({ ...typed, unit })} />
      </span>
    )}
  </Field>
);

interface TargetRowsProps {
  readonly targets: readonly TypedTarget[];
  readonly error: string | undefined;
  readonly onType: (targets: readonly TypedTarget[]) => void;
}

function TargetRows({ targets, error, onType }: TargetRowsProps) {
  const change = (at: number, changed: Partial<TypedTarget>): void =>
    onType(targets.map((target, index) => (index === at ? { ...target, ...changed } : target)));
  return (
    <fieldset class="targets field">
      <legend>Targets, the nearest first, and the share that each closes</legend>
      {targets.map(({ value, unit, share }, index) => (
        <span key={index} class="target">
          <input
            aria-label={`Target ${index + 1}`}
            inputMode="decimal"
            maxLength={MAX_CHARS}
            value={value}
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
          <UnitChoice of={`target ${index + 1}`} unit={unit} onChoose={(chosen) => change(index, { unit: chosen })} />
          <span class="share">
            <input
              aria-label={`Share of target ${index + 1}, percent`}
              inputMode="decimal"
              maxLength={MAX_CHARS}
              value={share}
              onInput={(event) => change(index, { share: event.currentTarget.value })}
            />
            %
          </span>
          <Button
            isSmall
            label={`Remove target ${index + 1}`}
            onClick={() => onType(targets.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </span>
      ))}
      {error !== undefined && <p class="error">{error}</p>}
      {targets.length < MOST_TARGETS && (
        <Button isSmall onClick={() => onType(withOneMore(targets))}>
          Add a target
        </Button>
      )}
    </fieldset>
  );
}
