import { addressOf } from '../../../../operator/addressing/address';
import { addressClaimCodec } from '../../../../operator/backends/claim-objects/address-claim-codec';
import type { ClaimDraft } from '../../../../operator/backends/claim-objects/claim-codec';
import { DETAILS_KEY } from '../../../../operator/backends/claim-objects/claim-details';
import { EGRESS_DATAPLANE_GONE } from '../../../../operator/contract/egress';
import { mapOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { valueOf } from '../../../../operator/errors/ipam-error';
import type { Holder } from '../../../../operator/ports/claims';
import { NOW, ownerOf } from '../../../support/claim-requests';

const codec = addressClaimCodec('networks');

const holder = (change: Partial<Holder> = {}): Holder => ({
  id: 'h1',
  owner: ownerOf('web', { uid: 'u1' }),
  state: 'bound',
  key: 'k',
  sinceMs: NOW,
  ...change,
});

const draft = (change: Partial<ClaimDraft> = {}): ClaimDraft => ({
  network: 'vpc',
  address: addressOf('10.0.0.0'),
  length: 24,
  pool: 'z',
  family: 4,
  state: 'held',
  holders: [holder()],
  takenAtMs: NOW,
  ...change,
});

const stored = (object: JsonMap, version = '7'): JsonMap => ({
  ...object,
  metadata: {
    ...metadataOf(object),
    uid: 'uid-1',
    resourceVersion: version,
    creationTimestamp: '2025-12-31T23:00:00Z',
  },
});
const written = (of: ClaimDraft): JsonMap => valueOf(codec.write(of, { decision: 'd1' }));

describe('addressClaimCodec', () => {
  test.each<readonly [string, ClaimDraft]>([
    ['a bound claim', draft()],
    ['a lease', draft({ holders: [holder({ state: 'reserved', expiresAtMs: NOW + 300 })] })],
    ['a lease without an end', draft({ holders: [holder({ state: 'reserved' })] })],
    ['a retention', draft({ holders: [holder({ state: 'retained', expiresAtMs: NOW + 1_000 })] })],
    ['a contested holder', draft({ holders: [holder({ state: 'contested' })] })],
    ['a holder whose dataplane has to let go', draft({ holders: [holder({ dataplanes: ['cni'], isEnding: true })] })],
    ['a bound holder with an end', draft({ holders: [holder({ expiresAtMs: NOW + 5 })] })],
    [
      'a quarantine with its former holder',
      draft({
        state: 'quarantined',
        holders: [],
        quarantine: { untilMs: NOW + 9, former: holder({ state: 'retained', expiresAtMs: NOW + 3 }) },
      }),
    ],
    [
      'a holder whose name is no DNS name',
      draft({ holders: [holder({ owner: ownerOf('system:node', { kind: 'ClusterRole', namespace: '' }) })] }),
    ],
    ['an IPv6 address', draft({ address: addressOf('2001:db8::1'), length: 128, family: 6, pool: '' })],
    [
      'an entry with its facts, labels and user',
      draft({
        pool: '10.0.0.0/8',
        door: 'grpc',
        labels: { site: 'edge-1' },
        entry: {
          role: 'host',
          kind: 'network',
          networkName: 'net1',
          isGateway: true,
          isStatic: false,
          parent: '10.0.0.0/8',
          range: 'r',
          request: '0123456789abcdef',
        },
        holders: [
          holder(),
          { id: 'h2', owner: ownerOf('n3', { kind: 'IPAllocation' }), state: 'bound', sinceMs: NOW + 1 },
        ],
      }),
    ],
    [
      'a user whose name is no DNS name',
      draft({
        entry: { role: 'host', kind: 'network', parent: 'z' },
        holders: [holder(), { id: 'h2', owner: ownerOf('A/b', { kind: '' }), state: 'bound', sinceMs: NOW }],
      }),
    ],
    [
      'whatever else a holder has',
      draft({
        holders: [
          holder({
            options: { retentionPeriodDays: 3, denyExternalCleanup: true },
            sharing: { key: 's', ports: ['53/UDP'], trafficPolicy: 'Local', selector: 'a=b' },
            writtenKeys: ['a/b'],
            purpose: 'DNS',
          }),
        ],
      }),
    ],
  ])('reads %s as it was written', (_what, of) => {
    const object = stored(written(of));
    expect(codec.read(object)).toEqual({ door: 'networks', ...of, version: 7 });
    expect(codec.decisionOf(object)).toBe('d1');
  });

  test('reads a user that others declared by the fields of the kind', () => {
    const object = stored(written(draft()));
    const user = { apiVersion: 'a/v1', kind: 'IPAllocation', namespace: 'core', name: 'n3' };
    const spec = { ...mapOf(object['spec']), user };
    expect(codec.read({ ...object, spec })?.holders[1]).toEqual({
      id: 'uid-1/user',
      state: 'bound',
      sinceMs: Date.parse('2025-12-31T23:00:00Z'),
      owner: { cluster: '', namespaceUid: '', ...user },
    });
  });

  test('takes facts that it does not know for none', () => {
    const object = stored(written(draft({ entry: { role: 'subnet', kind: 'network' } })));
    const spec = mapOf(object['spec']);
    expect(
      codec.read({ ...object, spec: { ...spec, entry: { role: 'vlan', kind: 'network' } } })?.entry,
    ).toBeUndefined();
    expect(codec.read({ ...object, spec: { ...spec, entry: 'subnet' } })?.entry).toBeUndefined();
  });

  test('takes away the last label', () => {
    const before = written(draft({ labels: { site: 'edge-1' } }));
    const after = valueOf(codec.write(draft({ labels: {} }), { decision: 'd2', before }));
    expect(mapOf(after['spec'])).not.toHaveProperty('labels');
  });

  test('forgets dataplanes that an administrator says are gone, and takes that word off with the next write', () => {
    const holders = [holder({ dataplanes: ['cni'] })];
    const object = stored(written(draft({ holders })));
    const metadata = metadataOf(object);
    const annotations = { ...mapOf(metadata['annotations']), [EGRESS_DATAPLANE_GONE]: 'true' };
    const said = { ...object, metadata: { ...metadata, annotations } };
    expect(codec.read(said)?.holders).toEqual([holder()]);
    const after = valueOf(codec.write(draft({ holders }), { decision: 'd2', before: said }));
    expect(mapOf(metadataOf(after)['annotations'])).not.toHaveProperty(EGRESS_DATAPLANE_GONE);
    expect(codec.read(stored(after))?.holders).toEqual(holders);
  });

  test('reads a claim of others by the fields of the kind', () => {
    const holders = { apiVersion: 'a/v1', kind: 'IPAllocation', namespace: 'core', name: 'n3' };
    const spec = {
      network: 'vpc',
      address: '10.0.0.0/24',
      door: 'grpc',
      state: 'retained',
      until: '2026-01-01T00:00:09Z',
    };
    const object = stored({ metadata: { name: 'vpc.10.0.0.0-24' }, spec: { ...spec, holder: holders } });
    const madeMs = Date.parse('2025-12-31T23:00:00Z');
    expect(codec.read(object)).toEqual({
      network: 'vpc',
      address: addressOf('10.0.0.0'),
      length: 24,
      pool: '',
      family: 4,
      state: 'held',
      version: 7,
      door: 'grpc',
      takenAtMs: madeMs,
      holders: [
        {
          id: 'uid-1',
          state: 'retained',
          sinceMs: madeMs,
          expiresAtMs: Date.parse('2026-01-01T00:00:09Z'),
          owner: { cluster: '', namespaceUid: '', ...holders },
        },
      ],
    });
    expect(codec.decisionOf(object)).toBe('');
  });

  test('goes by the fields of the kind where the annotation says something else, or nothing that can be read', () => {
    const object = stored(written(draft()));
    const edited = {
      ...object,
      spec: { ...mapOf(object['spec']), holder: { apiVersion: 'v1', kind: 'Pod', name: 'x' } },
    };
    expect(codec.read(edited)?.holders[0]?.owner).toMatchObject({
      kind: 'Pod',
      name: 'x',
      namespace: '',
      cluster: 'c1',
    });
    const broken = { ...object, metadata: { ...metadataOf(object), annotations: { [DETAILS_KEY]: '{"holder":' } } };
    expect(codec.read(broken)?.holders[0]).toMatchObject({ id: 'uid-1', owner: { name: 'web', uid: 'u1' } });
  });

  test('gives a record that its reader cannot change', () => {
    const record = codec.read(stored(written(draft())))!;
    expect([record, record.holders, record.holders[0], record.holders[0]!.owner].every(Object.isFrozen)).toBe(true);
  });

  test('keeps what others wrote on the object that it replaces', () => {
    const metadata = {
      labels: { a: 'b' },
      annotations: { c: 'd' },
      finalizers: ['e/f'],
      ownerReferences: [{ uid: 'g' }],
    };
    const object = written(draft());
    const before = {
      ...object,
      metadata: { ...metadataOf(object), ...metadata },
      spec: { ...mapOf(object['spec']), door: 'egress', labels: { tier: 'gold' } },
    };
    const after = valueOf(codec.write(draft(), { decision: 'd2', before }));
    expect(after).toMatchObject({ metadata, spec: { door: 'egress', labels: { tier: 'gold' } } });
    expect(codec.decisionOf(after)).toBe('d2');
  });

  test.each<readonly [string, ClaimDraft, string]>([
    ['a secret', draft({ secret: { hash: 'k1:aa', scope: 'shared' } }), 'keeps no secret'],
    ['a claim without a holder', draft({ state: 'foreign', holders: [] }), 'names no holder'],
    ['a network that is no DNS name', draft({ network: 'Vpc' }), 'spec.network'],
    [
      'a holder that the kind cannot name, without a key',
      draft({ holders: [{ ...holder({ owner: ownerOf('') }), key: undefined } as unknown as Holder] }),
      'spec.holder',
    ],
  ])('refuses %s', (_what, of, message) => {
    const outcome = codec.write(of, { decision: 'd1' });
    expect(outcome).toMatchObject({
      refusal: { code: 'claim/invalid', message: expect.stringContaining(message) as string },
    });
  });

  test('reads no record from an object without an address', () => {
    expect(codec.read(stored({ metadata: { name: 'x' }, spec: { network: 'vpc', address: 'ten' } }))).toBeUndefined();
  });

  test('refuses to count by a version that is no number', () => {
    const object = stored(written(draft()), 'a1b2');
    expect(() => codec.read(object)).toThrow(expect.objectContaining({ code: 'store/unavailable' }) as Error);
  });
});
