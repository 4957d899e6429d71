import { IPAM, METALLB, METALLB_NAMESPACE } from '../../operator/contract/group';
import { POOL_WITHDRAW } from '../../operator/contract/address-pool';
import { eventually } from './support/eventually';
import { ingressOf } from './support/services';
import { useInstallation } from './support/use-installation';

const POOLS = `/apis/metallb.io/v1beta1/namespaces/${METALLB_NAMESPACE}/ipaddresspools`;
const ZONES = ['shrunk', 'deleted', 'allowed', 'foreign', 'down'].map((name, i) => ({
  name,
  prefixes: [`10.94.${String(i)}.0/25`, `10.94.${String(i)}.128/25`],
  quarantineSeconds: 1,
}));

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: { zones: ZONES },
  prepare: (control) => scene.open(control),
});
const scene = sceneIn('team');

const poolOf = (zone: string): string => `${POOLS}/${zone}`;
/** Else the policy that keeps pools refuses a delete before the operator is asked. */
const MAY_GO = { metadata: { annotations: { 'helm.sh/resource-policy': null } } };
const shrunkTo = (...addresses: string[]) => ({ spec: { addresses } });
const changed = (zone: string, change: object, query = '') =>
  plane().client.attempt('PATCH', `${poolOf(zone)}${query}`, change, 'merge');

async function served(name: string, zone: string, address: string): Promise<void> {
  await scene.create(name, { annotations: { [IPAM.zone]: zone, [IPAM.addresses]: address } });
  await scene.shows(name, address);
}

describe('FU-103 a prefix in use is taken out of a zone', () => {
  test('and refused with its holders, dry runs and other writers included; what nobody uses may go', async () => {
    await served('shop', 'shrunk', '10.94.0.200');
    const without = shrunkTo('10.94.0.0/25');
    const answers = [
      await changed('shrunk', without),
      await changed('shrunk', without, '?dryRun=All'),
      await changed('shrunk', { ...without, metadata: { labels: null } }),
      await changed('shrunk', { spec: { serviceAllocation: { namespaces: ['other'] } } }),
    ];
    const unused = await changed('shrunk', shrunkTo('10.94.0.128/25'));

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    for (const { body } of answers) expect(body.message).toMatch(/"shrunk".*10\.94\.0\.200 of Service team\/shop/u);
    expect(answers[0]?.body.message).toContain(`"${POOL_WITHDRAW}=10.94.0.128/25"`);
    expect(unused.status).toBe(200);
    expect(ingressOf(await scene.get('shop'))).toEqual(['10.94.0.200']);
  });

  test('by an apply, as kubectl and Pulumi preview it', async () => {
    await served('previewed', 'shrunk', '10.94.0.201');
    const manifest = {
      apiVersion: 'metallb.io/v1beta1',
      kind: 'IPAddressPool',
      metadata: { name: 'shrunk', namespace: METALLB_NAMESPACE },
      ...shrunkTo('10.94.0.192/29'),
    };
    const applied = scene.kubectlFile('apply', manifest, '--server-side', '--force-conflicts', '--dry-run=server');

    await expect(applied).rejects.toThrow(/10\.94\.0\.201 of Service team\/previewed/u);
  });

  test('and deleted, alone or with all, until its Services have moved', async () => {
    await served('mover', 'deleted', '10.94.1.7');
    await changed('deleted', MAY_GO);
    const [one, all] = [
      await plane().client.attempt('DELETE', poolOf('deleted')),
      await plane().client.attempt('DELETE', `${POOLS}?fieldSelector=metadata.name%3Ddeleted`),
    ];
    const dry = await plane().client.attempt('DELETE', `${poolOf('deleted')}?dryRun=All`);
    expect([one.status, dry.status, all.status]).toEqual([422, 422, 422]);
    expect(one.body.message).toMatch(
      /deleting it withdraws addresses that are in use: 10\.94\.1\.7 of Service team\/mover/u,
    );
    expect(ingressOf(await scene.get('mover'))).toEqual(['10.94.1.7']);

    await scene.remove('mover');
    await scene.holds('deleted', 0);
    expect((await plane().client.attempt('DELETE', poolOf('deleted'))).status).toBe(200);
  });

  test('although an administrator allows it by an annotation of the pool, for what it lists alone', async () => {
    await served('first', 'allowed', '10.94.2.7');
    await served('second', 'allowed', '10.94.2.207');
    await changed('allowed', { metadata: { annotations: { [POOL_WITHDRAW]: '10.94.2.0/25' } } });
    const both = await changed('allowed', shrunkTo('10.94.2.128/26'));
    const listed = await changed('allowed', shrunkTo('10.94.2.128/25'));

    expect(both.status).toBe(422);
    expect(both.body.message).toContain('10.94.2.207');
    expect(both.body.message).not.toContain('10.94.2.7 ');
    expect(listed.status).toBe(200);
  });

  test('of a Service that the record does not know, which MetalLB announces all the same', async () => {
    const annotations = { [METALLB.pool]: 'foreign', [METALLB.addresses]: '10.94.3.9' };
    const path = '/api/v1/namespaces/kube-system/services';
    const metadata = { name: 'unknown', namespace: 'kube-system', annotations };
    await plane().client.request('POST', path, { ...scene.manifest('unknown'), metadata });
    await plane().client.objectWhen(`${path}/unknown`, (service) => ingressOf(service).length > 0);
    const without = shrunkTo('10.94.3.0/29', '10.94.3.128/25');
    // the operator hears of it a moment later
    await eventually(async () => (await changed('foreign', without, '?dryRun=All')).status === 422);
    const answer = await changed('foreign', without);

    expect(answer.body.message).toContain('10.94.3.9 of Service kube-system/unknown');
  });

  test('while the operator is down: nothing waits for it', async () => {
    await served('alone', 'down', '10.94.4.7');
    await changed('down', MAY_GO);
    await operator().stop();
    expect((await plane().client.attempt('DELETE', poolOf('down'))).status).toBe(200);
  });
});
