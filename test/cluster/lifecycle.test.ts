import { setTimeout as pause } from 'node:timers/promises';
import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB, WAITING_POOL } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { applyInstallation } from './support/installation';
import type { Wanted } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useInstallation } from './support/use-installation';

/** Zones that a test changes: name and prefixes. */
type Prefixes = Readonly<Record<string, readonly string[]>>;

const PREFIXES: Prefixes = {
  plain: ['10.94.0.0/24', 'fd00:94::/112'],
  told: ['10.94.1.0/32'],
  moves: ['10.94.2.0/24'],
  fought: ['10.94.3.0/24'],
  git: ['10.94.4.0/24'],
  widened: ['10.94.5.120/29'],
  parents: ['10.94.6.1/32', '10.94.6.2/32'],
  single: ['10.94.7.0/32'],
  wishes: ['10.94.8.0/24', 'fd00:94:8::/112'],
};

function props(prefixes: Prefixes = {}): Partial<IpamOperatorProps> {
  const plain = Object.entries({ ...PREFIXES, ...prefixes }).map(([name, each]) => ({
    name,
    prefixes: each,
    quarantineSeconds: 1,
  }));
  const tenant = { name: 'tenant-b', prefixes: ['10.0.10.24/29'], namespaces: { matchLabels: { tenant: 'b' } } };
  return {
    zones: [...plain, tenant],
    services: { defaultZone: 'plain' },
    zonePools: 'claims',
    whenUnavailable: 'admit',
  };
}

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: props(),
  start: { args: { 'shutdown-delay': '0' } },
  audit: true,
  prepare: () => scene.open(),
});
const scene = sceneIn('a');
const inZone = (zone: string, addresses?: string): Wanted => ({
  annotations: { [IPAM.zone]: zone, ...(addresses === undefined ? {} : { [IPAM.addresses]: addresses }) },
});

describe('a Service', () => {
  test('that says nothing has an address of the default zone, from admission to MetalLB', async () => {
    const admitted = await scene.create('plain');
    expect(admitted.metadata.annotations).toEqual({
      [IPAM.addresses]: '10.94.0.0',
      [IPAM.ipFamily]: 'ipv4',
      [IPAM.zone]: 'plain',
      [IPAM.secret]: 'default',
      [IPAM.retentionPeriodDays]: '0',
      [IPAM.denyExternalCleanup]: 'false',
      [METALLB.addresses]: '10.94.0.0',
      [METALLB.pool]: 'plain',
    });
    const served = await scene.shows('plain', '10.94.0.0');
    expect(conditionOf(served)).toMatchObject({
      status: 'True',
      reason: 'Bound',
      message: '"10.94.0.0" of zone "plain" is bound to this Service',
    });
    const theirs = { ...served.metadata.annotations };
    delete theirs['metallb.io/ip-allocated-from-pool'];
    expect(theirs).toEqual(admitted.metadata.annotations);
    expect(await scene.written('plain', { count: 1 })).toEqual(['patch services/status']);
  });

  test('tells by condition and Event why it waits, and that it waits no more', async () => {
    await scene.create('holder', inZone('told'));
    await scene.ready('holder');
    await scene.create('waiter', inZone('told'));
    const waiting = await scene.waits('waiter', 'PoolExhausted');
    expect(conditionOf(waiting)?.message).toContain('"told"');
    expect(waiting.metadata.annotations?.[METALLB.pool]).toBe(WAITING_POOL);
    expect(await scene.event('waiter', 'PoolExhausted')).toMatchObject({ type: 'Warning' });
    await scene.remove('holder');
    await scene.shows('waiter', '10.94.1.0');
    expect(await scene.event('waiter', 'Bound')).toMatchObject({ type: 'Normal' });
  });

  test('SVC-06 moves for nobody but its own wish, and is never without an address', async () => {
    for (const name of ['s1', 's2', 's3']) {
      await scene.create(name, inZone('moves'));
      await scene.ready(name);
    }
    const followed = await scene.follow('s3');
    await scene.remove('s1');
    await operator().restart();
    await scene.shows('s2', '10.94.2.1');
    await scene.shows('s3', '10.94.2.2');
    await scene.annotate('s3', { [IPAM.addresses]: '10.94.2.7' });
    await scene.shows('s3', '10.94.2.7');
    await scene.holds('moves', 2);
    await scene.annotate('s3', { [IPAM.addresses]: '10.94.2.1' });
    expect(ingressOf(await scene.waits('s3', 'AddressInUse'))).toEqual(['10.94.2.7']);
    await scene.annotate('s3', { [IPAM.addresses]: '10.94.2.7' });
    await scene.ready('s3');
    await scene.shows('s2', '10.94.2.1');
    expect(await followed.stop()).toEqual(['10.94.2.2', '10.94.2.7']);
  });

  test('SVC-04 keeps its claim while somebody else writes its status, and is written once for it', async () => {
    await scene.create('fought', inZone('fought'));
    await scene.ready('fought');
    const before = (await scene.writes('fought')).length;
    const ingress = [{ ip: '198.51.100.9' }];
    const status = { status: { loadBalancer: { ingress } } };
    const rival = new AbortController();
    // writes whenever it sees another address, as the other controller of the case
    const fight = (async () => {
      for (let wrote = 0; !rival.signal.aborted; wrote += 1) {
        await plane().client.request('PATCH', `${scene.path('fought')}/status`, status, 'merge');
        await pause(100);
      }
    })();
    const named = await scene.waits('fought', 'ForeignAddress');
    expect(conditionOf(named)?.message).toContain('"198.51.100.9"');
    expect(await scene.event('fought', 'ForeignAddress')).toMatchObject({ type: 'Warning' });
    await pause(5_000); // the fight goes on: what is counted is what does not happen
    rival.abort();
    await fight;
    expect(await scene.written('fought', { before, count: 1 })).toEqual(['patch services/status']);
    expect(await scene.held('fought')).toBe(1);
    expect((await scene.get('fought')).metadata.annotations?.[METALLB.addresses]).toBe('10.94.3.0');
  });

  test('GO-01 written back as in Git thirty times, five of them unseen, keeps one address and one holder', async () => {
    const { metadata } = await scene.create('git', inZone('git'));
    await scene.shows('git', '10.94.4.0');
    const followed = await scene.follow('git');
    const before = (await scene.writes('git')).length;
    const inGit = scene.manifest('git', inZone('git'));
    const sync = () => plane().client.request('PUT', scene.path('git'), inGit);
    const written: (string | undefined)[] = [];
    let back: KubeObject | undefined;
    for (let minute = 0; minute < 30; minute += 1) {
      if (minute === 10) await operator().kill();
      if (minute === 15) {
        await operator().restart();
        back = await scene.when('git', (each) => each.metadata.annotations?.[METALLB.addresses] !== undefined);
      }
      const stored = await sync();
      written.push(stored.metadata.annotations?.[METALLB.addresses]);
      await pause(200);
    }
    expect(back?.metadata.annotations).toMatchObject(metadata.annotations ?? {});
    const asUsual = (count: number): readonly string[] => Array.from({ length: count }, () => '10.94.4.0');
    expect(written).toEqual([...asUsual(10), ...Array.from({ length: 5 }, () => undefined), ...asUsual(15)]);
    await scene.shows('git', '10.94.4.0');
    expect(await followed.stop()).toEqual(['10.94.4.0']);
    expect(await scene.held('git')).toBe(1);
    expect(await scene.written('git', { before, count: 1 })).toEqual(['patch services/status']);
  });
});

describe('a new Service', () => {
  const name = 'refused';
  test.each([
    [
      'REQ-01 whose wishes differ in three places',
      {
        annotations: {
          [IPAM.zone]: 'wishes',
          [METALLB.addresses]: '10.94.8.10',
          [METALLB.legacyAddresses]: '10.94.8.11',
        },
        spec: { loadBalancerIP: '10.94.8.12' },
      },
      /"10\.94\.8\.10".*"10\.94\.8\.11".*"10\.94\.8\.12"/su,
    ],
    [
      'REQ-01 that wishes an address outside of its zone',
      inZone('wishes', '10.94.0.9'),
      /"?10\.94\.0\.9"?.*"wishes"/su,
    ],
    ['REQ-05 that wishes a zone of another tenant', inZone('tenant-b'), /"tenant-b"/u],
    ['REQ-05 that wishes an address of another tenant', inZone('tenant-b', '10.0.10.26'), /"tenant-b"/u],
    ['REQ-07 that wishes two of one family', inZone('wishes', '10.94.8.10,10.94.8.11'), /IPv4/u],
    ['REQ-07 with a list of blanks', inZone('wishes', '10.94.8.10 10.94.8.11'), /10\.94\.8\.10 10\.94\.8\.11/u],
    ['REQ-07 with a JSON list', inZone('wishes', '["10.94.8.10"]'), /\["10\.94\.8\.10"\]|\[\\"10/u],
    ...['0.0.0.0', '127.0.0.1', '::1', '224.0.0.5', 'ff02::1', '255.255.255.255', 'fe80::1%eth0'].map(
      (address): [string, Wanted, RegExp] => [
        `REQ-07 with the marker ${address}`,
        inZone('wishes', address),
        new RegExp(address.replaceAll('.', '\\.'), 'u'),
      ],
    ),
  ] as const)('%s is refused, and nothing is reserved', async (_title, wanted, text) => {
    await expect(scene.create(name, wanted)).rejects.toThrow(text);
    expect(await scene.held('wishes')).toBe(0);
    expect(await scene.held('tenant-b')).toBe(0);
  });

  test('REQ-01 REQ-07 keeps the text of a wish, in any spelling, in as many places as it likes', async () => {
    const wish = '10.94.8.10, FD00:94:8::A';
    await scene.create('spelt', {
      annotations: {
        [IPAM.zone]: 'wishes',
        [IPAM.ipFamily]: 'dual',
        [IPAM.addresses]: wish,
        [METALLB.addresses]: '10.94.8.10,fd00:94:8::a',
      },
    });
    const served = await scene.shows('spelt', '10.94.8.10', 'fd00:94:8::a');
    expect(served.metadata.annotations?.[IPAM.addresses]).toBe(wish);
    expect(await scene.held('wishes')).toBe(2);
  });
});

describe('zones that change', () => {
  test('POOL-01 a wider zone moves nobody, and who waited for one of the new addresses has it', async () => {
    const names = ['p0', 'p1', 'p2', 'p3', 'p4'];
    for (const each of names) {
      await scene.create(each, inZone('widened'));
      await scene.ready(each);
    }
    const followed = await Promise.all(names.map((each) => scene.follow(each)));
    await operator().kill();
    await scene.create('outside', inZone('widened', '10.94.5.118'));
    await operator().restart();
    const waiting = await scene.when('outside', (each) => conditionOf(each)?.status === 'False');
    expect(ingressOf(waiting)).toEqual([]);
    await applyInstallation(plane(), props({ widened: ['10.94.5.117/32', '10.94.5.118/31', '10.94.5.120/29'] }));
    await scene.shows('outside', '10.94.5.118');
    await scene.create('next', inZone('widened'));
    await scene.shows('next', '10.94.5.117');
    for (const [i, each] of followed.entries()) expect(await each.stop()).toEqual([`10.94.5.${String(120 + i)}`]);
    expect(await scene.held('widened')).toBe(7);
  });

  test('POOL-08 waiters wake up by age, by a new parent and by a freed address', async () => {
    await scene.create('c0', inZone('parents'));
    await scene.shows('c0', '10.94.6.1');
    await scene.create('c1', inZone('parents'));
    await scene.shows('c1', '10.94.6.2');
    for (const name of ['c2', 'c3']) {
      await scene.create(name, inZone('parents'));
      await scene.waits(name, 'PoolExhausted');
    }
    const wider = [...(PREFIXES['parents'] ?? []), '10.94.6.9/32'];
    await applyInstallation(plane(), props({ parents: wider }));
    await scene.shows('c2', '10.94.6.9');
    expect(conditionOf(await scene.get('c3'))?.reason).toBe('PoolExhausted');
    await scene.remove('c0');
    await scene.shows('c3', '10.94.6.1');
    expect(ingressOf(await scene.get('c1'))).toEqual(['10.94.6.2']);
  });
});

describe('restarts', () => {
  test('CONC-01 fifty of them let the holder hold and the waiter wait, and what was missed is caught up with', async () => {
    await scene.create('a', inZone('single'));
    await scene.shows('a', '10.94.7.0');
    await scene.create('b', inZone('single'));
    await scene.waits('b', 'PoolExhausted');
    const followed = await scene.follow('a');
    const waiter = await scene.follow('b');
    const writes = async () => [...(await scene.writes('a')), ...(await scene.writes('b'))];
    const before = await writes();
    for (let i = 0; i < 50; i += 1) {
      await operator().kill();
      await operator().restart();
    }
    expect(await followed.stop()).toEqual(['10.94.7.0']);
    expect(await waiter.stop()).toEqual(['']);
    expect(await writes()).toEqual(before);
    await operator().kill();
    await scene.remove('a');
    await scene.create('c', inZone('single'));
    await operator().restart();
    await scene.shows('b', '10.94.7.0');
    await scene.waits('c', 'PoolExhausted');
    expect(await scene.held('single')).toBe(1);
  }, 600_000);
});
