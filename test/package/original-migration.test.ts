import { NAMES } from '../../constructs/objects/names';
import { EXCLUDED_NAMESPACES, IPAM, ORIGINAL_EXCLUDED_NAMESPACES } from '../../operator/contract/group';
import { parseServiceAnnotations } from '../../operator/contract/service-annotations';
import { POOL_SINGLE_ADDRESSES } from '../../operator/contract/address-pool';
import { OPTIONS } from '../../operator/settings/options';
import { blocksOf, commandsIn, textOf } from '../support/documents';

const PAGE = 'operator/cli/original/README.md';
const [, changes = ''] = textOf(PAGE).split('## What changes for users');
const [table = '', leftOver = ''] = changes.split('Left over from the original');

describe('the page on migration from the original', () => {
  test.each([
    ['the sharing key', IPAM.allowLocalSharedIp],
    ['the default secret', 'inside the namespace'],
    ['classes', 'services.loadBalancerClasses'],
    ['the policy of families', 'ipFamilyPolicy'],
    ['unknown keys', 'unknown keys'],
    ['the default zone', 'services.defaultZone'],
    ['the port of metrics', OPTIONS.healthProbeBindAddress.flag],
    ['zones with selectors over version 2', 'over version 2 such a zone is closed'],
    ['https', '`https://` alone'],
  ])('FU-45 tells users what changes: %s', (_what, word) => {
    expect(table).toContain(word);
  });

  test('FU-45 is right about unknown keys, the port of metrics and the namespaces that were left out', () => {
    expect(parseServiceAnnotations({ 'ipam.vitistack.io/zome': 'inet' }).problems).toHaveLength(1);
    expect(table).toContain(OPTIONS.healthProbeBindAddress.default.replace(':', '('));
    expect(table).toContain(`leave ${EXCLUDED_NAMESPACES.length + ORIGINAL_EXCLUDED_NAMESPACES.length} namespaces out`);
  });

  test('FU-45 calls nothing left over that this operator has, too', () => {
    const named = [...leftOver.matchAll(/`([\w./-]+)`/gu)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => (Object.values(NAMES) as readonly string[]).includes(name))).toEqual([]);
  });

  test('FU-42 tells how pools are rewritten for a rollback', () => {
    const commands = blocksOf(PAGE).flatMap(({ code }) => commandsIn(code));
    expect(commands.join('\n')).toContain(`${POOL_SINGLE_ADDRESSES}=true`);
  });
});
