// Texts of statements as PostgreSQL wants them: values are $1, $2, …, and each text has a name, by which a connection
// prepares it once. Texts are few and stand in the code; one that is made anew each time must not fill the memory.

const MAX_NAMED = 500;

export interface Statement {
  readonly text: string;
  readonly name?: string;
}

export class Statements {
  readonly #known = new Map<string, Statement>();

  of(text: string): Statement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size === MAX_NAMED) return { text: withNumberedPlaces(text) };
    const statement = { text: withNumberedPlaces(text), name: `s${this.#known.size + 1}` };
    this.#known.set(text, statement);
    return statement;
  }
}

/** Quoted texts and names, comments, and places of values, with their number where they have one. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g;

/** As SQLite counts them: a place without a number gets one more than the largest so far. */
export function withNumberedPlaces(text: string): string {
  let largest = 0;
  return text.replace(PARTS, (part: string, number: string | undefined) => {
    if (number === undefined) return part;
    const place = number === '' ? largest + 1 : Number(number);
    largest = Math.max(largest, place);
    return `$${place}`;
  });
}
