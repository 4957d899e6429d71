import { UNSERVED, unservedMessage, unservedProblems } from '../../../operator/settings/served';

const fields = { store: '--store', services: '--services' };

describe('unservedProblems', () => {
  test.each(UNSERVED)('refuses %j, under the name that its author knows', (unserved) => {
    const asked = { ...({ store: 'sqlite', services: true } as const), [unserved.option]: unserved.value };
    const field = fields[unserved.option];
    expect(unservedProblems(asked, fields)).toEqual([
      { code: 'settings/invalid', field, value: String(unserved.value), message: unservedMessage(unserved, field) },
    ]);
  });

  test.each(['sqlite', 'postgres', 'memory', 'remote'] as const)('lets the store %s pass', (store) => {
    expect(unservedProblems({ store, services: true }, fields)).toEqual([]);
  });
});

describe('unservedMessage', () => {
  test('names field and value, and says what to do', () => {
    expect(unservedMessage({ value: 'remote', instead: 'give sqlite' }, '--store')).toBe(
      '--store: "remote" is not served by this release; give sqlite',
    );
  });
});
