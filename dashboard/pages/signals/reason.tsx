// Why something was refused, or would be, and what to do about it.

import { GuideLink } from '../../ui/guide-link.tsx';
import { remedyOf } from './remedies.ts';
import { RemedyLink } from './remedy-link.tsx';

interface ReasonProps {
  readonly code: string | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

export function Reason({ code, error, faults }: ReasonProps) {
  const remedy = code === null ? undefined : remedyOf(code, error);
  return (
    <>
      {faults.length > 1 ? (
        <ul>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      ) : (
        <p>{error}</p>
      )}
      {remedy !== undefined && (
        <p class="remedy">
          <strong>What to do:</strong> {remedy.words} <RemedyLink remedy={remedy} />
          {remedy.guide !== undefined && (
            <>
              {' '}
              <GuideLink guide={remedy.guide} />
            </>
          )}
        </p>
      )}
    </>
  );
}
