// The two looks of a chart, and the rule that keeps a script's own colors visible on both.

import { between, contrast } from './colors.ts';

export const THEMES = ['dark', 'light'] as const;
export type ThemeName = (typeof THEMES)[number];

export interface Theme {
  readonly background: number;
  readonly grid: number;
  /** Edges between the panes and the axes. */
  readonly frame: number;
  /** Numbers on the axes. */
  readonly faint: number;
  /** Titles, and whatever would be invisible in its own color. */
  readonly ink: number;
  readonly up: number;
  readonly down: number;
  readonly line: number;
  /** Below this, a thin line can no longer be told from the background. */
  readonly leastContrast: number;
}

export const THEME: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    background: 0x131722ff,
    grid: 0x1f2430ff,
    frame: 0x363c4eff,
    faint: 0x9aa0b0ff,
    ink: 0xe3e6eeff,
    up: 0x26a69aff,
    down: 0xef5350ff,
    line: 0x4c8dffff,
    leastContrast: 1.8,
  },
  light: {
    background: 0xffffffff,
    grid: 0xeef0f4ff,
    frame: 0xc4c8d2ff,
    faint: 0x616673ff,
    ink: 0x1c2030ff,
    up: 0x089981ff,
    down: 0xe13443ff,
    line: 0x2962ffff,
    // Yellow on white is pale, and still meant.
    leastContrast: 1.3,
  },
};

/** How much ink is mixed into a color, step by step, until it can be seen. */
const INK_SHARES = [0.25, 0.5, 0.75, 1];
/** Text needs more than a line does. */
const LEAST_TEXT_CONTRAST = 3;

/** Colors of scripts are few and asked for once a bar; those of gradients are many. */
const MOST_KEPT = 2_000;
const kept = new WeakMap<Theme, Map<number, number>>();

/** The color, with as much ink as it takes to be seen: black on dark and white on light would be lost. */
export function visible(color: number, theme: Theme): number {
  const known = kept.get(theme) ?? new Map<number, number>();
  let found = known.get(color);
  if (found === undefined) {
    found = withInk(color, theme, theme.leastContrast);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(color, found);
    kept.set(theme, known);
  }
  return found;
}

function withInk(color: number, theme: Theme, least: number): number {
  if (Number.isNaN(color) || contrast(color, theme.background) >= least) return color;
  const ink = ((theme.ink & 0xffffff00) | (color & 0xff)) >>> 0;
  const mixed = INK_SHARES.map((share) => between(color, ink, share));
  return mixed.find((candidate) => contrast(candidate, theme.background) >= least) ?? ink;
}

/** The color for words and numbers: opaque, and dark or light enough to read. */
export function legible(color: number, theme: Theme): number {
  return Number.isNaN(color) ? theme.faint : (withInk(color, theme, LEAST_TEXT_CONTRAST) | 0xff) >>> 0;
}
