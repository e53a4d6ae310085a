// Random mails to the parser, and some of them over SMTP.

import { expect, test } from 'vitest';
import { expectNoFaults } from './short-run.ts';

test('any mail is read or refused in good time', async () => {
  const { ends } = await expectNoFaults('mail', 2000);
  expect(ends).toMatchObject({ LONG: expect.any(Number), unreadable: expect.any(Number), refused: expect.any(Number) });
});
