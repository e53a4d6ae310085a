// The one author a From line names, read strictly: where two programs could read two addresses, there is none.
//
//   line  = address | [ name ] "<" address ">"
//   name  = words and quoted texts; a name never counts as an address
//
// The grammar of mail allows far more: comments, groups, routes, several authors. Programs disagree about those, and where
// the settings believe the From line, whoever could write "<me> <stranger>" would trade as me.

import { plainAddress } from './allowed-senders.ts';

/** A name and an address are one line. */
const MAX_FROM_CHARS = 2000;
/** Every alternative begins with another character, so no text is read twice. */
const NAMED = /^(?:[^\s<>"(),:;@\\[\]]|"(?:[^"\\]|\\.)*"|[ \t])*<([^<>\s]+)>$/;
/** Nothing of this is ever in the address of a mailbox; a backslash or a percent sign would only hide another one. */
const ADDRESS = /^[^\s<>"(),:;@\\[\]%]+@[^\s<>"(),:;@\\[\]%/?#]+$/;

/** In lower case, its domain in ASCII. Undefined unless the line names exactly one address. */
export function authorOf(line: string): string | undefined {
  if (line.length > MAX_FROM_CHARS) return undefined;
  const text = line.trim();
  const address = NAMED.exec(text)?.[1] ?? text;
  return ADDRESS.test(address) ? plainAddress(address) : undefined;
}
