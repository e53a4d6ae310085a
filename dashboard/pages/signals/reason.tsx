// Why something was refused, or would be, and what to do about it.

import { remedyOf } from './remedies.ts';

interface ReasonProps {
  readonly code: string | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

export function Reason({ code, error, faults }: ReasonProps) {
  const remedy = code === null ? undefined : remedyOf(code);
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
          <strong>What to do:</strong> {remedy.words}
          {remedy.guide !== undefined && (
            <>
              {' '}
              The guide: <code>docs/guides/{remedy.guide}</code>
            </>
          )}
        </p>
      )}
    </>
  );
}
