// Numbers as text by a pattern such as "#.##", "0.000", "#,##0.00" or "0.0%".
//
// `#` is a digit that may be missing, `0` one that is always there, `,` groups, `.` is the decimal point, `%` shows
// hundredths, `E0` shows powers of ten, `;` parts off a pattern for negative numbers, quotes keep text as it is.
// A value exactly in the middle goes to the even digit in `str.format`, away from zero in `str.tostring`, as TradingView
// does; before a power of ten it goes upwards.

import { PineRuntimeError } from '../runtime-error.ts';

interface NumberPattern {
  readonly prefix: string;
  readonly suffix: string;
  readonly negativePrefix: string;
  readonly negativeSuffix: string;
  readonly minWhole: number;
  readonly minDecimals: number;
  readonly maxDecimals: number;
  /** Digits per group; 0 for none. */
  readonly group: number;
  readonly factor: number;
  /** Digits of the exponent; 0 for none. */
  readonly exponentDigits: number;
}

/** Parsed patterns are kept; a script has a handful, a hostile one is only slower. */
const MAX_PATTERNS = 200;
/** Decimals a pattern can ask for: TradingView shows no more, however long the mask. */
const MAX_DECIMALS = 16;
/** More decimals than a double's text can have. */
const ALL_DECIMALS = 100;
const patterns = new Map<string, NumberPattern>();

/** Where a value in the middle goes. `away` looks at the digits the number is written with: 2.675 is 2.68. */
export type Halves = 'even' | 'away';

export function formatNumber(value: number, pattern: string, halves: Halves): string {
  if (Number.isNaN(value)) return 'NaN';
  const parsed = patternOf(pattern);
  const size = Math.abs(value) * parsed.factor;
  let digits = '∞';
  if (Number.isFinite(size))
    digits = parsed.exponentDigits > 0 ? exponential(size, parsed) : plain(size, parsed, halves);
  // What rounds to zero has no sign.
  if (value < 0 && /[1-9∞]/.test(digits)) return parsed.negativePrefix + digits + parsed.negativeSuffix;
  return parsed.prefix + digits + parsed.suffix;
}

function plain(size: number, pattern: NumberPattern, halves: Halves): string {
  const [whole = '', decimals = ''] = toDecimals(size, pattern.maxDecimals, halves).split('.');
  const kept = trimZeros(decimals, pattern.minDecimals);
  const shown = whole === '0' && pattern.minWhole === 0 && kept !== '' ? '' : whole.padStart(pattern.minWhole, '0');
  const grouped = pattern.group > 0 ? groupDigits(shown, pattern.group) : shown;
  return kept === '' ? grouped : `${grouped}.${kept}`;
}

function exponential(size: number, pattern: NumberPattern): string {
  const [digits = '0', power = '0'] = size.toExponential(pattern.maxDecimals).split('e');
  const [whole = '0', decimals = ''] = digits.split('.');
  const kept = trimZeros(decimals, pattern.minDecimals);
  const exponent = `${Math.abs(Number(power))}`.padStart(pattern.exponentDigits, '0');
  return `${whole}${kept === '' ? '' : `.${kept}`}E${Number(power) < 0 ? '-' : ''}${exponent}`;
}

/**
 * The decimal text of a number that is not negative. The shortest text that reads back as the number stands when it fits
 * (12345678.9 has no tenth decimal); otherwise that text is rounded, or for halves to even the exact binary value.
 */
function toDecimals(size: number, decimals: number, halves: Halves): string {
  const shortest = withoutExponent(size);
  const cutAt = `${shortest}.`.indexOf('.') + 1 + decimals;
  if (shortest.length <= cutAt) return shortest;
  if (halves === 'away') return roundedUp(shortest, cutAt, decimals);
  const rounded = size.toFixed(decimals);
  const doubled = size * 2 * 10 ** decimals;
  if (!(Number.isInteger(doubled) && doubled % 2 === 1)) return rounded;
  const exact = size.toFixed(ALL_DECIMALS);
  const cut = exact.length - ALL_DECIMALS + decimals;
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  // toFixed went up; the digit below is wanted when that is the even one.
  const down = decimals === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut);
  return /[02468]$/.test(down) ? down : rounded;
}

/** The text up to a place, one more in its last digit when the next one is at least a five. */
function roundedUp(text: string, cutAt: number, decimals: number): string {
  const kept = text.slice(0, cutAt).replace('.', '');
  const digits = text[cutAt]! < '5' ? kept : `${BigInt(kept) + 1n}`.padStart(kept.length, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The shortest digits that mean the number, written out in full. */
function withoutExponent(size: number): string {
  const [mantissa = '0', power = '0'] = size.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(power) + 1;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return point > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : `0.${'0'.repeat(-point)}${digits}`;
}

/** At least `keep` decimals, and no zeros beyond them. */
function trimZeros(decimals: string, keep: number): string {
  if (decimals.length < keep) return decimals.padEnd(keep, '0');
  let end = decimals.length;
  while (end > keep && decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
}

function groupDigits(whole: string, size: number): string {
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= size) groups.unshift(whole.slice(Math.max(end - size, 0), end));
  return groups.join(',');
}

function patternOf(text: string): NumberPattern {
  let pattern = patterns.get(text);
  if (pattern === undefined) {
    pattern = parsePattern(text);
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(text, pattern);
  }
  return pattern;
}

interface Part {
  prefix: string;
  digits: string;
  suffix: string;
  factor: number;
}

function parsePattern(text: string): NumberPattern {
  const [positive, negative] = splitParts(text);
  const { prefix, digits, suffix, factor } = positive as Part;
  const match = /^([#,]*(?:0[0,]*)?)(?:\.(0*)(#*))?(?:E(0+))?$/.exec(digits);
  if (match === null)
    throw new PineRuntimeError(`"${text.slice(0, 40)}" is not a number format. Write it as "#.##" or "0.00".`);
  const whole = match[1] ?? '';
  const minDecimals = Math.min((match[2] ?? '').length, MAX_DECIMALS);
  const zeros = whole.replace(/[^0]/g, '').length;
  const lastComma = whole.lastIndexOf(',');
  return {
    prefix,
    suffix,
    negativePrefix: negative ? negative.prefix : `-${prefix}`,
    negativeSuffix: negative ? negative.suffix : suffix,
    // "#.##" shows 0.5 with its zero; ".##" does not, nor "#.0", which has a digit to show without it.
    minWhole: zeros === 0 && whole !== '' && minDecimals === 0 ? 1 : zeros,
    minDecimals,
    maxDecimals: Math.min(minDecimals + (match[3] ?? '').length, MAX_DECIMALS),
    group: lastComma >= 0 ? whole.length - lastComma - 1 : 0,
    factor,
    exponentDigits: (match[4] ?? '').length,
  };
}

/** The text before, within and after the digits, for positive and (where given) negative numbers. */
function splitParts(text: string): Part[] {
  const parts: Part[] = [{ prefix: '', digits: '', suffix: '', factor: 1 }];
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const part = parts.at(-1) as Part;
    const sign = text[i] as string;
    const isDigit = '#0,.'.includes(sign) || (sign === 'E' && part.digits !== '' && text[i + 1] === '0');
    if (sign === "'" && text[i + 1] === "'") {
      addText(part, "'");
      i += 1;
    } else if (sign === "'") quoted = !quoted;
    else if (quoted) addText(part, sign);
    else if (sign === ';' && parts.length === 1) parts.push({ prefix: '', digits: '', suffix: '', factor: 1 });
    else if (isDigit && part.suffix === '') part.digits += sign;
    else {
      if (sign === '%') part.factor = 100;
      if (sign === '‰') part.factor = 1000;
      addText(part, sign === '¤' ? '$' : sign);
    }
  }
  return parts;
}

function addText(part: Part, text: string): void {
  if (part.digits === '') part.prefix += text;
  else part.suffix += text;
}
