// What went wrong, for whoever reads the page.

export const errorWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));
