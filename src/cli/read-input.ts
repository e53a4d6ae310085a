// All of standard input, for commands that are given - in place of a file.

const MEBIBYTE = 1024 * 1024;

export async function readInput(input: AsyncIterable<string | Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new Error(
        `Standard input has more than ${Math.floor(maxBytes / MEBIBYTE)} MiB, the limit; is it the right file?`,
      );
  }
  return Buffer.concat(chunks, bytes);
}
