import { setTimeout } from 'node:timers/promises';
import * as kubernetes from '@pulumi/kubernetes';
import { IpamService, type IpamServiceArgs } from '../../infra';
import { IPAM } from '../../operator/contract/group';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { PulumiEngine, type EngineStack, type Run } from './support/pulumi-engine';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const SERVICES = '/api/v1/namespaces/default/services';
const LOOK_MS = 50;

let engine: PulumiEngine;
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager', 'pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control, {
      zones: [
        { name: 'inet', prefixes: ['83.118.168.0/24'] },
        { name: 'lan', prefixes: ['172.16.0.0/24'] },
      ],
      services: { defaultZone: 'inet' },
    });
    operator = await startOperator(control);
    engine = new PulumiEngine(control);
  },
});

const web = (args: Partial<IpamServiceArgs>): Promise<EngineStack> =>
  engine.stack('web', () => {
    const service = new IpamService('web', { ports: [{ port: 80 }], timeoutSeconds: 40, ...args });
    const record = new kubernetes.core.v1.ConfigMap('record', {
      metadata: { name: 'dns-record', namespace: 'default' },
      data: { A: service.address },
    });
    return Promise.resolve({ address: service.address, record: record.data });
  });

/** What became of the Service, and whether it is still the same object. */
async function after(args: Partial<IpamServiceArgs>) {
  const run = await (await web(args)).up();
  const { metadata } = await plane().client.request('GET', `${SERVICES}/web`);
  const address = run.outputs['address']?.value as string;
  expect(run.outputs['record']?.value).toEqual({ A: address });
  return { ops: ofService(run), address, uid: metadata.uid };
}

const ofService = ({ steps }: Run): readonly string[] =>
  steps.filter(({ type }) => type === 'kubernetes:core/v1:Service').map(({ op }) => op);

describe('another zone of a Service', () => {
  test('replaces it delete-first, as the preview tells, and its address is a new one', async () => {
    const first = await after({ zone: 'inet' });
    const preview = await (await web({ zone: 'lan' })).preview();
    const moved = await after({ zone: 'lan' });

    expect(first.address).toMatch(/^83\.118\.168\./u);
    expect(ofService(preview)).toContain('replace');
    expect(moved.ops.indexOf('delete-replaced')).toBeLessThan(moved.ops.indexOf('create-replacement'));
    expect(moved.ops).toContain('create-replacement');
    expect(moved.address).toMatch(/^172\.16\.0\./u);
    expect((await (await web({ zone: 'lan' })).refresh()).steps.filter(({ op }) => op !== 'refresh')).toEqual([]);
    expect(await (await web({ zone: 'lan' })).preview()).toMatchObject({ steps: [] });
  }, 300_000);

  test('moves it in place with an address of that zone, or with the key of the addresses emptied once', async () => {
    const before = await after({ zone: 'lan' });
    const fixed = await after({ zone: 'inet', addresses: ['83.118.168.77'] });
    const emptied = await after({ zone: 'lan', annotations: { [IPAM.addresses]: '' } });
    const again = await after({ zone: 'lan' });

    expect([fixed, emptied, again].map(({ ops }) => ops)).toEqual([['update'], ['update'], ['update']]);
    expect([fixed, emptied, again].map(({ uid }) => uid)).toEqual([before.uid, before.uid, before.uid]);
    expect(fixed.address).toBe('83.118.168.77');
    expect(emptied.address).toMatch(/^172\.16\.0\./u);
    expect(again.address).toBe(emptied.address);
  }, 300_000);

  test('stays what it is where none is given any more', async () => {
    const before = await after({ zone: 'lan' });

    expect(await after({})).toEqual({ ...before, ops: ['update'] });
    expect((await after({ zone: 'inet' })).ops).toContain('create-replacement');
  }, 300_000);

  test('replaces it too where its fixed address was dropped, which it keeps until then', async () => {
    const fixed = await after({ zone: 'inet', addresses: ['83.118.168.78'] });
    const dropped = await after({ zone: 'inet' });
    const moved = await after({ zone: 'lan' });
    await (await web({ zone: 'lan' })).destroy();

    expect(dropped).toEqual({ ops: ['update'], address: '83.118.168.78', uid: fixed.uid });
    expect(moved.ops).toContain('create-replacement');
    expect(moved.address).toMatch(/^172\.16\.0\./u);
  }, 300_000);
});

describe('two Services that share an address', () => {
  const ADDRESS = '83.118.168.99';
  const PORTS = { blue: 80, green: 81 };
  const both = (...names: readonly (keyof typeof PORTS)[]): Promise<EngineStack> =>
    engine.stack('handover', () => {
      const shared = { zone: 'inet', addresses: [ADDRESS], allowLocalSharedIp: 'shop', timeoutSeconds: 40 };
      for (const name of names) new IpamService(name, { ...shared, ports: [{ port: PORTS[name] }] });
      return Promise.resolve({});
    });

  /** Looks all the time who shows the address. */
  async function showing(work: Promise<unknown>): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    const over = new AbortController();
    const worked = work.finally(() => {
      over.abort();
    });
    while (!over.signal.aborted) {
      const { items = [] } = await plane().client.request('GET', SERVICES);
      const owners = items.filter((service) => ingressOf(service).includes(ADDRESS));
      seen.add(owners.map(({ metadata }) => metadata.name).join(' and '));
      await setTimeout(LOOK_MS);
    }
    await worked;
    return seen;
  }

  test('hand it over: the second one joins, the first one is dropped, and there is no moment without an owner', async () => {
    await (await both('blue')).up();
    const joined = await showing((await both('blue', 'green')).up());
    const dropped = await showing((await both('green')).up());

    expect([...joined]).toEqual(['blue', 'blue and green']);
    expect([...dropped]).toEqual(['blue and green', 'green']);
    expect(await (await both('green')).preview()).toMatchObject({ steps: [] });
    expect(operator.log()).not.toMatch(/"level":"(?:error|fatal)"/u);
    await (await both('green')).destroy();
  }, 300_000);
});
