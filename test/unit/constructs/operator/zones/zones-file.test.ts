import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Chart, Testing } from 'cdk8s';

import { IpamOperator, IpamService, zonesFromFile } from '../../../../../constructs';
import { parseZoneText } from '../../../../../operator/contract/zone-text';
import { isIpamError } from '../../../../../operator/errors/ipam-error';
import { one, type Json } from '../../../../support/operator-objects';

describe('zonesFromFile', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-zones-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (text: string): string => {
    const path = join(folder, 'zones.yaml');
    writeFileSync(path, text);
    return path;
  };
  const refused = (path: string): unknown => {
    try {
      return zonesFromFile(path);
    } catch (thrown) {
      return thrown;
    }
  };

  test('lets another app check its Services against the zones of a file', () => {
    const zones = zonesFromFile(
      file('version: 1\nservices: { defaultZone: no }\nzones: [{ name: no, prefixes: [10.0.0.0/24] }]\n'),
    );
    expect(zones).toMatchObject({ names: ['no'], defaultZone: 'no' });
    const chart = new Chart(Testing.app(), 'apps');
    new IpamService(chart, 'web', { ports: [{ port: 80 }], zones, addresses: ['10.0.1.1'] });
    expect(() => Testing.synth(chart) as unknown).toThrow(/\[apps\/web\] .*10\.0\.1\.1/);
  });

  test('reads the file that the operator of another app emits', () => {
    const chart = new Chart(Testing.app(), 'ipam');
    const operator = new IpamOperator(chart, 'operator', {
      zones: [{ name: 'inet', prefixes: ['2001:db8::/64', '192.0.2.0/28'], excluded: ['192.0.2.0'], quota: 3 }],
      services: { defaultZone: 'inet' },
    });
    const [text = ''] = Object.values(one(Testing.synth(chart) as Json[], 'ConfigMap', 'ipam-zones')['data']!);
    const zones = zonesFromFile(file(String(text)));
    expect(JSON.stringify(zones)).toBe(JSON.stringify(operator.zones));
  });

  test.each([
    ['a map that holds itself', 'version: 1\nzones: [&a { name: lan, prefixes: [10.0.0.0/24], namespaces: *a }]\n'],
    ['a list that holds itself', 'version: 1\nzones: &a [*a]\n'],
    ['a number beyond every count', 'version: 1\nzones: [{ name: lan, prefixes: [10.0.0.0/24], quota: 1.5e400 }]\n'],
    ['a number in place of a text', 'version: 1\nzones: [{ name: 99999999999999999999, prefixes: [10.0.0.0/24] }]\n'],
  ])('refuses %s', (_what, text) => {
    const thrown = refused(file(text));
    expect(isIpamError(thrown, 'zone/invalid')).toBe(true);
    expect(String(thrown)).toContain('zones[0]');
  });

  test.each([[5], [undefined], [null], ['']])('refuses %p in place of a path', (path) => {
    expect(refused(path as string)).toMatchObject({
      code: 'zone/invalid',
      message: expect.stringMatching(/^path: .* is not allowed; .*a text that is not empty$/) as unknown,
    });
  });

  test('names every problem in the words of the operator', () => {
    const text = 'version: 1\nzones:\n  - { name: A, prefixes: [10.0.0.1/24] }\n  - { name: b, prefix: [] }\n';
    const outcome = parseZoneText(text);
    const messages = outcome.ok ? [] : outcome.problems.map(({ message }) => message);
    expect(messages.length).toBeGreaterThan(3);
    const path = file(text);
    expect(refused(path)).toMatchObject({
      code: 'zone/invalid',
      message: `the zone file "${path}" is not valid:\n  - ${messages.join('\n  - ')}`,
    });
  });

  test.each([
    ['a syntax error', 'version: [1\n', /is not valid:\n {2}- .*line 2/],
    ['a key given twice', 'version: 1\nversion: 1\n', /is not valid:\n {2}- .*unique/],
    ['an empty file', '', /is not valid:\n {2}- /],
  ])('refuses %s', (_what, text, message) => {
    expect(refused(file(text))).toMatchObject({
      code: 'zone/invalid',
      message: expect.stringMatching(message) as string,
    });
  });

  test('says why a file cannot be read', () => {
    expect(refused('/nowhere/zones.yaml')).toMatchObject({
      code: 'zone/invalid',
      message: 'the zone file "/nowhere/zones.yaml" cannot be read (ENOENT)',
    });
  });
});
