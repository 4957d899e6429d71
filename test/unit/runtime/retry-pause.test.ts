import { backoffMs, retryAfterSeconds } from '../../../operator/runtime/retry-pause';

const NOW = Date.UTC(2026, 0, 1);

describe('retryAfterSeconds', () => {
  test.each([
    ['0', 0],
    [' 12 ', 12],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ])('reads %j', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });

  test.each([undefined, '', 'soon', '-1', '1.5', '2026'.repeat(5)])('knows nothing from %j', (header) => {
    expect(retryAfterSeconds(header, NOW)).toBeUndefined();
  });
});

describe('backoffMs', () => {
  test('doubles up to its end, with half of it as jitter', () => {
    const backoff = { firstMs: 100, mostMs: 1000 };

    expect([1, 2, 3, 4, 5, 5000].map((failures) => backoffMs(backoff, failures, 1))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(backoffMs(backoff, 1, 0)).toBe(50);
  });
});
