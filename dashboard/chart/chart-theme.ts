// The colors of a chart, from the tokens of the page: as numbers for what scripts say, as text for the library.

import { type Lettering, readColor, type Theme } from '../../src/chart/painting.ts';

export interface ChartTheme {
  readonly painting: Theme;
  readonly css: Readonly<Record<Token, string>>;
  readonly font: string;
}

const TOKENS = ['surface', 'sunken', 'line', 'ink', 'ink-2', 'ink-3', 'accent', 'up', 'down', 'warn'] as const;
type Token = (typeof TOKENS)[number];

/** As in the pictures of the server: a pale color on white is still meant. */
const LEAST_CONTRAST = { light: 1.3, dark: 1.8 };

export function themeOfPage(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  const css = Object.fromEntries(TOKENS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Record<
    Token,
    string
  >;
  const number = (name: Token): number => readColor(css[name]);
  return {
    css,
    font: style.getPropertyValue('--font').trim(),
    painting: {
      ...{ background: number('surface'), grid: number('sunken'), frame: number('line'), faint: number('ink-2') },
      ...{ ink: number('ink'), up: number('up'), down: number('down'), line: number('accent') },
      leastContrast: LEAST_CONTRAST[style.colorScheme.includes('dark') ? 'dark' : 'light'],
    },
  };
}

/** Words are measured and written in the page's own font. */
export function letteringOf(family: string): Lettering {
  const ruler = document.createElement('canvas').getContext('2d');
  return {
    cssFont: ({ px, isBold }) => `${isBold ? 600 : 400} ${px}px ${family}`,
    widthOf(text, cssFont) {
      if (ruler === null) return 0;
      ruler.font = cssFont;
      return ruler.measureText(text).width;
    },
  };
}
