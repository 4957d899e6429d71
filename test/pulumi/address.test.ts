import * as kubernetes from '@pulumi/kubernetes';
import { IpamService, type IpamServiceArgs } from '../../infra';
import { IPAM } from '../../operator/contract/group';
import { ApiProxy } from '../cluster/support/api-proxy';
import { PulumiEngine, type EngineStack, type Update } from './support/pulumi-engine';
import { ingressOf } from '../cluster/support/services';
import { useInstallation } from '../cluster/support/use-installation';

const SERVICES = '/api/v1/namespaces/default/services';

let engine: PulumiEngine;
let proxy: ApiProxy;
const { plane, operator } = useInstallation({
  props: {
    zones: [
      { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] },
      { name: 'lan', prefixes: ['172.16.0.0/24'] },
    ],
    zonePools: 'claims',
    whenUnavailable: 'admit',
  },
  programs: ['pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    proxy = await ApiProxy.start(control);
    engine = new PulumiEngine({ ...control, kubeconfig: proxy.kubeconfigOf('pulumi', control.token) });
  },
});

const web = (args: Partial<IpamServiceArgs>): Promise<EngineStack> =>
  engine.stack('web', () => {
    const service = new IpamService('web', { zone: 'inet', ports: [{ port: 80 }], timeoutSeconds: 60, ...args });
    const record = new kubernetes.core.v1.ConfigMap('record', {
      metadata: { name: 'dns-record', namespace: 'default' },
      data: { A: service.addresses.apply((all) => all.join(' ')) },
    });
    return Promise.resolve({ addresses: service.addresses, record: record.data });
  });

/** The addresses of the program, and those of the Service at the very end of the run. */
async function addressesOf(run: Promise<Update>) {
  const { outputs, steps } = await run;
  const live = await plane().client.request('GET', `${SERVICES}/web`);
  const ops = steps.filter(({ type }) => type === 'kubernetes:core/v1:Service').map(({ op }) => op);
  const output = outputs['addresses']?.value as readonly string[];
  expect(outputs['record']?.value).toEqual({ A: output.join(' ') });
  return { ops, output, live: ingressOf(live).toSorted() };
}

async function up(args: Partial<IpamServiceArgs>) {
  return addressesOf((await web(args)).up());
}

/** The same while the cache of the API server still has the Service of before. */
async function upBehind(args: Partial<IpamServiceArgs>) {
  await proxy.fallBehind(SERVICES);
  const after = await up(args);
  expect(proxy.catchUp()).toBeGreaterThan(0);
  return after;
}

const FIRST = { addresses: ['83.118.168.11'] };
const SECOND = { addresses: ['83.118.168.12'] };
const THIRD = { addresses: ['83.118.168.13'] };

describe('the Outputs of a Service that is changed in place', () => {
  test('are its addresses although the provider first sees the Service of before', async () => {
    await up(FIRST);
    const moved = await upBehind(SECOND);
    const dual = await upBehind({ ...SECOND, ipFamily: 'dual' });
    const kept = await upBehind({ ...SECOND, ipFamily: 'dual', retentionPeriodDays: 2 });
    const single = await upBehind({ ...SECOND, ipFamily: 'ipv4', ipFamilyPolicy: 'SingleStack' });

    expect(moved).toEqual({ ops: ['update'], output: SECOND.addresses, live: SECOND.addresses });
    expect(dual.output).toEqual([...SECOND.addresses, expect.stringMatching(/^2a05:1234::/u)]);
    expect(dual.live.toSorted()).toEqual(dual.output.toSorted());
    expect(kept).toEqual({ ...dual, ops: ['update'] });
    expect(single).toEqual({ ops: ['update'], output: SECOND.addresses, live: SECOND.addresses });
  }, 300_000);

  test('are what the operator gives that was away while the Service was changed', async () => {
    await up(SECOND);
    await operator().kill('SIGKILL');
    const run = (await web(THIRD)).up();
    const { client } = plane();
    const stored = await client.objectWhen(
      `${SERVICES}/web`,
      ({ metadata }) => metadata.annotations?.[IPAM.addresses] === THIRD.addresses[0],
    );
    await operator().restart();

    expect(ingressOf(stored)).toEqual(SECOND.addresses);
    expect(await addressesOf(run)).toEqual({ ops: ['update'], output: THIRD.addresses, live: THIRD.addresses });
  }, 300_000);

  test('are those of the other zone where the operator was away while the Service was moved', async () => {
    await operator().kill('SIGKILL');
    const run = (await web({ zone: 'lan', annotations: { [IPAM.addresses]: '' } })).up();
    const { client } = plane();
    await client.objectWhen(`${SERVICES}/web`, ({ metadata }) => metadata.annotations?.[IPAM.zone] === 'lan');
    await operator().restart();
    const { output, live } = await addressesOf(run);

    expect(output).toEqual([expect.stringMatching(/^172\.16\.0\./u)]);
    expect(live).toEqual(output);
    expect(await up({ zone: 'lan' })).toEqual({ ops: ['update'], output, live });
    await (await web({ zone: 'lan' })).destroy();
  }, 300_000);
});
