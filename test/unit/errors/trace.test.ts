import { traceOf } from '../../../operator/errors/trace';

describe('traceOf', () => {
  test('names the place, and nothing of a message that looks like one', () => {
    const trace = traceOf(new TypeError('bad\n    at secret (object:1:1)'));
    expect(trace).toMatch(/^at .*trace\.test\.ts:\d+:\d+/u);
    expect(trace).not.toContain('secret');
  });

  test.each([['text'], [undefined], [Object.assign(new Error('x'), { stack: undefined })]])(
    'is empty for %s',
    (thrown) => {
      expect(traceOf(thrown)).toBe('');
    },
  );
});
