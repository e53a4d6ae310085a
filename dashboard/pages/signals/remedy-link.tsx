// The way to where a remedy is done.

import type { Remedy } from './remedies.ts';

export const RemedyLink = ({ remedy: { link } }: { readonly remedy: Remedy }) =>
  link === undefined ? null : <a href={link.href}>{link.words}</a>;
