// Fields of a signal that we do not know: told back to the sender, or refused where they must have been meant to protect
// or to size the trade. A trade without the stop its sender wrote is worse than no trade.

import { maskSecrets } from '../../http/mask-secrets.ts';
import { nearMissOf, plainName, spelledLike } from '../../trading/intake/near-miss.ts';
import { notifySchema } from './schemas.ts';

/** A hostile body could hold thousands; these are enough to mend an alert by. */
const MAX_NAMED = 20;
const MAX_NAME_CHARS = 64;
const TOO_MANY = 'body: has many unknown fields, and some of them size or protect a trade; remove what is not needed';
const NOTIFY_FIELDS: ReadonlySet<string> = new Set(Object.keys(notifySchema.shape));
/** Alerts carry these for information in any spelling, beside the field that counts. */
const INFORM: ReadonlySet<string> = new Set(['ticker', 'contracts']);

export interface UnknownFields {
  readonly faults: readonly string[];
  /** One sentence for each field that was ignored. */
  readonly warnings: readonly string[];
}

/** What should have been written instead of a name, where that matters; undefined for names that only inform. */
type RemedyOf = (name: string) => string | undefined;

export function unknownFields(value: unknown, known: ReadonlySet<string>): UnknownFields {
  const unknown = namesIn(value).filter((name) => !known.has(name));
  const spelled = unknown.length > 0 ? new Map([...known].map((name) => [plainName(name), name])) : NO_NAMES;
  const remedyOf: RemedyOf = (name) => {
    const plain = plainName(name);
    const right = INFORM.has(plain) ? undefined : spelled.get(plain);
    const remedy = nearMissOf(name)?.remedy ?? (right && `send ${right}`);
    return remedy && `is not a field of a signal, ${remedy}`;
  };
  const told = tell(unknown, remedyOf);
  const { notify } = (value ?? {}) as { notify?: unknown };
  const inNotify = namesIn(notify).filter((name) => !NOTIFY_FIELDS.has(name));
  return { ...told, warnings: [...told.warnings, ...ignored(inNotify.map((name) => `notify.${name}`))] };
}

/** Fields beside the text of a mail: those of a signal belong into the text, where the mail's own rules are applied. */
export function fieldsBesideText(
  value: unknown,
  known: ReadonlySet<string>,
  ofSignal: ReadonlySet<string>,
): UnknownFields {
  const spelled = new Set([...ofSignal].map(plainName));
  return tell(
    namesIn(value).filter((name) => !known.has(name)),
    (name) =>
      spelled.has(plainName(name)) || nearMissOf(name)
        ? `must stand in the text of the mail, write "${nearMissOf(name)?.field ?? name}: …" on a line of its own there`
        : undefined,
  );
}

/** Misspelled fields of a body that is no signal, each with its right name; the body without them is checked by itself. */
export function misspelledFields(value: unknown, known: readonly string[]): { faults: string[]; rest: unknown } {
  const faults: string[] = [];
  const rest: Record<string, unknown> = Object.create(null);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { faults, rest: value };
  for (const [name, content] of Object.entries(value)) {
    const right = known.includes(name) ? undefined : rightNameOf(name, known);
    if (right === undefined || faults.length >= MAX_NAMED) rest[name] = content;
    else faults.push(`${shown(name)}: is not a field here, send ${right}`);
  }
  return { faults, rest };
}

function rightNameOf(name: string, known: readonly string[]): string | undefined {
  const meant = nearMissOf(name)?.field;
  return meant !== undefined && known.includes(meant) ? meant : spelledLike(name, known);
}

/** One sentence for each name, and one for all beyond the first ones. */
export function ignored(names: readonly string[]): string[] {
  const sentences = names.slice(0, MAX_NAMED).map((name) => `${shown(name)}: is not known and was ignored`);
  const more = names.length - sentences.length;
  return more > 0 ? [...sentences, `${more} more fields are not known and were ignored`] : sentences;
}

function tell(names: readonly string[], remedyOf: RemedyOf): UnknownFields {
  const first = names.slice(0, MAX_NAMED);
  const faults = first.flatMap((name) => {
    const remedy = remedyOf(name);
    return remedy === undefined ? [] : [`${shown(name)}: ${remedy}`];
  });
  // None of the rest may slip through unseen because of those before it.
  if (names.slice(MAX_NAMED).some((name) => remedyOf(name) !== undefined)) faults.push(TOO_MANY);
  return { faults, warnings: ignored(faults.length > 0 ? [] : names) };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

const shown = (name: string): string => maskSecrets(name).slice(0, MAX_NAME_CHARS);
