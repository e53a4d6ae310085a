// The question that is open about a key, a strategy, an account or a market, whichever page asks it.

import type { Restriction } from '../../server/setup-answers.ts';
import { LimitsQuestion } from './limits-question.tsx';
import { PauseQuestion, ResumeQuestion } from './pause-questions.tsx';
import type { SubjectQuestionProps } from './restriction-changes.ts';
import { LiftQuestion, StopQuestion } from './switch-questions.tsx';

export type SubjectAsking = 'limits' | 'pause' | 'resume' | 'stop' | 'lift';

/** What can be asked about one as it stands, with the words of the buttons. */
export const askableOf = (of: Restriction | undefined): readonly (readonly [what: SubjectAsking, words: string])[] => [
  ['limits', 'Limit'],
  of?.paused ? ['resume', 'Resume'] : ['pause', 'Pause'],
  of?.killSwitch ? ['lift', 'Lift'] : ['stop', 'Stop'],
];

export interface AskedSubject extends SubjectQuestionProps {
  readonly what: SubjectAsking;
  /** As it stood when it was asked; undefined where nothing restricts it. */
  readonly of: Restriction | undefined;
}

export function SubjectQuestion({ what, of, ...asked }: AskedSubject) {
  if (what === 'limits') return <LimitsQuestion {...asked} limits={of?.limits ?? {}} />;
  if (what === 'pause') return <PauseQuestion {...asked} />;
  if (what === 'stop') return <StopQuestion {...asked} />;
  if (of === undefined) return null;
  return what === 'resume' ? <ResumeQuestion {...asked} of={of} /> : <LiftQuestion {...asked} of={of} />;
}
