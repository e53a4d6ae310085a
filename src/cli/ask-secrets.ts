// Asks for secrets on a terminal: what is typed or pasted is not shown.

/** What is used of standard input. */
export interface KeyboardInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'end', listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Far more than a secret has, one in PEM form among them. */
const MAX_CHARS = 8192;
const ENTER = /[\r\n]/;
/** Ctrl-C and Ctrl-D. */
const GIVE_UP = ['\u0003', '\u0004'];
const ERASE = ['\u007f', '\b'];
/** Ctrl-U. */
const ERASE_ALL = '\u0015';

/** One answer for each question; undefined where nobody sits in front of standard input. */
export async function askSecrets(
  input: KeyboardInput,
  screen: { write(text: string): unknown },
  questions: readonly string[],
): Promise<readonly string[] | undefined> {
  if (input.isTTY !== true || input.setRawMode === undefined) return undefined;
  input.setRawMode(true);
  try {
    return await answersOf(input, screen, questions);
  } finally {
    input.setRawMode(false);
    input.pause();
  }
}

function answersOf(
  input: KeyboardInput,
  screen: { write(text: string): unknown },
  questions: readonly string[],
): Promise<readonly string[]> {
  const line = new SecretLine();
  const answers: string[] = [];
  const ask = (): void => void screen.write(`${questions[answers.length]} (not shown): `);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      input.off('data', read);
      input.off('end', giveUp);
      screen.write('\n');
    };
    const giveUp = (): void => {
      stop();
      reject(new Error('Nothing was done: the question was not answered.'));
    };
    // Two lines that are pasted at once come in one piece.
    const read = (chunk: Buffer | string): void => {
      for (const character of chunk.toString()) {
        if (GIVE_UP.includes(character)) {
          giveUp();
          return;
        }
        const answer = line.take(character);
        if (answer === undefined) continue;
        answers.push(answer);
        if (answers.length < questions.length) screen.write('\n');
        else {
          stop();
          resolve(answers);
          return;
        }
        ask();
      }
    };
    input.on('data', read);
    input.on('end', giveUp);
    input.resume();
    ask();
  });
}

/** What is typed, up to the end of its line. */
class SecretLine {
  #typed = '';

  /** The line, when this character ends it. */
  take(character: string): string | undefined {
    if (ENTER.test(character)) {
      const line = this.#typed;
      this.#typed = '';
      // An empty one is the second half of a line end, or nothing typed yet.
      return line === '' ? undefined : line;
    }
    if (ERASE.includes(character)) this.#typed = this.#typed.slice(0, -1);
    else if (character === ERASE_ALL) this.#typed = '';
    else if (this.#typed.length < MAX_CHARS) this.#typed += character;
    return undefined;
  }
}
