// Tests of loading the drawing library: what is missing is told in one sentence with its remedy.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { chartFault, openSkia } from './skia.ts';

const require = createRequire(import.meta.url);
const installed = { open: require, resolve: require.resolve };

describe('the drawing library', () => {
  it('is there, with its fonts', () => {
    expect(openSkia(installed)).toMatchObject({ systemFonts: expect.any(Array) });
    expect(chartFault()).toBeUndefined();
  });

  it('that is missing is told in words, without the lines about other machines', () => {
    const open = () => {
      throw new Error("Cannot find module '@napi-rs/canvas-of-this-machine'\nRequire stack:\n- /a/b/c.js");
    };
    expect(openSkia({ ...installed, open })).toBe(
      "charts cannot be drawn on this machine: Cannot find module '@napi-rs/canvas-of-this-machine'; install the packages anew with npm ci, on this machine",
    );
  });

  it('without a font is told too, whether the file is gone or no font', () => {
    const { GlobalFonts, ...library } = require('@napi-rs/canvas');
    const bare = { ...library, GlobalFonts: { has: () => false, families: [], registerFromPath: () => null } };
    const outcomes = [
      openSkia({ open: () => bare, resolve: () => '/no/font.woff2' }),
      openSkia({
        ...installed,
        resolve: () => {
          throw new Error('Cannot find module @fontsource/inter');
        },
      }),
    ];
    expect(outcomes[0]).toContain('the font /no/font.woff2 cannot be read; install the packages anew');
    expect(outcomes[1]).toContain('Cannot find module @fontsource/inter; install the packages anew');
    expect(GlobalFonts).toBeDefined();
  });
});
