// What can go wrong at a venue, drawn at random: at the network, at the venue itself, and in its stream.

import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import type { Fault, FaultMatch } from '../emulated-venues/faults.ts';
import type { LiveVenueRow } from '../live-gateway.ts';
import type { Random } from '../random.ts';

/** In real time: within the time that a venue gives a request, or past it. */
const MAX_DELAY_MS = 400;

/** Plans one, and says in words which. */
export function planFault(venue: EmulatedVenue, row: LiveVenueRow, random: Random): string {
  const { faults } = venue;
  const places = ['orders', 'order', 'cancel', 'fills', 'positions', 'leverage'] as const;
  const place = random.of(places);
  // Half of them meet orders on their way: that is where money is.
  const met: FaultMatch = random.chance(50) ? row.orders : random.chance(20) ? {} : row[place];
  // Of a venue with several accounts mostly one: the others go on beside it.
  const match = random.chance(70) ? { ...met, apiKey: venue.credentials.apiKey } : met;
  const fault = drawFault(random, row, met);
  const times = random.between(1, 3);
  faults.plan(match, fault, times);
  return `${row.exchange}: ${JSON.stringify(match)} meets ${JSON.stringify(fault)} ${times} times`;
}

function drawFault(random: Random, row: LiveVenueRow, match: FaultMatch): Fault {
  const when = random.of(['before', 'after'] as const);
  const delayMs = random.between(1, MAX_DELAY_MS);
  // Whoever hands in an order twice where ids may be doubled has two of them: that is nobody's fault here.
  const mayRepeat = match === row.order || match === row.fills || !row.doublesIds;
  // What arrives after its sender has looked for it in vain is what doubles orders: that comes most often.
  if (random.chance(35)) return { type: 'late', delayMs };
  return random.of<Fault>([
    { type: 'drop', when },
    { type: 'drop', when: 'after' },
    { type: 'delay', when, delayMs },
    { type: 'answer', when, reply: { status: random.of([500, 502, 504]), text: '' } },
    { type: 'answer', when, reply: { words: 'unknown-outcome' } },
    { type: 'answer', when, reply: { status: 200, text: '<html>' } },
    { type: 'answer', when: 'before', reply: { words: 'too-many-requests', status: 429, retryAfterS: 1 } },
    mayRepeat ? { type: 'twice' } : { type: 'drop', when },
  ]);
}

/** Of the venue as a whole, until it is healed. */
export function disturbVenue({ faults, market }: EmulatedVenue, random: Random): string {
  switch (random.between(0, 4)) {
    case 0:
      faults.maintenance = true;
      return 'maintenance';
    case 1:
      faults.cutStreams();
      return 'its streams are cut';
    case 2:
      faults.loseEvents = random.between(1, 20);
      return `${faults.loseEvents} events are lost`;
    case 3:
      faults.repeatEvents = random.between(1, 20);
      return `${faults.repeatEvents} events come twice`;
    default:
      market.fillDelayMs = random.between(1, 200);
      return `orders fill ${market.fillDelayMs} ms late`;
  }
}

export function healVenue({ faults, market }: EmulatedVenue): void {
  faults.clear();
  market.fillDelayMs = 0;
}
