import { addressOf } from '../../../../operator/addressing/address';
import type { ClaimDraft } from '../../../../operator/backends/claim-objects/claim-codec';
import { ipCodec } from '../../../../operator/backends/claim-objects/ip-codec';
import { IP_KEYS } from '../../../../operator/contract/paas';
import { mapOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { valueOf } from '../../../../operator/errors/ipam-error';
import type { Holder, Owner } from '../../../../operator/ports/claims';
import { NOW } from '../../../support/claim-requests';

const codec = ipCodec();

const service = (name: string, uid?: string): Owner => ({
  cluster: '',
  apiVersion: 'v1',
  kind: 'Service',
  namespace: 'test',
  namespaceUid: '',
  name,
  ...(uid === undefined ? {} : { uid }),
});

const holder = (name: string, change: Partial<Holder> = {}): Holder => ({
  id: `id-${name}`,
  owner: service(name, `uid-${name}`),
  state: 'bound',
  sinceMs: NOW,
  ...change,
});

const draft = (change: Partial<ClaimDraft> = {}): ClaimDraft => ({
  network: 'default',
  address: addressOf('1.1.1.4'),
  length: 32,
  pool: 'ipgroup-1',
  family: 4,
  state: 'held',
  holders: [holder('a')],
  takenAtMs: NOW,
  ...change,
});

const written = (of: ClaimDraft, before?: JsonMap): JsonMap =>
  valueOf(codec.write(of, { decision: 'd1', ...(before === undefined ? {} : { before }) }));

const stored = (object: JsonMap): JsonMap => ({
  ...object,
  metadata: {
    ...metadataOf(object),
    uid: 'uid-1',
    resourceVersion: '7',
    creationTimestamp: '2025-12-31T23:00:00Z',
  },
});

const MADE = Date.parse('2025-12-31T23:00:00Z');

describe('ipCodec', () => {
  test.each<readonly [string, ClaimDraft]>([
    ['an address of one Service', draft()],
    ['an IPv6 address', draft({ address: addressOf('fd00::1'), length: 128, family: 6 })],
    ['a holder without a UID', draft({ holders: [holder('a', { owner: service('a') })] })],
    [
      'a shared address',
      draft({
        holders: ['a', 'b'].map((name) =>
          holder(name, { sharing: { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Local', selector: 'a=b' } }),
        ),
      }),
    ],
    [
      'a quarantine',
      draft({ state: 'quarantined', holders: [], quarantine: { untilMs: NOW + 9, former: holder('a') } }),
    ],
    ['what no Service holds', draft({ holders: [holder('a', { purpose: 'control plane' })] })],
  ])('reads %s as it was written', (_what, of) => {
    const object = stored(written(of));
    expect(codec.read(object)).toEqual({ ...of, version: 7 });
    expect(codec.decisionOf(object)).toBe('d1');
  });

  test('R2 VIP-T01 writes the label and the annotation that readers of the older operator know', () => {
    expect(written(draft())).toMatchObject({
      metadata: { name: '1.1.1.4', labels: { ipgroup: 'ipgroup-1' }, annotations: { [IP_KEYS.owner]: 'test/a' } },
      spec: { address: '1.1.1.4', ipGroup: 'ipgroup-1', owner: { kind: 'Service', namespace: 'test', name: 'a' } },
    });
  });

  test('R3 VIP-T20 names IPv6 addresses in full', () => {
    const object = written(draft({ address: addressOf('fd00::1'), length: 128, family: 6 }));
    expect(metadataOf(object)['name']).toBe('fd00-0000-0000-0000-0000-0000-0000-0001');
  });

  test('VIP-T23 shortens the label of a group with a long name, and keeps the name', () => {
    const pool = 'g'.repeat(70);
    const object = stored(written(draft({ pool })));
    expect(String(mapOf(metadataOf(object)['labels'])['ipgroup'])).toHaveLength(63);
    expect(codec.read(object)?.pool).toBe(pool);
  });

  test('VIP-T42 reads objects of the older operator', () => {
    const old = stored({
      metadata: { name: '1.1.1.5', labels: { ipgroup: 'g' }, annotations: { [IP_KEYS.owner]: 'test/a' } },
    });
    expect(codec.read(old)).toMatchObject({
      network: 'default',
      pool: 'g',
      state: 'held',
      takenAtMs: MADE,
      holders: [{ id: 'uid-1', owner: service('a'), sinceMs: MADE }],
    });
    const mapped = stored({
      metadata: { name: '1.1.1.5', labels: { gsm: 'm' }, annotations: { [IP_KEYS.owner]: 'test/v' } },
    });
    expect(codec.read(mapped)).toMatchObject({
      pool: '',
      holders: [{ owner: { kind: 'VirtualIP', apiVersion: 'paas.org/v1', namespace: 'test', name: 'v' } }],
    });
  });

  test('keeps an address taken of which nothing else can be read', () => {
    const object = stored({ metadata: { name: '1.1.1.5' } });
    expect(codec.read(object)).toMatchObject({ state: 'held', holders: [{ owner: { kind: 'IP', name: '1.1.1.5' } }] });
    const broken = stored({ metadata: { name: '1.1.1.5' }, spec: { state: 'quarantined', until: 'soon' } });
    expect(codec.read(broken)).toMatchObject({ state: 'quarantined', quarantine: { untilMs: Infinity } });
    expect(codec.read(stored({ metadata: { name: 'web' } }))).toBeUndefined();
  });

  test('keeps what others wrote to an object, but for the label that no longer counts', () => {
    const before = stored({
      metadata: {
        name: '1.1.1.4',
        labels: { gsm: 'm', team: 'x' },
        annotations: { note: 'y' },
        finalizers: ['a.example.com/b'],
      },
    });
    const { metadata } = written(draft(), before);
    expect(metadata).toMatchObject({
      labels: { team: 'x' },
      annotations: { note: 'y' },
      finalizers: ['a.example.com/b'],
    });
    expect(mapOf(mapOf(metadata)['labels'])['gsm']).toBeUndefined();
  });

  test.each<readonly [string, Partial<ClaimDraft>]>([
    ['a prefix', { length: 24 }],
    ['another network', { network: 'blue' }],
    ['a secret', { secret: { hash: 'h', scope: 'shared' } }],
    ['a key', { holders: [holder('a', { key: 'k' })] }],
    ['a lease', { holders: [holder('a', { state: 'reserved' })] }],
    ['no holder', { holders: [] }],
  ])('refuses %s', (_what, change) => {
    expect(codec.write(draft(change), { decision: 'd' })).toMatchObject({ refusal: { code: 'claim/invalid' } });
  });
});
