// Asks before text goes that stands nowhere but on this chart.

import { Question } from '../../ui/question.tsx';
import type { Loss } from './use-chart-choice.ts';

export const LossQuestion = ({ loss: { scripts, accept, cancel } }: { readonly loss: Loss }) => {
  const names = scripts.map(({ name }) => name).join(', ');
  return (
    <Question
      {...{ title: `Take ${names} off the chart?`, yes: 'Take it off', no: 'Keep it', isDanger: true }}
      onYes={async () => accept()}
      onClose={cancel}
    >
      <p>What you wrote of it is on this chart only, and goes with it. Save it to the library to keep it.</p>
    </Question>
  );
};
