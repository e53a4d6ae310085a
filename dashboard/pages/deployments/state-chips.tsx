// How a deployment is doing and whether it trades, each as a word.

import type { Deployment } from '../../server/deployments.ts';
import { Chip, type Tone } from '../../ui/chip.tsx';

const STATE_TONES: Readonly<Record<Deployment['state'], Tone>> = { running: 'up', paused: 'warn', failed: 'down' };

export const State = ({ state }: Deployment) => <Chip tone={STATE_TONES[state]}>{state}</Chip>;

export const Mode = ({ mode }: Deployment) => (
  <Chip tone={mode === 'trade' ? 'accent' : 'plain'}>{mode === 'trade' ? 'trades' : 'dry run'}</Chip>
);
