// Skia, the library that draws, with the fonts of the charts: loaded for the first picture of a thread and never before,
// so that whatever is wrong with it is told to whoever wants a picture, and nobody else notices.

import { createRequire } from 'node:module';
import type * as Library from '@napi-rs/canvas';
import { errorText } from '../errors/error-text.ts';
import { BUNDLED_FONTS, cssFont, systemFamilies } from './fonts.ts';
import { useLettering } from './text.ts';

export interface Skia {
  readonly createCanvas: (width: number, height: number) => Library.Canvas;
  /** Families of the machine for the letters that the charts' own fonts do not have. */
  readonly systemFonts: readonly string[];
}

/** Finds and opens the library and a file of a package; tests hand in ones that fail. */
export interface Packages {
  open(name: string): unknown;
  resolve(file: string): string;
}

const require = createRequire(import.meta.url);
const INSTALLED: Packages = { open: require, resolve: require.resolve };

let opened: Skia | undefined;
let fault: string | undefined;

/** Why no chart can be drawn here, in words for its caller; undefined where all is well. */
export function chartFault(): string | undefined {
  if (opened !== undefined || fault !== undefined) return fault;
  const outcome = openSkia(INSTALLED);
  if (typeof outcome === 'string') fault = outcome;
  else {
    opened = outcome;
    useSkiasLettering(outcome);
  }
  return fault;
}

export function skia(): Skia {
  const reason = chartFault();
  if (opened === undefined) throw new Error(reason);
  return opened;
}

function useSkiasLettering({ createCanvas, systemFonts }: Skia): void {
  const ruler = createCanvas(1, 1).getContext('2d');
  useLettering({
    cssFont: (font, text) => cssFont(font, text, systemFonts),
    widthOf(text, css) {
      ruler.font = css;
      return ruler.measureText(text).width;
    },
  });
}

/** The library with the fonts in it, or why there is none. */
export function openSkia(packages: Packages): Skia | string {
  try {
    const { createCanvas, GlobalFonts } = packages.open('@napi-rs/canvas') as typeof Library;
    for (const { family, file } of BUNDLED_FONTS) registerFont(GlobalFonts, family, packages.resolve(file));
    return { createCanvas, systemFonts: systemFamilies(GlobalFonts.families.map(({ family }) => family)) };
  } catch (error) {
    // The library's own message goes on for lines about every platform there is.
    const [reason] = errorText(error).split('\n');
    return `charts cannot be drawn on this machine: ${reason}; install the packages anew with npm ci, on this machine`;
  }
}

/** Fonts belong to the process: another thread may have brought them already, and a font that is there twice is harmless. */
function registerFont(fonts: (typeof Library)['GlobalFonts'], family: string, path: string): void {
  if (fonts.has(family)) return;
  if (fonts.registerFromPath(path, family) === null) throw new Error(`the font ${path} cannot be read`);
}
