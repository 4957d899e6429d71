import { LONGEST_LABEL, quoteValue } from '../../../operator/contract/quote';

describe('quoteValue', () => {
  test.each([
    ['inet', '"inet"'],
    ['a"b', '"a\\"b"'],
    ['a\nb\0', '"a\\nb\\u0000"'],
    ['a\u007f\u009b\u2028\u202e', '"a\\u007f\\u009b\\u2028\\u202e"'],
    ['æ😀', '"æ😀"'],
    ['x'.repeat(80), `"${'x'.repeat(80)}"`],
    ['x'.repeat(20_000), `"${'x'.repeat(80)}…"`],
  ])('of %j is %s', (text, quoted) => {
    expect(quoteValue(text)).toBe(quoted);
  });

  test('is cut by what is shown, between escapes and characters', () => {
    expect(quoteValue('\0'.repeat(20_000))).toBe(`"${'\\u0000'.repeat(13)}…"`);
    expect(quoteValue('😀'.repeat(41))).toBe(`"${'😀'.repeat(40)}…"`);
  });

  test('shows the whole name of a holder', () => {
    const label = `${'n'.repeat(63)}/${'s'.repeat(63)}`;
    expect(quoteValue(label, LONGEST_LABEL)).toBe(`"${label}"`);
  });
});
