// Changes of how the owner enters, as the audit keeps them, in plain words.

type Values = Readonly<Record<string, unknown>> | null | undefined;

const WORDS: Readonly<Record<string, (before: Values, after: Values) => string>> = {
  login: (_, after) => `Logins failed: ${countsOf(after)}. Tried`,
  session: (before, after) => {
    if (before === null || before === undefined) return 'A browser was logged in';
    const why = after?.ended;
    return `A session was ended${typeof why === 'string' ? ` (${why})` : ''}`;
  },
  password: (before, after) => {
    if (after === null || after === undefined) return 'The password was removed';
    return `The password was ${before === null || before === undefined ? 'set' : 'changed'}`;
  },
  totp: (_, after) => {
    if (after === null || after === undefined) return 'One-time codes were turned off';
    const left = after.recoveryCodesLeft;
    return left === undefined
      ? 'One-time codes were turned on'
      : `A recovery code was used, ${left} are left. Logged in`;
  },
};

/** Undefined for a setting that is not about that. */
export const accessInWords = (setting: string, before: unknown, after: unknown): string | undefined =>
  Object.hasOwn(WORDS, setting) ? WORDS[setting]?.(before as Values, after as Values) : undefined;

function countsOf(after: Values): string {
  const { refused, limited } = after ?? {};
  return [
    ...(refused === undefined ? [] : [`${refused} refused`]),
    ...(limited === undefined ? [] : [`${limited} not looked at`]),
  ].join(', ');
}
