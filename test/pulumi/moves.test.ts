import { setTimeout } from 'node:timers/promises';
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { IpamService, type IpamServiceArgs } from '../../infra';
import { PulumiEngine, type EngineStack, type Run } from './support/pulumi-engine';
import { IPAM } from '../../operator/contract/group';
import { eventually } from '../cluster/support/eventually';
import { ingressOf, isReady } from '../cluster/support/services';
import { useInstallation } from '../cluster/support/use-installation';

const SERVICES = '/api/v1/namespaces/default/services';
const LOOK_MS = 50;

let engine: PulumiEngine;
const { plane, operator } = useInstallation({
  props: {
    zones: [
      { name: 'inet', prefixes: ['83.118.168.0/24'] },
      { name: 'lan', prefixes: ['172.16.0.0/24'] },
      // its edges alone are left, which are not chosen
      { name: 'full', prefixes: ['172.17.0.0/30'], excluded: ['172.17.0.1-172.17.0.2'], edgeAddresses: 'avoid' },
    ],
    services: { defaultZone: 'inet' },
  },
  programs: ['pulumi', 'pulumi-resource-kubernetes'],
  prepare: (control) => {
    engine = new PulumiEngine(control);
    return Promise.resolve();
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

/** Tells the fate of the Service, and whether it is still the same object. */
async function after(args: Partial<IpamServiceArgs>) {
  const run = await (await web(args)).up();
  const { metadata } = await plane().client.request('GET', `${SERVICES}/web`);
  const address = run.outputs['address']?.value as string;
  expect(run.outputs['record']?.value).toEqual({ A: address });
  return { ops: ofService(run), address, uid: metadata.uid };
}

const ofService = ({ steps }: Run): readonly string[] =>
  steps.filter(({ type }) => type === 'kubernetes:core/v1:Service').map(({ op }) => op);

describe('FU-100 another zone of a Service', () => {
  test('moves it in place, as the preview tells, and the old address is announced until the new one is', async () => {
    const first = await after({ zone: 'inet' });
    const preview = await (await web({ zone: 'lan' })).preview();
    const shown = await addressesWhile(after({ zone: 'lan' }));
    const { items = [] } = await plane().client.request('GET', SERVICES);

    expect(first.address).toMatch(/^83\.118\.168\./u);
    expect(ofService(preview)).toEqual(['update']);
    expect(items.find(({ metadata }) => metadata.name === 'web')?.metadata.uid).toBe(first.uid);
    expect(shown[0]).toBe(first.address);
    expect(shown.at(-1)).toMatch(/^172\.16\.0\./u);
    expect(shown).not.toContain('');
    expect((await (await web({ zone: 'lan' })).refresh()).steps.filter(({ op }) => op !== 'refresh')).toEqual([]);
    expect(await (await web({ zone: 'lan' })).preview()).toMatchObject({ steps: [] });
  }, 300_000);

  test('that does not exist, or is full, is refused, and the running Service keeps its address', async () => {
    const before = await after({ zone: 'inet' });
    for (const zone of ['lna', 'full']) {
      await expect((await web({ zone })).up()).rejects.toThrow(zone);
      const { metadata, status } = await plane().client.request('GET', `${SERVICES}/web`);
      expect(metadata.uid).toBe(before.uid);
      expect(ingressOf({ metadata, status } as never)).toEqual([before.address]);
    }
    // the provider's dry run reaches the webhook
    await expect((await web({ zone: 'lna' })).preview()).rejects.toThrow(/lna/u);
    expect((await after({ zone: 'inet' })).address).toBe(before.address);
  }, 300_000);

  test('moves it in place with an address of that zone, too, and stays where none is given any more', async () => {
    const before = await after({ zone: 'lan' });
    const fixed = await after({ zone: 'inet', addresses: ['83.118.168.77'] });
    const dropped = await after({ zone: 'inet' });
    const moved = await after({ zone: 'lan' });
    const unnamed = await after({});

    for (const each of [fixed, dropped, moved, unnamed])
      expect(each).toMatchObject({ ops: ['update'], uid: before.uid });
    expect([fixed.address, dropped.address]).toEqual(['83.118.168.77', '83.118.168.77']);
    expect(moved.address).toMatch(/^172\.16\.0\./u);
    expect(unnamed.address).toBe(moved.address);
    await (await web({})).destroy();
  }, 300_000);
});

describe('FU-101 twelve Services that change what has nothing to do with their address', () => {
  const many = (port: number): Promise<EngineStack> =>
    engine.stack('many', () => {
      const label = pulumi.output(`v${String(port)}`);
      const addresses = Array.from({ length: 12 }, (_, i) => {
        const service = new IpamService(`many-${String(i)}`, {
          zone: 'inet',
          ports: [{ port }],
          labels: { version: label },
          timeoutSeconds: 60,
        });
        return service.service.spec.ports.apply((ports) => ports[0]?.port);
      });
      return Promise.resolve({ ports: pulumi.all(addresses) });
    });

  test('have no stale Output, and the second preview is empty', async () => {
    await (await many(80)).up();
    const changed = await (await many(81)).up();

    expect(changed.outputs['ports']?.value).toEqual(Array.from({ length: 12 }, () => 81));
    expect(await (await many(81)).preview()).toMatchObject({ steps: [] });
    await (await many(81)).destroy();
  }, 400_000);
});

describe('FU-102 one Service in two stacks', () => {
  const sharing = (stack: string): Promise<EngineStack> =>
    engine.stack(stack, () => {
      new IpamService('claimed', { zone: 'inet', ports: [{ port: 80 }], timeoutSeconds: 40 });
      return Promise.resolve({});
    });

  test('is refused to the second one, which takes nothing and deletes nothing', async () => {
    await (await sharing('owner')).up();
    const { metadata } = await plane().client.request('GET', `${SERVICES}/claimed`);
    await expect((await sharing('thief')).up()).rejects.toThrow(/cdk8s-ipam\/stack/u);
    await (await sharing('thief')).destroy();

    const now = await plane().client.request('GET', `${SERVICES}/claimed`);
    expect(now.metadata.uid).toBe(metadata.uid);
    expect(now.metadata.annotations).toEqual(metadata.annotations);
    await (await sharing('owner')).destroy();
  }, 300_000);
});

describe('FU-104 a component of another name or parent', () => {
  interface Shape {
    readonly name: string;
    readonly inTeam?: boolean;
    readonly aliases?: pulumi.Alias[];
  }
  const kept = ({ name, inTeam = false, aliases = [] }: Shape): Promise<EngineStack> =>
    engine.stack('kept', () => {
      const parent = inTeam ? { parent: new pulumi.ComponentResource('example:index:Team', 'blue') } : {};
      const args = { name: 'kept', zone: 'inet', ports: [{ port: 80 }], timeoutSeconds: 40 };
      new IpamService(name, args, { ...parent, aliases });
      return Promise.resolve({});
    });
  const stored = async () => (await plane().client.request('GET', `${SERVICES}/kept`)).metadata.uid;

  test('is refused before the one Service is deleted, and taken for the same one with aliases', async () => {
    await (await kept({ name: 'kept' })).up();
    const uid = await stored();
    for (const shape of [{ name: 'other' }, { name: 'kept', inTeam: true }]) {
      await expect((await kept(shape)).up()).rejects.toThrow(/cdk8s-ipam\/component/u);
      expect(await stored()).toBe(uid);
    }
    expect(await (await kept({ name: 'kept' })).up()).toBeDefined();
    const root = pulumi.rootStackResource;
    for (const shape of [
      { name: 'other', aliases: [{ name: 'kept' }] },
      { name: 'other', inTeam: true, aliases: [{ parent: root }] },
      { name: 'other', inTeam: true },
    ]) {
      await (await kept(shape)).up();
      expect(await stored()).toBe(uid);
    }
    await (await kept({ name: 'other', inTeam: true })).destroy();
  }, 300_000);
});

describe('a Service that others have written', () => {
  const shared = (retentionPeriodDays: number): Promise<EngineStack> =>
    engine.stack('shared', () => {
      const args = { zone: 'inet', ports: [{ port: 80 }], retentionPeriodDays, timeoutSeconds: 40 };
      new IpamService('shared', args);
      return Promise.resolve({});
    });
  const at = `${SERVICES}/shared`;

  test('FU-106 comes under an IpamService by up alone, with its address', async () => {
    const annotations = { [IPAM.zone]: 'inet', [IPAM.retentionPeriodDays]: '1' };
    await plane().client.request('POST', SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shared', annotations },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    const before = await eventually(async () => {
      const found = await plane().client.request('GET', at);
      return isReady(found) ? found : undefined;
    });
    const run = await (await shared(1)).up();
    const now = await plane().client.request('GET', at);
    expect(ofService(run)).toEqual(['create']);
    expect(now.metadata.uid).toBe(before.metadata.uid);
    expect(ingressOf(now)).toEqual(ingressOf(before));
    expect(await (await shared(1)).preview()).toMatchObject({ steps: [] });
  }, 300_000);

  test('FU-111 shows what was changed by hand after a refresh alone, as a conflict that ends when it is undone', async () => {
    const byHand = (value: string): Promise<unknown> =>
      plane().client.request(
        'PATCH',
        at,
        { metadata: { annotations: { [IPAM.retentionPeriodDays]: value } } },
        'merge',
      );
    await byHand('9');
    expect(ofService(await (await shared(1)).preview())).toEqual([]);
    await (await shared(1)).refresh();
    await expect((await shared(1)).preview()).rejects.toThrow(/conflict with .*retention-period-days/u);
    await byHand('1');
    expect(ofService(await (await shared(1)).up())).toEqual(['update']);
    expect(await (await shared(1)).preview()).toMatchObject({ steps: [] });
    await (await shared(1)).destroy();
  }, 300_000);
});

/** Every address that the Service shows while something happens, in order. */
async function addressesWhile(work: Promise<unknown>): Promise<readonly string[]> {
  const seen: string[] = [];
  const over = new AbortController();
  const worked = work.finally(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    const { body, status } = await plane().client.attempt('GET', `${SERVICES}/web`);
    const shown = status === 200 ? ingressOf(body).join() : 'gone';
    if (seen.at(-1) !== shown) seen.push(shown);
    await setTimeout(LOOK_MS);
  }
  await worked;
  return seen;
}

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
    expect(operator().log()).not.toMatch(/"level":"(?:error|fatal)"/u);
    await (await both('green')).destroy();
  }, 300_000);
});
