// Finds the first fault in a JSON text and says in words where it is and what to do; runs only on refused bodies.

class Fault extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_][A-Za-z0-9_.]*/y;
const STRING_BODY = /[^"\\\p{Cc}]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[\u007f-\u009f]+/uy;
const NOT_A_NUMBER = /-?(?:NaN|Infinity)\b/y;
/** Only what is written as a placeholder is repeated. */
const PLACEHOLDER = /\{\{ ?[A-Za-z_][A-Za-z0-9_.]{0,60} ?\}\}/y;
/** Any other name, or a longer one, may be a secret that stands in the wrong place: it is not repeated. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,23}$/;

/** Undefined when the text is sound JSON without duplicate keys. */
export function findJsonFault(text: string): string | undefined {
  try {
    new Walk(text).document();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) {
      this.#fail(`${this.#here()} follows the end of the JSON value. Send one value and nothing after it.`);
    }
  }

  #value(): void {
    this.#space();
    const char = this.#text[this.#at];
    if (this.#text.startsWith('{{', this.#at)) {
      const name = this.#peek(PLACEHOLDER);
      this.#fail(
        `a placeholder that was not filled in${name === undefined ? '' : `: ${name}`}. Check its name in the alert message.`,
      );
    }
    if (char === '{') this.#object();
    else if (char === '[') this.#array();
    else if (char === '"') this.#string();
    else this.#scalar();
  }

  #object(): void {
    const names = new Set<string>();
    this.#at += 1;
    this.#space();
    if (this.#skip('}')) return;
    for (;;) {
      this.#space();
      this.#key(names);
      this.#space();
      if (!this.#skip(':')) this.#fail(`${this.#here()} where a colon must follow the key. Add the colon.`);
      this.#value();
      this.#space();
      if (this.#skip('}')) return;
      if (!this.#skip(',')) this.#fail(`${this.#here()} where a comma or } must follow a value. Add the comma.`);
    }
  }

  #key(names: Set<string>): void {
    const start = this.#at;
    const char = this.#text[start];
    if (char === '}') this.#fail('a comma before } at the end of an object. Remove the comma.');
    if (char !== '"') this.#fail(`${this.#here()} where a key in double quotes must stand. Quote the key.`);
    const name = this.#string();
    if (names.has(name)) {
      this.#at = start;
      const which = PLAIN_NAME.test(name) ? `the key ${JSON.stringify(name)}` : 'a key';
      this.#fail(`${which} for the second time in one object. Send each key once.`);
    }
    names.add(name);
  }

  #array(): void {
    this.#at += 1;
    this.#space();
    if (this.#skip(']')) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === ']') this.#fail('a comma before ] at the end of a list. Remove the comma.');
      this.#value();
      this.#space();
      if (this.#skip(']')) return;
      if (!this.#skip(',')) this.#fail(`${this.#here()} where a comma or ] must follow an item. Add the comma.`);
    }
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    while (this.#take(STRING_BODY) !== undefined);
    if (this.#skip('"')) return JSON.parse(this.#text.slice(start, this.#at)) as string;
    const char = this.#text[this.#at];
    if (char === undefined) {
      this.#at = start;
      this.#fail('a string that never ends. Close it with a double quote.');
    }
    if (char === '\\') this.#fail('an unknown escape in a string. Write a backslash as \\\\.');
    return this.#fail('a line break or control character inside a string. Write it as \\n, or remove it.');
  }

  #scalar(): void {
    const word = this.#peek(NOT_A_NUMBER);
    if (word !== undefined) {
      this.#fail(
        `a bare ${word}: a placeholder rendered as ${word} because it had no value on that bar. ` +
          'Use one that always has a value, or leave the field out; put placeholders in double quotes, so that the answer names the field.',
      );
    }
    if (this.#take(NUMBER) !== undefined) return;
    const name = this.#peek(WORD);
    if (name === 'true' || name === 'false' || name === 'null') {
      this.#at += name.length;
      return;
    }
    // The word itself is not repeated: it may be a key that lost its quotes.
    if (name !== undefined) this.#fail('a bare word. Put text in double quotes.');
    if (this.#text[this.#at] === "'") this.#fail('a single quote. Put text in double quotes.');
    this.#fail(`${this.#here()} where a value must stand. Add the value.`);
  }

  #space(): void {
    while (this.#at < this.#text.length && ' \t\n\r'.includes(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #take(pattern: RegExp): string | undefined {
    const found = this.#peek(pattern);
    this.#at += found?.length ?? 0;
    return found;
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(code));
  }

  #fail(found: string): never {
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const column = this.#at - before.lastIndexOf('\n');
    throw new Fault(`The body is not usable JSON. Line ${line}, column ${column} has ${found}`);
  }
}
