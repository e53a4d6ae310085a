// What a list is narrowed to, above it: each choice stands behind the hash, so that a view can be linked and gone back from.

import './filter-bar.css';
import { NARROW, useMedia } from './media.ts';
import { linkWith, type Place } from './places.ts';

export interface Filter {
  /** Its word behind the hash. */
  readonly name: string;
  readonly label: string;
  /** What may be chosen, value and words; any text without it. */
  readonly options?: readonly (readonly [value: string, words: string])[];
  /** For a text: what was meant before. */
  readonly hints?: readonly string[];
  readonly placeholder?: string;
  /** A day of the calendar. */
  readonly isDay?: boolean;
  /** What it is without a choice; any. */
  readonly without?: string;
}

export interface FilterBarProps {
  readonly place: Place;
  readonly filters: readonly Filter[];
}

export function FilterBar({ place, filters }: FilterBarProps) {
  const isNarrow = useMedia(NARROW);
  const chosen = filters.filter(({ name }) => place.query.has(name));
  const choose = (name: string, value: string): void => {
    location.hash = linkWith(place, { [name]: value === '' ? undefined : value });
  };
  const controls = (
    <div class="controls">
      {filters.map((filter) => (
        <div key={filter.name}>
          <label for={`filter-${filter.name}`}>{filter.label}</label>
          <FilterControl filter={filter} value={place.query.get(filter.name) ?? ''} onChoose={choose} />
        </div>
      ))}
      {chosen.length > 0 && (
        <a class="clear" href={linkWith(place, Object.fromEntries(chosen.map(({ name }) => [name, undefined])))}>
          Show all
        </a>
      )}
    </div>
  );
  return (
    <search class="filter-bar" aria-label="Filters">
      {/* A phone has more room for the list than for them. */}
      {isNarrow ? (
        <details>
          <summary>Filters{chosen.length === 0 ? '' : `: ${chosen.map(({ label }) => label).join(', ')}`}</summary>
          {controls}
        </details>
      ) : (
        controls
      )}
    </search>
  );
}

interface FilterControlProps {
  readonly filter: Filter;
  readonly value: string;
  readonly onChoose: (name: string, value: string) => void;
}

function FilterControl({
  filter: { name, options, hints, placeholder, isDay, without = 'any' },
  value,
  onChoose,
}: FilterControlProps) {
  if (options === undefined)
    return (
      <>
        <input
          key={value}
          id={`filter-${name}`}
          type={isDay ? 'date' : 'text'}
          defaultValue={value}
          placeholder={placeholder ?? without}
          maxLength={64}
          list={hints && `hints-${name}`}
          onChange={(event) => onChoose(name, event.currentTarget.value.trim())}
        />
        {hints !== undefined && (
          <datalist id={`hints-${name}`}>
            {hints.map((hint) => (
              <option key={hint} value={hint} />
            ))}
          </datalist>
        )}
      </>
    );
  // A link may name what is no longer there.
  const known =
    options.some(([each]) => each === value) || value === '' ? options : [...options, [value, value] as const];
  return (
    <select id={`filter-${name}`} value={value} onChange={(event) => onChoose(name, event.currentTarget.value)}>
      <option value="">{without}</option>
      {known.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}
