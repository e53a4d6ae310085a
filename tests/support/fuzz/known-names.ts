// The keys and ids that requests need so that they reach further than the first door: some given, the others read in answers.

import type { Random } from '../random.ts';

/** Of each name the newest ones; older things may be gone. */
const MAX_PER_NAME = 20;
const IDS = /^(?:id|key|name|label|tag|symbol|strategy|exchange|account|revision|version|cursor|publisher|.*Id|.*_id)$/;
const LONGEST = 200;

export class KnownNames {
  readonly #given: Readonly<Record<string, string>>;
  readonly #found = new Map<string, string[]>();

  constructor(given: Readonly<Record<string, string>>) {
    this.#given = given;
  }

  /** Where an example has `$WEBHOOK_KEY`, the one of this server. */
  filled(text: string): string {
    return text.replace(/\$([A-Z_]+)/g, (all, name: string) => this.#given[name] ?? this.#newest(name) ?? all);
  }

  /** One that an answer had under this name. */
  some(name: string, random: Random): string | undefined {
    const found = this.#found.get(name);
    return found?.[random.between(0, found.length - 1)];
  }

  /** Remembers the ids of an answer. */
  learn(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > 4) return;
    // The first few of a long list are as good as all of them.
    for (const [name, inner] of Object.entries(value).slice(0, 30))
      if (typeof inner === 'object') this.learn(inner, depth + 1);
      else if (IDS.test(name) && (typeof inner === 'string' || typeof inner === 'number')) this.#keep(name, `${inner}`);
  }

  #keep(name: string, text: string): void {
    if (text.length === 0 || text.length > LONGEST) return;
    const found = this.#found.get(name) ?? [];
    if (found.includes(text)) return;
    found.push(text);
    if (found.length > MAX_PER_NAME) found.shift();
    this.#found.set(name, found);
  }

  /** `REQUEST_ID` is what answers call `requestId`. */
  #newest(variable: string): string | undefined {
    const name = variable.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return this.#found.get(name)?.at(-1) ?? this.#found.get('id')?.at(-1);
  }
}
