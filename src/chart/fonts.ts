// The fonts of the charts: Inter for words, signs of mathematics and emoji beside it, and the system's for other scripts.

/** A file of a package, registered under a name of ours: one name for several files would keep only one of them. */
interface BundledFont {
  readonly family: string;
  readonly file: string;
}

export interface Font {
  readonly px: number;
  readonly isBold: boolean;
}

/** Axes, legends and marks; and the title. */
export const SMALL: Font = { px: 11, isBold: false };
export const TITLE: Font = { px: 14, isBold: true };

/** Inter comes in pieces by script; the first holds all of English, and numbers. */
const INTER_SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
const WEIGHTS = { regular: 400, bold: 600 } as const;
/** Before every name, so that no font of the system is taken for one of ours. */
const OURS = 'Signalbox';
const SIGNS: BundledFont = {
  family: `${OURS} signs`,
  file: '@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2',
};
const EMOJI: BundledFont = {
  family: `${OURS} emoji`,
  file: '@fontsource/noto-emoji/files/noto-emoji-emoji-400-normal.woff2',
};

const inter = (script: string, weight: number): BundledFont => ({
  family: `${OURS} ${script} ${weight}`,
  file: `@fontsource/inter/files/inter-${script}-${weight}-normal.woff2`,
});

export const BUNDLED_FONTS: readonly BundledFont[] = [
  ...Object.values(WEIGHTS).flatMap((weight) => INTER_SCRIPTS.map((script) => inter(script, weight))),
  SIGNS,
  EMOJI,
];

const BUNDLED_NAMES = new Set(['Inter', 'Noto Sans Math', 'Noto Emoji']);
/** A desktop may have hundreds; each is looked through for a letter that those before it do not have. */
const MOST_SYSTEM_FONTS = 40;
const PLAIN_FACE = /sans|gothic|hei\b|cjk/i;
const ODD_FACE = /serif|mono|condensed|italic|math|emoji/i;

/** The families of the machine that may help out, the likeliest first. */
export function systemFamilies(families: readonly string[]): string[] {
  const rank = (name: string) => (ODD_FACE.test(name) ? 2 : PLAIN_FACE.test(name) ? 0 : 1);
  return families
    .filter((name) => !name.startsWith(OURS) && !BUNDLED_NAMES.has(name) && !name.includes('"'))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, MOST_SYSTEM_FONTS);
}

/** What the first piece of Inter has: English and its neighbours, with dashes, dots and quotes. */
const ENGLISH = /^[ -ÿ‐-‧€™−]*$/;

/** As CSS writes it: for plain English one family is enough, and quicker; other text gets them all. */
export function cssFont({ px, isBold }: Font, text: string, system: readonly string[]): string {
  const weight = isBold ? WEIGHTS.bold : WEIGHTS.regular;
  const latin = inter('latin', weight).family;
  if (ENGLISH.test(text)) return `${px}px "${latin}"`;
  const scripts = INTER_SCRIPTS.map((script) => inter(script, weight).family);
  return `${px}px ${[...scripts, SIGNS.family, EMOJI.family, ...system].map((name) => `"${name}"`).join(', ')}`;
}

/** The language's sizes of words, by name, in pixels of a preview. */
const NAMED_PX = new Map(Object.entries({ auto: 11, tiny: 9, small: 10, normal: 12, large: 15, huge: 20 }));
const SMALLEST_PX = 8;
const LARGEST_PX = 28;

/** Of a script's text size, which is a name or a number. */
export function fontOfSize(size: unknown): Font {
  const asked = typeof size === 'string' ? NAMED_PX.get(size) : size;
  const px = typeof asked === 'number' && asked > 0 ? asked : SMALL.px;
  return { px: Math.min(Math.max(Math.round(px), SMALLEST_PX), LARGEST_PX), isBold: false };
}
