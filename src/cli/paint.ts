// Colours for a terminal; on anything else the text stays as it is.

export type Colour = 'red' | 'green' | 'yellow' | 'bold' | 'dim';
export type Paint = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (_colour, text) => text;
  return (colour, text) => {
    const [on, off] = CODES[colour];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

const GOOD = ['Filled', 'ok', 'LONG'];
const BAD = ['Rejected', 'Unknown', 'Expired', 'fail', 'SHORT'];

/** Green for what went well, red for what needs a look, yellow for what is under way. */
export function paintStatus(paint: Paint, status: string): string {
  const word = status.trim();
  if (word === '-') return status;
  return paint(GOOD.includes(word) ? 'green' : BAD.includes(word) ? 'red' : 'yellow', status);
}
