// The server takes no text inside a statement, only ? and a value for each: so that people may write 'filled' as they are used to,
// what stands in single quotes is lifted out on its way.

export interface Lifted {
  readonly query: string;
  readonly params: readonly string[];
  /** Why it cannot be sent as it is. */
  readonly fault?: string;
}

/** What passes through as it is: comments and quoted names. What is in single quotes is a value, '' in it is one quote. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|"[^"]*"|`[^`]*`|\[[^\]]*\]|'((?:[^']|'')*)'|\?|'/g;

export function liftValues(sql: string): Lifted {
  const params: string[] = [];
  let fault: string | undefined;
  const query = sql.replace(PART, (part, text: string | undefined) => {
    if (text !== undefined) {
      params.push(text.replaceAll("''", "'"));
      return '?';
    }
    if (part === '?') fault = "Write the value itself instead of ?: a number as it is, text in 'single quotes'.";
    if (part === "'") fault = 'A quote is not closed.';
    return part;
  });
  return { query: query.trim(), params, ...(fault !== undefined && { fault }) };
}

/** Whether the statement changes something, by its first word. */
export const isWrite = (sql: string): boolean =>
  /^(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql.replace(/^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, ''));
