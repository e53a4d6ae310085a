// What the oracle's broker has no rules for: bars inside of bars, another currency than the symbol's, exits of a named group.

const BEYOND = /use_bar_magnifier\s*=\s*true|\bcurrency\s*=|strategy\.exit\([^\n]*oca_name/;

export const isBeyondOracle = (source: string): boolean => BEYOND.test(source);
