import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';

describe('SYSTEM_CLOCK', () => {
  afterEach(() => jest.useRealTimers());

  test('tells the time of the machine', () => {
    const before = Date.now();
    expect(SYSTEM_CLOCK.nowMs()).toBeGreaterThanOrEqual(before);
  });

  test('fires once after the time', () => {
    jest.useFakeTimers();
    const run = jest.fn();
    SYSTEM_CLOCK.after(1_000, run);
    jest.advanceTimersByTime(999);
    expect(run).not.toHaveBeenCalled();
    jest.advanceTimersByTime(5_000);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('does not fire when cancelled', () => {
    jest.useFakeTimers();
    const run = jest.fn();
    SYSTEM_CLOCK.after(1_000, run)();
    jest.advanceTimersByTime(5_000);
    expect(run).not.toHaveBeenCalled();
  });

  test('waits longer than the 24 days of one Node timer', () => {
    jest.useFakeTimers();
    const run = jest.fn();
    SYSTEM_CLOCK.after(40 * 86_400_000, run);
    jest.advanceTimersByTime(39 * 86_400_000);
    expect(run).not.toHaveBeenCalled();
    jest.advanceTimersByTime(86_400_000);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
