// Libraries that come with the engine: found by an import where nobody has handed in one of the same name and version.

import { TRADINGVIEW_TA } from './tradingview-ta.ts';

/** All versions of the public library have these functions or had them from some version on. */
const TRADINGVIEW_TA_KEY = /^TradingView\/ta\/([1-9]|1\d)$/;

/** The source of `publisher/name/version`, or undefined. */
export const builtInLibrary = (key: string): string | undefined =>
  TRADINGVIEW_TA_KEY.test(key) ? TRADINGVIEW_TA : undefined;
