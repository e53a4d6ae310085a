// The form of a script's inputs, made from its own input.* calls: values go in, and come out when they are right.

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { DeclaredInput } from '../../src/pine/index.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { inUtc } from '../ui/times.ts';
import {
  colorOf,
  colorParts,
  type InputValue,
  type InputValues,
  inGroups,
  localMinute,
  readValue,
  TIMEFRAMES,
  valueIn,
  withValue,
} from './input-fields.ts';
import './inputs-panel.css';

export interface InputsPanelProps {
  readonly inputs: readonly DeclaredInput[];
  /** By title, only those that are not the script's own. */
  readonly values: InputValues;
  readonly onChange: (values: InputValues) => void;
}

export function InputsPanel({ inputs, values, onChange }: InputsPanelProps) {
  if (inputs.length === 0) return <p class="quiet">This script has no inputs.</p>;
  return (
    <div class="inputs-panel">
      {inGroups(inputs).map(({ name, lines }) => (
        <Group key={name} name={name}>
          {lines.map((line) => (
            <div key={line[0]?.title} class="line">
              {line.map((input) => (
                <InputField
                  key={input.title}
                  input={input}
                  value={valueIn(input, values)}
                  onValue={(value) => onChange(withValue(values, input, value))}
                />
              ))}
            </div>
          ))}
        </Group>
      ))}
      {Object.keys(values).length > 0 && (
        <Button isSmall onClick={() => onChange({})}>
          Back to the script’s own
        </Button>
      )}
    </div>
  );
}

const Group = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) =>
  name === '' ? (
    <div>{children}</div>
  ) : (
    <fieldset>
      <legend>{name}</legend>
      {children}
    </fieldset>
  );

interface InputFieldProps {
  readonly input: DeclaredInput;
  readonly value: InputValue;
  readonly onValue: (value: InputValue) => void;
}

function InputField(props: InputFieldProps) {
  const { input } = props;
  if (input.type === 'bool') return <Switch {...props} />;
  if (input.options !== null)
    return <Choice {...props} choices={input.options.map((option) => [option, String(option)])} />;
  if (input.type === 'timeframe') return <Choice {...props} choices={TIMEFRAMES} />;
  if (input.type === 'color') return <ColorField {...props} />;
  return input.type === 'time' ? <TimeField {...props} /> : <TypedField {...props} />;
}

const hintOf = ({ tooltip }: DeclaredInput): string | undefined => (tooltip === '' ? undefined : tooltip);

function Switch({ input, value, onValue }: InputFieldProps) {
  const id = useId();
  const hint = hintOf(input);
  return (
    <div class="field switch">
      <label>
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={hint && id}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        {input.title}
      </label>
      {hint !== undefined && (
        <p id={id} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps extends InputFieldProps {
  readonly choices: readonly (readonly [value: InputValue, words: string])[];
}

/** A value that is none of the choices is one of them all the same: the script's own expression, or a timeframe of its own. */
function Choice({ input, value, onValue, choices }: ChoiceProps) {
  const isListed = choices.some(([choice]) => choice === value);
  const all = isListed
    ? choices
    : [[value, value === null ? 'as the script says' : String(value)] as const, ...choices];
  return (
    <Field label={input.title} hint={hintOf(input)}>
      {(tied) => (
        <select {...tied} onChange={(event) => onValue(all[event.currentTarget.selectedIndex]![0])}>
          {all.map(([choice, words]) => (
            <option key={String(choice)} selected={choice === value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const OPAQUE = 255;

function ColorField({ input, value, onValue }: InputFieldProps) {
  const [color, opacity] = colorParts(value);
  return (
    <Field label={input.title} hint={hintOf(input)}>
      {(tied) => (
        <span class="color">
          <input
            {...tied}
            type="color"
            value={color}
            onInput={(event) => onValue(colorOf(event.currentTarget.value, opacity))}
          />
          <input
            type="range"
            aria-label={`${input.title}, how opaque`}
            min="0"
            max={OPAQUE}
            value={opacity}
            onInput={(event) => onValue(colorOf(color, Number(event.currentTarget.value)))}
          />
        </span>
      )}
    </Field>
  );
}

function TimeField({ input, value, onValue }: InputFieldProps) {
  const atMs = Number(value);
  const hint = [hintOf(input), inUtc(atMs).replace(/:\d\d\.\d{3}/, '')].filter((part) => part !== undefined);
  const read = (text: string): void => {
    const time = new Date(text).getTime();
    if (!Number.isNaN(time)) onValue(time);
  };
  return (
    <Field label={input.title} hint={hint.join(' ')}>
      {(tied) => (
        <input
          {...tied}
          type="datetime-local"
          value={localMinute(atMs)}
          onInput={(event) => read(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** What is typed stays as it is typed; it goes out only while it is right. */
function TypedField({ input, value, onValue }: InputFieldProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? String(value);
  const read = readValue(input, text);
  const change = (wanted: string): void => {
    setTyped(wanted);
    const next = readValue(input, wanted);
    if ('value' in next) onValue(next.value);
  };
  // Whoever hands in another value means that one.
  const isOvertaken = typed !== undefined && 'value' in read && read.value !== value;
  const shown = isOvertaken ? String(value) : text;
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    change(event.currentTarget.value);
  return (
    <Field label={input.title} hint={hintOf(input)} error={'fault' in read ? read.fault : undefined}>
      {(tied) => {
        if (input.type === 'text_area') return <textarea {...tied} rows={4} value={shown} onInput={onInput} />;
        const isNumber = input.type === 'int' || input.type === 'float' || input.type === 'price';
        if (isNumber) return <input {...tied} type="number" {...rangeOf(input)} value={shown} onInput={onInput} />;
        return <input {...tied} type="text" value={shown} onInput={onInput} />;
      }}
    </Field>
  );
}

const rangeOf = ({ type, min, max, step }: DeclaredInput) => ({
  ...(min !== null && { min }),
  ...(max !== null && { max }),
  step: step ?? (type === 'int' ? 1 : 'any'),
});
