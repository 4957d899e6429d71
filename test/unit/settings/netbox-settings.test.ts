import { parseSettings } from '../../../operator/settings/parse-settings';

const GOOD = ['--netbox-url=https://netbox.example.com', '--netbox-token-file=/t', '--zone-pools=claims'];

function problems(...argv: readonly string[]): readonly string[] {
  const parsed = parseSettings({ argv, env: {} });
  return parsed.ok ? [] : parsed.problems.map(({ message }) => message);
}

describe('netboxProblems', () => {
  test.each([
    ['nothing', []],
    ['NetBox with what it needs', GOOD],
    ['a path in front of NetBox', [...GOOD.slice(1), '--netbox-url=https://tools.example.com/netbox/']],
    ['NetBox beside us', [...GOOD.slice(1), '--netbox-url=http://127.0.0.1:8000']],
    ['any pools without a cluster', [...GOOD.slice(0, 2), '--standalone']],
  ])('takes %s', (_name, argv) => {
    expect(problems(...argv)).toEqual([]);
  });

  test.each([
    ['no token', [GOOD[0] ?? '', '--zone-pools=claims'], '--netbox-token-file: is needed with --netbox-url'],
    ['pools of prefixes', GOOD.slice(0, 2), '--zone-pools: "prefixes" is not possible with --netbox-url'],
    ['plain HTTP', [...GOOD.slice(1), '--netbox-url=http://netbox'], '"http://netbox" is not a URL with https://'],
    ['the API in the URL', [...GOOD.slice(1), '--netbox-url=https://n/api/'], '"https://n/api/" ends with /api'],
    ['a query', [...GOOD.slice(1), '--netbox-url=https://n/?a=b'], 'has a query or fragment'],
    ['a field without a value', [...GOOD, '--netbox-fields=domain'], '"domain" is not a custom field with its value'],
  ])('refuses %s', (_name, argv, message) => {
    expect(problems(...argv)).toEqual([expect.stringContaining(message)]);
  });

  test('refuses the store remote, whose IPAM-API keeps NetBox itself', () => {
    const all = problems(...GOOD, '--store=remote', '--ipam-api-url=https://ipam.example.com', '--ipam-api-version=2');
    expect(all).toContainEqual(expect.stringContaining('--store: "remote" is not possible with --netbox-url'));
  });

  test('never quotes a URL that holds a login', () => {
    const all = problems(...GOOD.slice(1), '--netbox-url=https://me:hidden@netbox.example.com');
    expect(all).toEqual(['--netbox-url: a URL must not hold a login; give the token as a file']);
  });
});
