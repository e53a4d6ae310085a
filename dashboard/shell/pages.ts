// The pages there are, as the rail, the palette and the phone's bar list them.

import type { ComponentType } from 'preact';
import { Access } from '../pages/access/access.tsx';
import { Overview } from '../pages/overview/overview.tsx';
import type { Place } from '../ui/places.ts';

export interface Page {
  /** Its word behind the hash. */
  readonly word: string;
  readonly title: string;
  readonly section?: string;
  /** Whether the phone's bar has it; the others are behind "More". */
  readonly isOnPhone?: boolean;
  readonly view: ComponentType<{ readonly place: Place }>;
}

export const PAGES: readonly Page[] = [
  { word: 'overview', title: 'Overview', isOnPhone: true, view: Overview },
  { word: 'access', title: 'Access', section: 'Set up', view: Access },
];
