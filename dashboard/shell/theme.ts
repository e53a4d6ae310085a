// The theme, which the shell applies and the settings choose.

export { applyTheme, storedTheme, type Theme } from '../ui/theme.ts';
