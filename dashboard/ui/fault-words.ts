// What the server says is wrong begins with the name of a field, such as `tags.0`: in a form it is told in words.

/** At the beginning, and behind each fault before it. */
const FIELD = /(?<=^|; )([a-z][a-zA-Z]*(?:\.(?:\d+|[a-z][a-zA-Z]*))*)(?=: )/g;

export const faultWords = (message: string): string => message.replaceAll(FIELD, (path) => pathWords(path.split('.')));

/** `targets.1.share` is `target 2, share`. */
function pathWords(path: readonly string[]): string {
  const words: string[] = [];
  for (const part of path) {
    const place = /^\d+$/.test(part) ? Number(part) + 1 : undefined;
    if (place === undefined) words.push(part.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
    else words.push(`${words.pop()?.replace(/s$/, '') ?? ''} ${place}`);
  }
  return words.join(', ');
}
