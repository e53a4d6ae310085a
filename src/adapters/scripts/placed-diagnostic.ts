// A finding of the compiler with its lines and columns, as it leaves a thread.

import type { ScriptDiagnostic } from '../../library/script-runner.ts';
import type { Diagnostic, LineTable } from '../../pine/index.ts';

export function placed({ span, severity, code, message, remedy }: Diagnostic, lines: LineTable): ScriptDiagnostic {
  const { line, column } = lines.positionAt(span.start);
  const { line: endLine, column: endColumn } = lines.positionAt(span.end);
  const found = { line, column, endLine, endColumn, severity, code, message };
  return remedy === undefined ? found : { ...found, remedy };
}
