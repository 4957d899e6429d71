import { readAddressClaim, readIpAddress } from '../../../../operator/contract/cluster-api';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { decideClaim, type ClaimFacts } from '../../../../operator/rules/cluster-api/decide-claim';

const POOL = { apiGroup: 'paas.org', kind: 'IPGroup', name: 'web' };

function claim(metadata: object = {}, spec: object = {}) {
  const read = readAddressClaim({
    metadata: { namespace: 'n', name: 'cp', uid: 'u', ...metadata },
    spec: { poolRef: POOL, ...spec },
  });
  if (read === undefined) throw new IpamError('internal', 'not read');
  return read;
}

const address = (spec: object = {}) =>
  readIpAddress({
    metadata: { namespace: 'n', name: 'cp', uid: 'a' },
    spec: { address: '192.0.2.1', prefix: 24, claimRef: { name: 'cp' }, poolRef: POOL, ...spec },
  });

const decide = (facts: Partial<ClaimFacts> = {}) =>
  decideClaim({ claim: claim(), cluster: 'none', pool: 'ready', address: undefined, isHolding: false, ...facts });

const DYING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const FINALIZERS = { finalizers: ['ipam.cluster.x-k8s.io/ReleaseAddress'] };
const PAUSED = { annotations: { 'cluster.x-k8s.io/paused': '' } };

describe('decideClaim', () => {
  test.each<[string, Partial<ClaimFacts>, string]>([
    ['a new claim is served', {}, 'serve'],
    ['one that has an address is served', { isHolding: true, address: address() }, 'serve'],
    ['one keeps its address while its pool is gone', { isHolding: true, pool: 'missing' }, 'serve'],
    ['one keeps its address while its pool is being deleted', { isHolding: true, pool: 'dying' }, 'serve'],
    ['an IPAddress without a record is put on record', { address: address(), pool: 'missing' }, 'serve'],
    ['a paused claim rests', { claim: claim(PAUSED) }, 'rest'],
    ['a paused claim that is deleted rests', { claim: claim({ ...PAUSED, ...DYING }), isHolding: true }, 'rest'],
    ['a claim of a paused Cluster rests', { cluster: 'paused' }, 'rest'],
    ['a claim of a paused pool rests', { pool: 'paused' }, 'rest'],
    ['a claim of a missing Cluster rests', { cluster: 'missing' }, 'rest'],
    ['a deleted claim gives its address back', { claim: claim(DYING), isHolding: true }, 'release'],
    ['a deleted claim loses its finalizer', { claim: claim({ ...DYING, ...FINALIZERS }) }, 'release'],
    ['a deleted claim without anything rests', { claim: claim({ ...DYING, finalizers: ['other'] }) }, 'rest'],
    [
      'a deleted claim does not wait for its Cluster',
      { claim: claim(DYING), isHolding: true, cluster: 'missing' },
      'release',
    ],
    [
      'a deleted claim does not wait for its pool',
      { claim: claim(DYING), isHolding: true, pool: 'missing' },
      'release',
    ],
  ])('%s', (_what, facts, act) => {
    expect(decide(facts).act).toBe(act);
  });

  test.each<[string, Partial<ClaimFacts>, string, string]>([
    ['a pool that is not there', { pool: 'missing' }, 'PoolNotReady', 'IPGroup web does not exist'],
    [
      'a pool that is being deleted',
      { pool: 'dying' },
      'PoolNotReady',
      'IPGroup web is being deleted and gives nothing new',
    ],
    [
      'the IPAddress of another claim',
      { address: address({ claimRef: { name: 'x' } }) },
      'AllocationFailed',
      'exists already',
    ],
    [
      'the IPAddress of another pool',
      { address: address({ poolRef: { ...POOL, name: 'x' } }) },
      'AllocationFailed',
      'exists already',
    ],
    ['text that is no address', { address: address({ address: 'x' }) }, 'AllocationFailed', 'is no IP address'],
  ])('waits for %s', (...[, facts, reason, message]) => {
    expect(decide(facts)).toEqual({ act: 'wait', reason, message: expect.stringContaining(message) as string });
  });
});

describe('readAddressClaim', () => {
  test('finds the Cluster by its field, else by its label', () => {
    const labels = { 'cluster.x-k8s.io/cluster-name': 'labelled' };
    expect(claim({ labels }).cluster).toBe('labelled');
    expect(claim({ labels }, { clusterName: 'named' }).cluster).toBe('named');
  });

  test('reads the status of either version', () => {
    const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: 'm', lastTransitionTime: 't' };
    const read = readAddressClaim({
      metadata: { name: 'cp' },
      spec: { poolRef: POOL },
      status: { addressRef: { name: 'cp' }, conditions: [condition] },
    });
    expect(read).toMatchObject({ addressRef: 'cp', ready: { status: 'True', reason: 'Ready', since: 't' } });
    expect(readAddressClaim({ metadata: {} })).toBeUndefined();
  });
});
