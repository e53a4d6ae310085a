// Help while writing: completion, hovers and signatures, also in text that is not finished.

export { complete } from './complete.ts';
export type { Completion, CompletionKind } from './completion.ts';
export { hover } from './hover.ts';
export type { Hover } from './hover-text.ts';
export { type SignatureHelp, signatureAt } from './signature.ts';
