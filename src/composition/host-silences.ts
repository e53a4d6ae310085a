// The silences that venues want from this process, whichever of its parts they were told to.

import { HostSilences } from '../adapters/host-silences.ts';
import { monotonicMs } from './clocks.ts';

export const hostSilences = new HostSilences(monotonicMs);
