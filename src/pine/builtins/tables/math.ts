// The math namespace: arithmetic, rounding, trigonometry and the sliding sum.

import type { TableSource } from '../model.ts';

export const MATH: TableSource = {
  namespace: 'math',
  text: `
e: const float = 2.718281828459045  # Euler's number, the base of the natural logarithm.
phi: const float = 1.618033988749895  # The golden ratio.
pi: const float = 3.141592653589793  # Circumference of a circle over its diameter.
rphi: const float = 0.618033988749895  # The golden ratio less one.
abs(number: series N) -> const.. N
  # The number without its sign.
acos(angle: series float) -> const.. float
  # Arc cosine in radians; na outside -1 to 1.
asin(angle: series float) -> const.. float
  # Arc sine in radians; na outside -1 to 1.
atan(angle: series float) -> const.. float
  # Arc tangent in radians.
avg(...number: series float) -> simple.. float
  # Mean of the arguments.
ceil(number: series float) -> const.. int
  # Smallest whole number that is not below the number.
cos(angle: series float) -> const.. float
  # Cosine of an angle in radians.
exp(number: series float) -> const.. float
  # Euler's number raised to the number.
floor(number: series float) -> const.. int
  # Largest whole number that is not above the number.
log(number: series float) -> const.. float
  # Natural logarithm.
log10(number: series float) -> const.. float
  # Logarithm to the base 10.
max(...number: series N) -> const.. N
  # Largest of the arguments.
min(...number: series N) -> const.. N
  # Smallest of the arguments.
pow(base: series float, exponent: series float) -> const.. float
  # The base raised to the exponent.
random(min: series float = 0, max: series float = 1, seed: series int = {a new one per run}) -> series float | stateful
  # Pseudo-random number between min and max; the same sequence for the same seed, the one TradingView draws.
round(number: series float) -> const.. int
round(number: series float, precision: series int) -> const.. float
  # Nearest whole number, ties away from zero; with precision, rounded to that many decimals.
round_to_mintick(number: series float) -> simple.. float
  # The number rounded to the nearest tick of the symbol, ties upwards.
sign(number: series float) -> const.. float
  # 1, 0 or -1 by the number's sign.
sin(angle: series float) -> const.. float
  # Sine of an angle in radians.
sqrt(number: series float) -> const.. float
  # Square root; na for negative numbers.
sum(source: series float, length: series int) -> series float | stateful
  # Sum of the last length values.
tan(angle: series float) -> const.. float
  # Tangent of an angle in radians.
todegrees(radians: series float) -> series float
  # An angle in radians as degrees.
toradians(degrees: series float) -> series float
  # An angle in degrees as radians.
`,
};
