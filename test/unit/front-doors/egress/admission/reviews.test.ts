import { EGRESS_KEYS } from '../../../../../operator/contract/egress';
import { egressIpamObject, egressSpec } from '../../../../support/egress-kind-samples';
import type { EgressReviews } from '../../../../support/egress-reviews';
import { EgressWorld } from '../../../../support/egress-world';

const NET = { CIDR: '10.0.0.0/29', labelValue: 'a' };
const NORTH = { CIDR: '10.0.1.0/29', labelValue: 'b' };

let world: EgressWorld;
let reviews: EgressReviews;
beforeEach(async () => {
  world = new EgressWorld();
  world.ipam('bm', egressSpec(NET));
  world.namespace('holder', 'bm');
  await world.open();
  await world.has('holder', '10.0.0.1');
  reviews = world.reviews();
  reviews.rights.add('alice use bm');
});
afterEach(async () => {
  await world.close();
});

interface Annotated {
  readonly egressIpam?: string;
  readonly list?: string;
  readonly allowReserved?: string;
}

const namespace = ({ egressIpam, list, allowReserved }: Annotated, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'shop',
    annotations: {
      other: 'x',
      ...(egressIpam === undefined ? {} : { [EGRESS_KEYS.egressIpam]: egressIpam }),
      ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
      ...(allowReserved === undefined ? {} : { [EGRESS_KEYS.allowReserved]: allowReserved }),
    },
    ...metadata,
  },
});

describe('a Namespace', () => {
  test('is warned of an opt-in without a name', async () => {
    const answer = await reviews.namespace({ object: namespace({ egressIpam: '' }) });
    expect([answer.allowed, answer.warnings]).toEqual([
      true,
      [expect.stringContaining('is empty, so the namespace opts in to no EgressIPAM') as string],
    ]);
  });

  test('EG-case-65 opts in and lists addresses by the right of its author, and not without', async () => {
    const asks = { object: namespace({ egressIpam: 'bm' }) };
    expect(await reviews.namespace(asks)).toEqual({ uid: 'r', allowed: true });
    const refused = await reviews.namespace({ ...asks, username: 'mallory' });
    expect(refused).toMatchObject({ allowed: false, status: { code: 403, reason: 'EgressForbidden' } });
    expect(refused.status?.message).toContain('"mallory" needs the right to use egressipams.redhatcop.redhat.io "bm"');

    const listed = { object: namespace({ egressIpam: 'bm', list: '10.0.0.3' }), oldObject: asks.object };
    expect((await reviews.namespace({ ...listed, username: 'mallory' })).allowed).toBe(false);
    expect((await reviews.namespace(listed)).allowed).toBe(true);
    // before it exists as well
    expect((await reviews.namespace({ object: namespace({ egressIpam: 'later' }) })).allowed).toBe(false);
    const reserved = { object: namespace({ egressIpam: 'bm', allowReserved: 'true' }), oldObject: asks.object };
    expect((await reviews.namespace({ ...reserved, username: 'mallory' })).allowed).toBe(false);
  });

  test('EG-case-65 changes everything else, and takes its annotations off, without a right', async () => {
    const before = namespace({ egressIpam: 'bm', list: '10.0.0.3' });
    for (const object of [namespace({}), namespace({ egressIpam: 'bm' }), before, namespace({ list: '10.0.0.3' })]) {
      expect((await reviews.namespace({ object, oldObject: before, username: 'mallory' })).allowed).toBe(true);
    }
    const dying = namespace({ egressIpam: 'x' }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await reviews.namespace({ object: dying, oldObject: before, username: 'mallory' })).allowed).toBe(true);
    expect(reviews.asked).toEqual([]);
  });

  test('needs no right where rights are switched off', async () => {
    reviews = world.reviews({ usePermission: false });
    expect((await reviews.namespace({ object: namespace({ egressIpam: 'bm' }), username: 'mallory' })).allowed).toBe(
      true,
    );
  });

  test.each([
    ['admit', true],
    ['deny', false],
  ] as const)('is judged by the setting %s while rights cannot be asked for', async (whenUnavailable, allowed) => {
    reviews = world.reviews({ whenUnavailable });
    reviews.isAnswering = false;
    const answer = await reviews.namespace({ object: namespace({ egressIpam: 'bm' }) });
    expect(answer.allowed).toBe(allowed);
    expect(allowed ? answer.warnings?.join() : answer.status?.message).toMatch(
      /rights could not be asked for|no answer/u,
    );
    // the list is judged all the same
    const wrong = await reviews.namespace({ object: namespace({ egressIpam: 'bm', list: '10.9.9.9' }) });
    expect(wrong.allowed).toBe(false);
  });

  test.each([
    ['10.0.0.1', 'AddressInUse', 'Namespace holder'],
    ['10.0.0.3,10.0.0.4', 'OneAddressPerCIDR', '10.0.0.3'],
    ['10.9.0.1', 'AddressOutOfRange', '10.0.0.0/29'],
    ['10.0.0.7', 'AddressReserved', 'allow-reserved'],
    ['10.0.0.5', 'AddressInUse', 'Node/n1'],
    ['10.0.0.03', 'InvalidList', '10.0.0.03'],
  ])('EG-case-17 EG-13 that lists %s is refused for %s', async (list, reason, says) => {
    world.show('10.0.0.5', 'Node/n1');
    const answer = await reviews.namespace({ object: namespace({ egressIpam: 'bm', list }) });
    expect(answer).toMatchObject({ allowed: false, status: { code: 422, reason: 'InvalidEgressList' } });
    expect(answer.status?.message).toContain(`(${reason})`);
    expect(answer.status?.message).toContain(says);
    expect(answer.status?.message).toContain(`metadata.annotations[${EGRESS_KEYS.addresses}]`);
  });

  test('EG-case-17 that lists too few addresses is refused, and blanks are allowed', async () => {
    world.respec('bm', NET, NORTH);
    await world.has('holder', '10.0.0.1,10.0.1.1');
    const few = await reviews.namespace({ object: namespace({ egressIpam: 'bm', list: '10.0.0.3' }) });
    expect(few.status?.message).toContain('(AddressMissing)');
    const blanks = { object: namespace({ egressIpam: 'bm', list: '10.0.0.3 , 10.0.1.3' }) };
    expect((await reviews.namespace(blanks)).allowed).toBe(true);
  });

  test('is warned of what it waits for', async () => {
    reviews = world.reviews({ usePermission: false });
    const warned = async (annotated: Annotated) => (await reviews.namespace({ object: namespace(annotated) })).warnings;
    expect(await warned({ egressIpam: 'later' })).toEqual([
      expect.stringContaining('EgressIPAM "later" does not exist'),
    ]);
    expect(await warned({ list: '10.0.0.3' })).toEqual([expect.stringContaining('has no effect without')]);
    world.ipam('team', { ...egressSpec(NORTH), namespaceSelector: { matchLabels: { team: 'a' } } });
    await world.status('team', 'it was looked at', (status) => status['namespaces'] !== undefined);
    expect(await warned({ egressIpam: 'team' })).toEqual([expect.stringContaining('spec.namespaceSelector')]);
  });

  test('is judged in a dry run as in earnest, and nothing is written', async () => {
    const before = world.record();
    const asks = { object: namespace({ egressIpam: 'bm', list: '10.0.0.1' }), dryRun: true };
    expect((await reviews.namespace(asks)).allowed).toBe(false);
    expect((await reviews.namespace({ object: namespace({ egressIpam: 'bm' }), dryRun: true })).allowed).toBe(true);
    expect(world.record()).toEqual(before);
    expect(world.meter.of('admission_requests_total').map(({ labels }) => labels['verdict'])).toEqual([
      'dry-run-denied',
      'dry-run-allowed',
    ]);
  });
});

describe('an EgressIPAM', () => {
  test('EG-case-15 is not made smaller under its holders, and is with the order to', async () => {
    const [oldObject, spec] = [world.storedIpam('bm'), egressSpec({ CIDR: '10.0.0.4/30', labelValue: 'a' })];
    const refused = await reviews.egressIpam({ object: egressIpamObject('bm', spec), oldObject });
    expect(refused).toMatchObject({ allowed: false, status: { reason: 'EgressInUse' } });
    expect(refused.status?.message).toContain('10.0.0.1 of Namespace holder');
    const annotations = { 'egressip-ipam-operator.redhat-cop.io/force': 'true' };
    const forced = { object: egressIpamObject('bm', spec, { annotations }), oldObject };
    expect((await reviews.egressIpam(forced)).allowed).toBe(true);
  });

  test('EG-27 is not made over another one, nor over networks of the cluster', async () => {
    const answer = await reviews.egressIpam({ object: egressIpamObject('second', egressSpec(NET)) });
    expect(answer.status).toMatchObject({ code: 422, reason: 'EgressOverlap' });
    expect(answer.status?.message).toContain('EgressIPAM bm');
    expect((await reviews.egressIpam({ object: egressIpamObject('second', egressSpec(NORTH)) })).allowed).toBe(true);
  });

  test('EG-5 is always deleted, with a warning of what its namespaces lose', async () => {
    const oldObject = world.storedIpam('bm');
    const answer = await reviews.egressIpam({ operation: 'DELETE', oldObject });
    expect(answer).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('10.0.0.1 of Namespace holder')],
    });
    const object = egressIpamObject('bm', egressSpec(), { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await reviews.egressIpam({ object, oldObject })).allowed).toBe(true);
  });
});
