// Lines that go on with the one above at a column where a block begins since: old versions told them by what stood around them.

import { DiagnosticList, isOpenEnded, scan, type Token } from '../syntax/index.ts';
import { type EditedText, Edits } from './edits.ts';

const BLOCK_COLUMNS = 4;

/** No statement begins with one of these. */
const GOES_ON: ReadonlySet<string> = new Set([
  ...['?', ':', '+', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', ',', ')', ']', '.', '=', ':='],
  ...['and', 'or'],
]);

export interface LaidOut {
  /** With a column more before each such line. Lines stay what they are. */
  readonly edited: EditedText;
  /** Where in the source the lines begin that were moved. */
  readonly moved: readonly number[];
}

export function layOut(source: string): LaidOut {
  const { tokens } = scan(source, new DiagnosticList(), true);
  const edits = new Edits(source);
  const moved: number[] = [];
  let open = 0;
  for (const [index, token] of tokens.entries()) {
    const { kind, text, indent, start } = token;
    if (indent >= 0 && open <= 0 && kind !== 'end') {
      const previous = tokens[index - 1];
      if (previous !== undefined && indent % BLOCK_COLUMNS === 0 && goesOn(token, previous)) {
        edits.before(start, ' ');
        moved.push(start);
      }
    }
    if (kind === 'operator') open += text === '(' || text === '[' ? 1 : text === ')' || text === ']' ? -1 : 0;
  }
  return { edited: edits.apply(), moved };
}

function goesOn(token: Token, previous: Token): boolean {
  if ((token.kind === 'operator' || token.kind === 'keyword') && GOES_ON.has(token.text)) return true;
  return isOpenEnded(previous) && previous.text !== ',' && token.indent > 0;
}
