import { accept, refuse, type Outcome } from '../../../operator/errors/outcome';
import { isOvertaken } from '../../../operator/errors/overtaken';

test.each(['address/held', 'address/quarantined', 'store/conflict', 'claim/not-found'] as const)(
  'a refusal %s is one that a new decision can mend',
  (code) => {
    expect(isOvertaken(refuse(code, 'another one was faster'))).toBe(true);
  },
);

test('what was written is not overtaken', () => {
  expect(isOvertaken(accept(undefined))).toBe(false);
});

test('every other refusal is thrown', () => {
  const refused: Outcome<unknown> = refuse('zone/quota', 'the zone is full');
  expect(() => isOvertaken(refused)).toThrow(expect.objectContaining({ code: 'zone/quota' }) as Error);
});
