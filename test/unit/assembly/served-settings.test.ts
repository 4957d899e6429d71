import { requireServed } from '../../../operator/assembly/served-settings';
import { parseSettings } from '../../../operator/settings/parse-settings';
import type { Settings } from '../../../operator/settings/options';

function settingsOf(...argv: readonly string[]): Settings {
  const parsed = parseSettings({ argv, env: {} });
  if (!parsed.ok) throw new TypeError('the settings of the test are wrong');
  return parsed.value;
}

const OLD = { version: 'v20.19.0', hasSqlite: false };

describe('requireServed', () => {
  test('says which Node.js the store sqlite needs where this one brings no SQLite', () => {
    expect(() => requireServed(settingsOf(), OLD)).toThrow(
      '--store: "sqlite" needs Node.js 22.13 or newer, which brings SQLite, and this is v20.19.0; take a newer one, or give postgres',
    );
  });

  test('asks no other store for SQLite', () => {
    expect(requireServed(settingsOf('--store=postgres', '--postgres-dsn-file=/dsn'), OLD)).toBe('postgres');
    expect(requireServed(settingsOf('--store=memory', '--standalone'), OLD)).toBe('memory');
  });

  test('finds SQLite in the Node.js that runs the tests', () => {
    expect(requireServed(settingsOf())).toBe('sqlite');
  });
});
