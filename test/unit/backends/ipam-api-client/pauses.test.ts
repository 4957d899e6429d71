import { askedPauseMs, pauseMs, retryAfterMs } from '../../../../operator/backends/ipam-api-client/pauses';

const NOW = Date.UTC(2026, 0, 1);

describe('pauseMs', () => {
  test('doubles up to two seconds, of which half is left to chance', () => {
    const failures = [1, 2, 3, 4, 5, 6, 100];
    expect(failures.map((count) => pauseMs(count, 1))).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect(failures.map((count) => pauseMs(count, 0))).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
  });
});

describe('askedPauseMs', () => {
  test.each([
    ['nothing', undefined, 0, 50],
    ['a time', 3_000, 0, 3_000],
    ['a time, to many at once', 3_000, 1, 3_750],
    ['no wait at all', 0, 0, 50],
    ['less than the pause would be', 20, 1, 100],
  ])('waits long enough when the server asks for %s', (...[, asked, random, expected]) => {
    expect(askedPauseMs(asked, 1, random)).toBe(expected);
  });
});

describe('retryAfterMs', () => {
  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});
