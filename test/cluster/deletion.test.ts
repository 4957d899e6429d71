import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM, WEBHOOK_NAMES } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { deleteKept } from './support/delete-kept';
import { eventually } from './support/eventually';
import { applyInstallation, type SynthesizedYaml } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const PROPS: Partial<IpamOperatorProps> = {
  zones: ['down', 'secret', 'order', 'own'].map((name, i) => ({
    name,
    prefixes: [`10.72.${String(i)}.0/24`],
    quarantineSeconds: 1,
  })),
};
const WITHIN_A_MINUTE = 60_000;

let yaml: SynthesizedYaml;
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    yaml = await applyInstallation(control, PROPS);
    operator = await startOperator(control, { args: { 'shutdown-delay': '0' } });
    await scene.open();
  },
});

const sceneIn = (namespace: string): ServiceScene => new ServiceScene({ plane, operator: () => operator, namespace });
const scene = sceneIn('a');
const inZone = (zone: string) => ({ annotations: { [IPAM.zone]: zone } });

/** Deletes a namespace and waits until nothing is left of it. */
async function endNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await plane().client.request('DELETE', path);
  await untilGone(path);
}

const untilGone = (path: string) => plane().client.watchUntil(path, (all) => all.length === 0, WITHIN_A_MINUTE);

async function configurations(): Promise<readonly KubeObject[]> {
  const { mutatingConfiguration, validatingConfiguration } = WEBHOOK_NAMES;
  const paths = [
    `mutatingwebhookconfigurations/${mutatingConfiguration}`,
    `validatingwebhookconfigurations/${validatingConfiguration}`,
  ];
  return Promise.all(
    paths.map((path) => plane().client.request('GET', `/apis/admissionregistration.k8s.io/v1/${path}`)),
  );
}

describe('while the operator is down', () => {
  test('CONC-01 what is deleted is released at the next start, and nothing else moves', async () => {
    const names = ['d0', 'd1', 'd2', 'd3'];
    for (const name of names) await scene.create(name, inZone('down'));
    for (const name of names) await scene.ready(name);
    await operator.kill('SIGKILL');
    await scene.remove('d0');
    await scene.remove('d2');
    const before = await Promise.all(['d1', 'd3'].map((name) => scene.get(name)));
    await operator.restart();
    await scene.holds('down', 2);

    expect(await Promise.all(['d1', 'd3'].map((name) => scene.get(name)))).toEqual(before);
  });

  test('a namespace ends although the Secret of its Services is gone first, and their addresses come back', async () => {
    const short = sceneIn('short');
    await short.open();
    await short.secret('mine', 'only-mine-in-short');
    for (const name of ['one', 'two']) {
      await short.create(name, { annotations: { [IPAM.zone]: 'secret', [IPAM.secret]: 'mine' } });
      await short.ready(name);
    }
    await operator.kill('SIGKILL');
    await plane().client.request('DELETE', '/api/v1/namespaces/short/secrets/mine');
    await endNamespace('short');
    await operator.restart();
    await scene.holds('secret', 0);

    expect(operator.log()).not.toContain('only-mine-in-short');
  });
});

describe('an end in the wrong order', () => {
  test('DEL-01 without the operator Services and namespaces go away, and the next installation frees what they had', async () => {
    const team = sceneIn('team');
    await team.open();
    await team.create('web', inZone('order'));
    await team.create('left', inZone('order'));
    const web = await team.ready('web');
    await team.ready('left');
    await operator.stop();
    const deployments = '/apis/apps/v1/namespaces/ipam-system/deployments';
    await plane().client.request('DELETE', `${deployments}/ipam-controller-manager`);
    await team.remove('web');
    await endNamespace('team');
    await applyInstallation(plane(), PROPS);
    await operator.restart();
    await scene.holds('order', 0);

    expect(web.metadata.finalizers ?? []).toEqual([]);
  });

  test('DEL-02 the namespace of the operator ends, nothing but new LoadBalancers waits for it, and addresses stay', async () => {
    const { kubectl, folder } = plane();
    await scene.create('stays', inZone('own'));
    await scene.create('goes', inZone('own'));
    const stays = ingressOf(await scene.ready('stays'));
    await scene.ready('goes');
    await operator.stop();
    const claim = '/api/v1/namespaces/ipam-system/persistentvolumeclaims/ipam-data';
    await plane().client.request('PATCH', claim, { metadata: { finalizers: null } }, 'merge'); // no controller of claims here
    const system = '/api/v1/namespaces/ipam-system';

    await expect(plane().client.request('DELETE', system)).rejects.toThrow('take its annotation');

    await deleteKept(plane().client, system);
    await untilGone(system);
    const rules = (await configurations()).map(({ webhooks }) => JSON.stringify(webhooks?.[0]?.['rules']));
    await scene.remove('goes');
    await scene.create('inside', { spec: { type: 'ClusterIP' } });
    await expect(scene.create('web', inZone('own'))).rejects.toThrow('mservice-v1.kb.io');

    expect(rules.join()).toContain('"CREATE","UPDATE"');
    expect(rules.join()).not.toContain('DELETE');
    expect(ingressOf(await scene.get('stays'))).toEqual(stays);

    // the rest of the installation goes with its manifest; pools stay until the policy that keeps them is gone
    const everything = ['delete', '--ignore-not-found', '-f', yaml.file];
    await expect(kubectl(...everything)).rejects.toThrow('so it stays when the rest is deleted');
    // the API server forgets a policy some moments after its deletion
    await eventually(() => kubectl(...everything));
    await scene.create('unserved', { spec: { loadBalancerClass: 'example.com/none' } });
    await expect(configurations()).rejects.toThrow('404');

    // a new installation has an empty volume
    rmSync(join(folder, 'volumes'), { recursive: true });
    await applyInstallation(plane(), PROPS);
    operator = await startOperator(plane(), { name: 'again', args: { 'shutdown-delay': '0' } });
    await scene.shows('stays', ...stays);
    await scene.create('next', inZone('own'));
    const next = ingressOf(await scene.ready('next'));

    expect(next).toHaveLength(1);
    expect(next).not.toEqual(stays);
    expect(await scene.held('own')).toBe(2);
  });
});
