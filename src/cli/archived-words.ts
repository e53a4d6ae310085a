// What is said below a list or a sum of trades when older ones were archived.

/** Nothing where nothing was archived. */
export const archivedWords = (archivedBefore: unknown): readonly string[] =>
  typeof archivedBefore === 'number'
    ? [`From ${new Date(archivedBefore).toISOString()} on: what is older may be archived ("signalbox archive").`]
    : [];
