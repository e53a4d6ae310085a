// A value that the environment sets: shown, and changed there.

/** Whether a source is one that cannot be changed while Signalbox runs. */
export const isSetByEnvironment = (source: string): boolean => source === 'environment' || source === '.env';

export const SetByEnvironment = ({ setting, source }: { readonly setting: string; readonly source: string }) => (
  <p class="hint">
    Set by <code>{setting}</code> in {source === '.env' ? 'the file .env' : 'the environment'}, and changed there.
  </p>
);
