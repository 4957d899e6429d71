import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { CLAIM_SAMPLES } from '../../support/address-claim-samples';
import type { ClusterClient, Manifest } from '../support/cluster-client';
import { eventually } from '../support/eventually';
import { synthesizedYaml, tokenFor } from '../support/installation';
import { useControlPlane } from '../support/use-control-plane';

const NAMESPACE = 'ipam-system';
const COLLECTION = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
const CLAIM = CLAIM_SAMPLES[0]?.object;

/** Everybody of these may do anything to claims as far as roles go, so that the policy alone decides. */
const claimsForAll: readonly Manifest[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'claims' },
    rules: [{ apiGroups: [ADDRESS_CLAIM.group], resources: ['*'], verbs: ['*'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'claims' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'claims' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  },
] as readonly (Manifest & Record<string, unknown>)[];

const GUARD = [
  'Namespace',
  'ServiceAccount',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

const plane = useControlPlane({
  prepare: async ({ client, folder }) => {
    const { objects } = synthesizedYaml(folder);
    await client.apply([...objects.filter(({ kind }) => GUARD.includes(kind)), ...claimsForAll]);
    // the API server takes a policy up a moment after it is stored
    await eventually(async () => (await client.attempt('POST', `${COLLECTION}?dryRun=All`, CLAIM)).status === 403);
  },
});

const operator = async (): Promise<ClusterClient> =>
  plane().client.as(await tokenFor(plane(), NAMESPACE, 'ipam-controller-manager'));

describe('the policy that guards claims', () => {
  test('lets the operator create, change and delete', async () => {
    const client = await operator();
    const path = `${COLLECTION}/${CLAIM?.metadata.name ?? ''}`;
    await client.request('POST', COLLECTION, CLAIM);
    const changed = await client.request('PATCH', path, { spec: { labels: { site: 'edge-1' } } }, 'merge');
    await client.request('DELETE', path);

    expect(changed.spec?.['labels']).toEqual({ site: 'edge-1' });
  });

  test('refuses a cluster administrator to create, change and delete, and says who may', async () => {
    const path = `${COLLECTION}/${CLAIM?.metadata.name ?? ''}`;
    const client = await operator();
    await client.request('POST', COLLECTION, CLAIM);
    const answers = [
      await plane().client.attempt('POST', COLLECTION, CLAIM),
      await plane().client.attempt('PATCH', path, { spec: { labels: { site: 'edge-2' } } }, 'merge'),
      await plane().client.attempt('DELETE', path),
      await plane().client.attempt('DELETE', COLLECTION),
    ];
    await client.request('DELETE', path);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(answers.map(({ body }) => body.message)).toEqual(
      answers.map((): unknown =>
        expect.stringMatching(/only ipam-system\/ipam-controller-manager writes .*ipam-break-glass/),
      ),
    );
  });

  test('lets a member of the break-glass group change one by hand', async () => {
    const file = join(plane().folder, 'claim.json');
    writeFileSync(file, JSON.stringify(CLAIM));
    const night = ['--as=night', '--as-group=ipam-break-glass', '--as-group=system:authenticated'];
    const created = await plane().kubectl('create', '-f', file, ...night);
    const deleted = await plane().kubectl('delete', '-f', file, ...night);

    expect([created, deleted]).toEqual([expect.stringContaining('created'), expect.stringContaining('deleted')]);
  });
});
