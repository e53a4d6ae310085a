// Names that the server gives, as words: `killSwitch`, `delivery-failed`. Settings are written as they are set, and stay so.

export const spaced = (name: string): string =>
  name
    .replace(/(?<=[a-z])-(?=[a-z])(?<!\bre-)/g, ' ')
    .replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`);
