// Names of strategies that may trade, and that whoever stops them must be able to name.

export const STOPPABLE: readonly string[] = [
  'Ema Cross 4h',
  '😀'.repeat(64),
  // A family and a flag: emoji that invisible signs hold together.
  'moon 👨‍👩‍👧',
  // Signs that a variation selector makes emoji.
  'heart ❤️ 1️⃣',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 open',
  'one word after the other, many of them up to 64 of its signs, ok',
  'ألفا 1',
  'café',
  'A & <b>',
];
