// Writes numbers as text into bytes, digit for digit as `String(value)` has them, several times as fast.
//
// The language prints the shortest digits that read back as the same number, and of several such the nearest. Those of
// a price have at most 17: 15 digits, when they read back, are the only ones of that length; else 16 are tried; and 17
// always do. The number times a power of ten is split into a rounded product and the exact rest (Dekker), so that the
// digits and the distance from the number are known without doubt. Where a distance is too close to call, or the number
// is outside of the everyday range, the language itself is asked.
//
// Functions hand each other whole numbers only, and find the number itself in a place they share: a double that is handed
// over would be put on the heap each time.

/** Ten to the n as far as a double holds it exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** Of the numbers between these, the point stands among the digits or just before them, and every power fits. */
const LEAST = 1e-5;
const LIMIT = 1e15;
const LEAST_POWER = -5;
/** 1e-6 to 1e16: one below and one above the range, for the estimate. */
const TENS = Float64Array.from({ length: 23 }, (_, index) => Number(`1e${index + LEAST_POWER - 1}`));
/** Half the distance to the next number, by the exponent's bits. */
const LEAST_EXPONENT = -18;
const HALF_STEPS = Float64Array.from({ length: 70 }, (_, index) => 2 ** (index + LEAST_EXPONENT - 53));
/** A distance this close to the border, in parts of it, is not decided here. */
const DOUBT = 1e-9;
const SPLITTER = 2 ** 27 + 1;
const HALF_DIGITS = 1e8;
/** Of the longest text, -1.2345678901234567e-308, and of what is written behind a short one on the way. */
export const MAX_NUMBER_BYTES = 26;

/** Instead of a count of digits: none of that length read back, or it cannot be told here. */
const NONE = 0;
const DOUBTFUL = -1;

const ZERO = 48;
const MINUS = 45;
const POINT = 46;

/** The number that is being written, without its sign, and its two halves. */
const current = new Float64Array(1);
const [low32, high32] = halvesOf(current.buffer);
/** The digits of 0000 to 9999, one after another: four at a time are fewer divisions. */
const QUADS = new Uint8Array(40_000);

/** Filled when the first number is written: a start should not wait for it. */
function fillQuads(): void {
  QUADS.fill(ZERO, 0, 4);
  // Each place repeats what stands behind it ten times, with a digit of its own.
  for (let place = 3, size = 4; place >= 0; place -= 1, size *= 10)
    for (let digit = 1; digit < 10; digit += 1) {
      QUADS.copyWithin(digit * size, 0, size);
      for (let at = digit * size + place; at < (digit + 1) * size; at += 4) QUADS[at] = ZERO + digit;
    }
}

/** The low and the high half of a number, whatever the order of bytes is. */
function halvesOf(buffer: ArrayBuffer): [low: Int32Array, high: Int32Array] {
  current[0] = 1;
  const isLittle = new Int32Array(buffer)[0] === 0;
  const half = (at: number) => new Int32Array(buffer, at, 1);
  return isLittle ? [half(0), half(4)] : [half(4), half(0)];
}

/** Writes a number of the column at `at`, where MAX_NUMBER_BYTES must fit, and gives the place behind it. */
export function writeNumber(column: Float64Array, index: number, into: Uint8Array, at: number): number {
  const value = column[index]!;
  const size = Math.abs(value);
  if (!(size >= LEAST && size < LIMIT)) return value === 0 ? writeZero(into, at) : writeRare(value, into, at);
  let start = at;
  if (value < 0) {
    into[at] = MINUS;
    start += 1;
  }
  if (size < 2 ** 31 && size === (size | 0)) return writeWhole(size | 0, into, start);
  current[0] = size;
  const power = powerOfFirst();
  // Behind "0.00" or one place to the right: then the digits before the point move back, and it takes the free place.
  const first = power < 0 ? start + 1 - power : start + 1;
  const count = shortest(power, into, first);
  if (count === DOUBTFUL) return writeRare(value, into, at);
  return power < 0 ? leadIn(into, start, first, count) : setPoint(into, first, count, power + 1);
}

function writeZero(into: Uint8Array, at: number): number {
  into[at] = ZERO;
  return at + 1;
}

function writeRare(value: number, into: Uint8Array, at: number): number {
  const text = String(value);
  for (let i = 0; i < text.length; i += 1) into[at + i] = text.charCodeAt(i);
  return at + text.length;
}

function writeWhole(value: number, into: Uint8Array, at: number): number {
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1;
  for (let place = end - 1, rest = value; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    into[place] = ZERO + rest - next * 10;
    rest = next;
  }
  return end;
}

/** The power of ten of the first digit. */
function powerOfFirst(): number {
  const size = current[0]!;
  // The logarithm of two in parts of 4096.
  const power = (exponent() * 1233) >> 12;
  const index = power - LEAST_POWER + 1;
  if (size < TENS[index]!) return power - 1;
  return size >= TENS[index + 1]! ? power + 1 : power;
}

const exponent = (): number => ((high32[0]! >>> 20) & 0x7ff) - 1023;

/** Writes the digits and gives how many there are, unless it is doubtful. */
function shortest(power: number, into: Uint8Array, at: number): number {
  const size = current[0]!;
  const scale = POWERS[14 - power]!;
  const rounded = Math.round(size * scale);
  if (rounded / scale === size) {
    // As sixteen, the last of them a zero.
    const high = Math.floor(rounded / 1e7);
    writeEight(high | 0, into, at);
    writeEight(((rounded - high * 1e7) * 10) | 0, into, at + 8);
    return countWithoutZeros(into, at);
  }
  // A power of two has its lower neighbour nearer than the other.
  if (low32[0] === 0 && (high32[0]! & 0xfffff) === 0) return DOUBTFUL;
  const count = nearest(power, 16, into, at);
  return count === NONE ? nearest(power, 17, into, at) : count;
}

/** Writes the nearest number of so many digits, 16 or 17, when it reads back. */
function nearest(power: number, count: number, into: Uint8Array, at: number): number {
  const size = current[0]!;
  const scale = POWERS[count - 1 - power]!;
  const border = count === 17 ? Number.POSITIVE_INFINITY : HALF_STEPS[exponent() - LEAST_EXPONENT]! * scale;
  // The product and what was rounded off it: with halves of 26 bits every step is exact.
  const product = size * scale;
  const sizeHigh = size * SPLITTER - (size * SPLITTER - size);
  const scaleHigh = scale * SPLITTER - (scale * SPLITTER - scale);
  const sizeLow = size - sizeHigh;
  const scaleLow = scale - scaleHigh;
  const rest = sizeLow * scaleLow - (product - sizeHigh * scaleHigh - sizeLow * scaleHigh - sizeHigh * scaleLow);
  const whole = Math.floor(product);
  const fraction = product - whole + rest;
  const step = Math.floor(fraction + 0.5);
  const distance = Math.abs(fraction - step);
  if (distance > border * (1 + DOUBT)) return NONE;
  if (distance > border * (1 - DOUBT) || distance > 0.5 - DOUBT) return DOUBTFUL;
  // A double may not hold the sum of the two, so that it is made of eight digits and the others.
  const upper = Math.floor(whole / HALF_DIGITS);
  const lower = whole - upper * HALF_DIGITS + step;
  const carry = lower < 0 ? -1 : lower >= HALF_DIGITS ? 1 : 0;
  const high = (upper + carry) | 0;
  const first = (high / HALF_DIGITS) | 0;
  // Rounded up to one digit more.
  if (first > (count === 17 ? 9 : 0)) return DOUBTFUL;
  if (count === 17) into[at] = ZERO + first;
  writeEight(high - first * HALF_DIGITS, into, at + count - 16);
  writeEight((lower - carry * HALF_DIGITS) | 0, into, at + count - 8);
  return count;
}

function writeEight(value: number, into: Uint8Array, at: number): void {
  if (QUADS[0] !== ZERO) fillQuads();
  const high = (value / 10_000) | 0;
  writeQuad(high * 4, into, at);
  writeQuad((value - high * 10_000) * 4, into, at + 4);
}

function writeQuad(quad: number, into: Uint8Array, at: number): void {
  into[at] = QUADS[quad]!;
  into[at + 1] = QUADS[quad + 1]!;
  into[at + 2] = QUADS[quad + 2]!;
  into[at + 3] = QUADS[quad + 3]!;
}

function countWithoutZeros(into: Uint8Array, at: number): number {
  let count = 15;
  while (count > 1 && into[at + count - 1] === ZERO) count -= 1;
  return count;
}

/** Writes what stands before the digits of a number below one. */
function leadIn(into: Uint8Array, at: number, first: number, count: number): number {
  into.fill(ZERO, at, first);
  into[at + 1] = POINT;
  return first + count;
}

/** The first digits go one place back, the point behind them; there are zeros enough for a number without a fraction. */
function setPoint(into: Uint8Array, first: number, count: number, before: number): number {
  for (let i = 0; i < before; i += 1) into[first + i - 1] = into[first + i]!;
  if (count <= before) return first + before - 1;
  into[first + before - 1] = POINT;
  return first + count;
}
