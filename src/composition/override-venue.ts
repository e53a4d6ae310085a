// The same account with some of its members replaced. Everything else is the venue's own, also what venues learn to do later: a list
// of all members here would quietly lose the stops of a venue that keeps some.

import type { Venue } from '../trading/venue.ts';

type Overridden = Partial<Pick<Venue, 'placeOrder' | 'readPositionMode' | 'close'>>;

export function overrideVenue<V extends Venue>(venue: V, members: Overridden): V {
  return new Proxy(venue, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(target, name);
      // Bound, because a private field is the venue's own and not that of whoever stands in for it.
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
