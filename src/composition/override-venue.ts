// The same account with some of its members replaced. Everything else is the venue's own, also what venues learn to do later: a list
// of all members here would quietly lose the stops of a venue that keeps some.
//
// It is put together once. A Proxy would be shorter, but every look at a member takes it eight times as long, and a trade looks often.

import type { Venue } from '../trading/venue.ts';

type Overridden = Partial<Pick<Venue, 'placeOrder' | 'readPositionMode' | 'close'>>;

export function overrideVenue<V extends Venue>(venue: V, members: Overridden): V {
  const over = {};
  for (const name of memberNames(venue)) Object.defineProperty(over, name, memberOf(venue, name));
  return Object.assign(over, members) as V;
}

/** A method is bound, because a private field is the venue's own and not that of whoever stands in for it. */
function memberOf(venue: object, name: PropertyKey): PropertyDescriptor {
  const member: unknown = Reflect.get(venue, name);
  if (typeof member === 'function') return { value: member.bind(venue), enumerable: true, writable: true };
  return { get: () => Reflect.get(venue, name), enumerable: true };
}

function memberNames(venue: object): ReadonlySet<PropertyKey> {
  const names = new Set<PropertyKey>();
  for (let owner = venue; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    for (const name of Reflect.ownKeys(owner)) if (name !== 'constructor') names.add(name);
  return names;
}
