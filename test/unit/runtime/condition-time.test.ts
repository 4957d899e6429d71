import { conditionTime } from '../../../operator/runtime/condition-time';

describe('conditionTime', () => {
  test('has whole seconds, as the API server stores them', () => {
    expect(conditionTime(Date.UTC(2026, 0, 1) + 999)).toBe('2026-01-01T00:00:00Z');
  });
});
