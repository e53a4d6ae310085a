// The first lines of standard input, for what must not stand on a command line.

/** A key and a password have far fewer; whoever pipes a film in has taken the wrong file. */
const MAX_CHARS = 8192;

/** At most `count` lines, without their ends; fewer when the input ends earlier. */
export async function readLines(input: AsyncIterable<string | Uint8Array>, count: number): Promise<readonly string[]> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_CHARS) throw new Error('The input is far too long for a key; check what you pipe in.');
    if (text.split('\n').length > count) break;
  }
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(0, count);
}
