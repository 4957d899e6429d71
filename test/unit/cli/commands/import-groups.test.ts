import { writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { CliOperator } from '../../../support/cli-operator';

const operator = new CliOperator('version: 1\nzones: []\n');
afterAll(() => operator.dispose());

const mapping = (name: string, segment: string) => ({
  apiVersion: 'paas.org/v1',
  kind: 'GroupSegmentMapping',
  metadata: { name, uid: 'u' },
  spec: { keepalivedGroup: 'k', segment, excludedIPs: [] },
});

async function importGroups(items: readonly object[], ...more: string[]) {
  const file = operator.at('mappings.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return operator.run(['import-groups', file, ...more]);
}

test('VIP-T64 writes manifests for kubectl', async () => {
  const { code, out } = await importGroups([mapping('a', '1.1.1.0/29'), mapping('b', '1.1.2.0/29')]);
  expect(code).toBe(0);
  expect([...parseAllDocuments(out)].map((each) => each.toJS() as unknown)).toEqual(
    [
      ['a', '1.1.1.0/29'],
      ['b', '1.1.2.0/29'],
    ].map(([name, segment]) => ({
      apiVersion: 'paas.org/v1',
      kind: 'IPGroup',
      metadata: { name },
      spec: { segment, excludedIPs: [] },
    })),
  );
});

test('VIP-T64 tells what the API server will refuse, and refuses a file without any', async () => {
  const broken = await importGroups([mapping('a', 'foo')], '--output', 'json');
  expect([broken.code, broken.err]).toEqual([5, expect.stringContaining('the API server will refuse a: spec.segment')]);
  expect(JSON.parse(broken.out)).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'a' } }] });
  const none = await importGroups([{ kind: 'ConfigMap' }]);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('no GroupSegmentMapping is in it')]);
});
