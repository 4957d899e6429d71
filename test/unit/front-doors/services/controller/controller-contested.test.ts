import { addressOf } from '../../../../../operator/addressing/address';
import type { ErrorCode } from '../../../../../operator/errors/catalogue';
import { IpamError } from '../../../../../operator/errors/ipam-error';
import { accept, refuse } from '../../../../../operator/errors/outcome';
import { evictService } from '../../../../../operator/front-doors/services';
import { contestOne } from '../../../../../operator/front-doors/services/controller/contested';
import { ControllerWorld, withIngress } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';
import { wrapped } from '../../../../support/wrapped-book';

const [ZONE, ADDRESSES] = ['ipam.vitistack.io/zone', 'ipam.vitistack.io/addresses'] as const;
const [POOL, OF_METALLB] = ['metallb.io/address-pool', 'metallb.io/loadBalancerIPs'] as const;
const keys = (zone: string, address: string) => ({ [ZONE]: zone, [POOL]: zone, [OF_METALLB]: address });

const zones = (open?: string) => ({
  version: 1 as const,
  zones: [
    { name: 'z', prefixes: ['10.0.0.0/24'] },
    { name: 'shut', prefixes: ['10.0.1.0/24'], namespaces: { matchLabels: { tenant: open ?? 'nobody' } } },
  ],
});

async function world(): Promise<ControllerWorld> {
  const made = new ControllerWorld({ zones: zones() });
  made.door.cluster.putNamespace('a', { tenant: 'red' });
  await made.compare();
  return made;
}

const shows = (made: ControllerWorld, name: string, address: string): void => {
  made.force(withIngress(service(keys('shut', address), {}, { name }), [address]));
};
const gauge = (made: ControllerWorld) => made.door.meter.of('services_contested').at(-1)?.value;
const states = async (made: ControllerWorld) =>
  (await made.door.book.owners(await made.door.cluster.clusterUid())).map(
    ({ name, state, address }) => `${name} ${state} ${address.toString()}`,
  );

describe('FU-04 a Service that shows what the record does not grant', () => {
  test('keeps its keys, is counted and told, and is served once the zone is open', async () => {
    const made = await world();
    shows(made, 'web', '10.0.1.5');
    await made.settle();

    expect(made.annotations('web')).toEqual(keys('shut', '10.0.1.5'));
    expect(made.condition('web')).toMatchObject({ status: 'False', reason: 'AddressContested' });
    expect(made.condition('web')?.message).toContain('zone "shut" is not open');
    expect(await states(made)).toEqual(['web contested 10.0.1.5']);
    expect(gauge(made)).toBe(1);
    expect(made.door.meter.of('services_waiting')).toEqual([]);
    made.door.becomeZones(zones('red'));
    await made.settle();
    expect(await states(made)).toEqual(['web bound 10.0.1.5']);
    expect(made.condition('web')).toMatchObject({ status: 'True', reason: 'Bound' });
    expect(gauge(made)).toBe(0);
  });

  test('waits in the pool that does not exist once it shows nothing, and frees what it showed', async () => {
    const made = await world();
    shows(made, 'web', '10.0.1.5');
    await made.settle();
    made.announces = false;
    made.services.put(withIngress(made.services.object('web'), []));
    await made.settle();

    expect(made.annotations('web')[POOL]).toBe('ipam-waiting');
    expect(made.condition('web')).toMatchObject({ status: 'False', reason: 'ZoneForbidden' });
    expect(await states(made)).toEqual([]);
    expect(gauge(made)).toBe(0);
  });

  test('frees what it showed when it is gone, also where another process noted it', async () => {
    const made = await world();
    shows(made, 'web', '10.0.1.5');
    shows(made, 'db', '10.0.1.6');
    await made.settle();
    made.services.remove('db');
    await made.settle();
    expect(await states(made)).toEqual(['web contested 10.0.1.5']);
    made.restart();
    made.services.remove('web');
    await made.compare();
    expect(await states(made)).toEqual([]);
  });

  test('is on record with the first comparison, before anything is given out', async () => {
    const made = new ControllerWorld({ zones: zones() });
    made.door.cluster.putNamespace('a', { tenant: 'red' });
    made.door.cluster.putNamespace('b', {});
    for (const namespace of ['a', 'b'])
      made.force(withIngress(service(keys('z', '10.0.0.5'), {}, { name: 'web', namespace }), ['10.0.0.5']));
    await made.controller.compare();

    expect(await states(made)).toEqual(['web bound 10.0.0.5', 'web contested 10.0.0.5']);
  });

  test('gets no other address where its keys are gone: what it shows is its wish', async () => {
    const made = await world();
    await made.create(service({ [ZONE]: 'z', [ADDRESSES]: '10.0.0.5' }, {}, { name: 'other' }));
    made.announces = false;
    made.force(withIngress(service({ [ZONE]: 'z' }, {}, { name: 'web' }), ['10.0.0.5']));
    made.force(withIngress(service({ [ZONE]: 'z' }, {}, { name: 'lone' }), ['10.0.0.9']));
    await made.settle();

    expect(made.condition('web')).toMatchObject({ reason: 'AddressContested' });
    expect(made.annotations('web')).toEqual({ [ZONE]: 'z' });
    expect(made.annotations('lone')[OF_METALLB]).toBe('10.0.0.9');
  });

  test('FU-07 waits once its ingress is cleared, where two show one address; neither is parked before', async () => {
    const made = await world();
    made.announces = false;
    await made.create(service({ [ZONE]: 'z', [ADDRESSES]: '10.0.0.5' }, {}, { name: 'new' }));
    made.services.put(withIngress(made.services.object('new'), ['10.0.0.5']));
    made.force(withIngress(service(keys('z', '10.0.0.5'), {}, { name: 'back' }), ['10.0.0.5']));
    await made.settle();
    expect([made.annotations('new')[POOL], made.annotations('back')[POOL]]).toEqual(['z', 'z']);
    expect(await states(made)).toEqual(['new bound 10.0.0.5', 'back contested 10.0.0.5']);
    made.services.put(withIngress(made.services.object('back'), []));
    await made.settle();

    expect([made.annotations('new')[POOL], made.annotations('back')[POOL]]).toEqual(['z', 'ipam-waiting']);
    expect(await states(made)).toEqual(['new bound 10.0.0.5']);
  });

  test('is granted what it shows as soon as the holder is gone', async () => {
    const made = await world();
    made.announces = false;
    await made.create(service({ [ZONE]: 'z', [ADDRESSES]: '10.0.0.5' }, {}, { name: 'new' }));
    made.force(withIngress(service(keys('z', '10.0.0.5'), {}, { name: 'back' }), ['10.0.0.5']));
    await made.settle();
    made.services.remove('new');
    await made.pass(2_000);

    expect(await states(made)).toEqual(['back bound 10.0.0.5']);
    expect(made.condition('back')).toMatchObject({ reason: 'Bound' });
  });
});

describe('FU-04 a record elsewhere that has no place for contested addresses', () => {
  test('is told in the condition and once in the log, and counted all the same', async () => {
    const made = new ControllerWorld({ zones: zones(), wrapBook: wrapped(() => ({ contests: undefined })) });
    made.door.cluster.putNamespace('a', { tenant: 'red' });
    await made.compare();
    shows(made, 'web', '10.0.1.5');
    await made.settle();
    await made.settle();

    expect(made.annotations('web')).toEqual(keys('shut', '10.0.1.5'));
    expect(made.condition('web')).toMatchObject({ status: 'False', reason: 'AddressContested' });
    expect(made.condition('web')?.message).toContain('the IPAM-API does not note that');
    expect(await states(made)).toEqual([]);
    expect(gauge(made)).toBe(1);
    const told = made.door.logger.lines.filter(({ message }) => message.includes('not on record'));
    expect(told).toHaveLength(1);
    made.services.remove('web');
    await made.settle();
    expect(gauge(made)).toBe(0);
  });
});

describe('FU-04 an IPAM-API that notes contested addresses after a while', () => {
  test.each([
    ['store/no-contests', 'the IPAM-API does not note that'],
    ['cluster/quota', 'has no room for that within the limit of this cluster (occupiedQuota)'],
  ] as const)('is asked again, and not all the time: %s', async (code, words) => {
    let isOpen = false;
    let asked = 0;
    const over = wrapped(({ contests }) => ({
      contests: {
        contest: (request) => {
          asked += 1;
          if (isOpen && contests !== undefined) return contests.contest(request);
          return Promise.resolve(refuse(code, 'not now'));
        },
        endContests: () => Promise.resolve(accept([])),
      },
    }));
    const made = new ControllerWorld({ zones: zones(), wrapBook: over });
    made.door.cluster.putNamespace('a', { tenant: 'red' });
    await made.compare();
    shows(made, 'web', '10.0.1.5');
    await made.settle();
    for (let i = 0; i < 5; i += 1) await made.pass(60_000);
    expect(asked).toBe(1);
    expect(made.condition('web')?.message).toContain(words);
    expect(made.condition('web')?.message).toContain('so it may give the address to another cluster');
    isOpen = true;
    await made.pass(600_000);
    await made.compare();
    await made.settle();
    expect(asked).toBe(2);
    expect(await states(made)).toEqual(['web contested 10.0.1.5']);
    expect(made.condition('web')?.message).not.toContain('the IPAM-API');
    expect(gauge(made)).toBe(1);
  });
});

test('FU-04 each address that the record has no place for is asked for again by itself, also after a fault', async () => {
  const answers: (() => ErrorCode | undefined)[] = [];
  const asked: string[] = [];
  const over = wrapped(({ contests }) => ({
    contests: {
      contest: (request) => {
        asked.push(request.address.toString());
        const code = answers.shift()?.();
        return code === undefined && contests !== undefined
          ? contests.contest(request)
          : Promise.resolve(refuse(code ?? 'internal', 'not now'));
      },
      endContests: (request) => contests?.endContests(request) ?? Promise.resolve(accept([])),
    },
  }));
  const made = new ControllerWorld({ zones: zones(), wrapBook: over });
  made.door.cluster.putNamespace('a', { tenant: 'red' });
  await made.compare();
  answers.push(() => 'cluster/quota');
  shows(made, 'web', '10.0.1.5');
  await made.settle();
  const again = async (): Promise<void> => {
    await made.pass(600_000);
    await made.compare().catch(() => undefined);
    await made.settle();
  };
  answers.push(() => {
    throw new IpamError('store/unavailable', 'away');
  });
  await again();
  expect(made.condition('web')?.message).toContain('the IPAM-API has no room for that');
  await again();
  expect(await states(made)).toEqual(['web contested 10.0.1.5']);
  expect(made.condition('web')?.message).not.toContain('the IPAM-API');
  expect(new Set(asked)).toEqual(new Set(['10.0.1.5']));
});

test('FU-04 an address that 16 Services contest is on record for the next one too, which has its own row once one of them is gone', async () => {
  const made = await world();
  const names = Array.from({ length: 17 }, (_, i) => `web${i}`);
  for (const name of names) shows(made, name, '10.0.1.5');
  await made.settle();
  const contesting = async (): Promise<readonly string[]> =>
    (await states(made)).map((each) => each.split(' ')[0] ?? '');
  expect(await contesting()).toHaveLength(16);
  const [left = ''] = names.filter((name) => !names.slice(0, 16).includes(name));
  expect(gauge(made)).toBe(17);
  for (const name of names) {
    expect(made.condition(name)).toMatchObject({ reason: 'AddressContested' });
    expect(made.condition(name)?.message).not.toContain('may give');
    expect(made.annotations(name)).toEqual(keys('shut', '10.0.1.5'));
  }
  made.services.remove('web0');
  await made.pass(900_000, 300_000);
  expect(await contesting()).toContain(left);
});

test.each([
  ['default', 'bound', 'covered'],
  ['default', 'contested', 'covered'],
  ['other', 'bound', 'quota'],
  ['default', 'retained', 'quota'],
] as const)(
  'FU-04 an address without room on record is there by its network alone, and not by what is retained: %s, %s',
  async (network, state, why) => {
    const { door } = await world();
    const clusterUid = await door.cluster.clusterUid();
    const [namespace, namespaceUid] = ['a', 'ns-a'];
    const address = addressOf('10.0.1.5');
    const claimant = { namespace, serviceUid: 'u', service: { serviceName: 'web', namespaceUid, clusterUid } };
    const book = wrapped(() => ({
      contests: {
        contest: () => Promise.resolve(refuse('cluster/quota', 'full')),
        endContests: () => Promise.resolve(accept([])),
      },
      owners: () => Promise.resolve([{ network, zone: 'any', address, state, namespace, name: 'db' }]),
    }))(door.book);
    const { logger, zones: source } = door;
    const told = () => logger.lines.filter(({ message }) => message.includes('may give it to another cluster')).length;
    expect(await contestOne({ book, logger, zones: source }, { claimant, zone: 'shut', address })).toBe(why);
    expect(told()).toBe(why === 'quota' ? 1 : 0);
  },
);

test('FU-04 a Service is told that its address is not on record, although a twin of it in another network is', async () => {
  const over = wrapped(() => ({
    contests: {
      contest: () => Promise.resolve(refuse('cluster/quota', 'full')),
      endContests: () => Promise.resolve(accept([])),
    },
  }));
  const [open, shut] = zones().zones;
  const twin = { name: 'twin', prefixes: ['10.0.1.0/24'], network: 'other' };
  const made = new ControllerWorld({ zones: { version: 1, zones: [open!, shut!, twin] }, wrapBook: over });
  made.door.cluster.putNamespace('a', { tenant: 'red' });
  await made.compare();
  await made.create(service({ [ZONE]: 'twin', [ADDRESSES]: '10.0.1.5' }, {}, { name: 'db' }));
  await made.settle();
  expect(await states(made)).toEqual(['db bound 10.0.1.5']);
  shows(made, 'web', '10.0.1.5');
  await made.settle();
  expect(made.condition('web')?.message).toContain('the IPAM-API has no room for that');
});

describe('FU-04 evictService', () => {
  test('parks a Service that contests an address, and no other', async () => {
    const made = await world();
    shows(made, 'web', '10.0.1.5');
    await made.create(service({ [ZONE]: 'z' }, {}, { name: 'fine' }));
    await made.settle();
    const { book, zones: source, logger, cluster } = made.door;
    const parts = { book, zones: source, logger, cluster: made.services.clusterOver(cluster), writer: made.services };
    const evict = (name: string, dryRun: boolean) => evictService(parts, { namespace: 'a', name, dryRun });

    expect(await evict('web', true)).toEqual({ ok: true, value: { addresses: ['10.0.1.5'] } });
    expect(made.annotations('web')[POOL]).toBe('shut');
    for (const name of ['fine', 'nobody'])
      expect(await evict(name, false)).toMatchObject({ ok: false, refusal: { code: 'claim/not-found' } });
    expect(await evict('web', false)).toEqual({ ok: true, value: { addresses: ['10.0.1.5'] } });
    expect(made.annotations('web')).toMatchObject({ [POOL]: 'ipam-waiting', [ZONE]: 'shut' });
    expect(made.services.writes.at(-1)).toMatchObject({ kind: 'event', what: { reason: 'AddressEvicted' } });
  });
});
