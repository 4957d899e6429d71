import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSecretTarget } from '../../../../operator/cli/arguments/secret-target';
import { valueOf } from '../../../../operator/errors/ipam-error';

const folder = mkdtempSync(join(tmpdir(), 'ipam-secret-target-'));
const at = (name: string): string => join(folder, name);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('openSecretTarget', () => {
  test('makes a file that only its owner may read, and writes no line feed', () => {
    const target = valueOf(openSecretTarget(at('new')));
    target.write('a-secret');
    target.close();
    expect(readFileSync(at('new'), 'utf8')).toBe('a-secret');
    expect(statSync(at('new')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a file that is there', 'old', 'nothing is overwritten'],
    ['a folder that is not there', 'no/such/file', 'there is no such folder'],
    ['a file in place of its folder', 'old/file', 'what should be its folder is a file'],
  ])('refuses %s', (_what, name, message) => {
    writeFileSync(at('old'), 'mine');
    const refused = openSecretTarget(at(name));
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'settings/invalid' } });
    expect(JSON.stringify(refused)).toContain(message);
    expect(readFileSync(at('old'), 'utf8')).toBe('mine');
  });
});
