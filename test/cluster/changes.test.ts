import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
import { changeCases, Changes, port, prepare, rowOf, served, sharing, zonesOf } from './support/change-cases';
import type { Case, Outcome, Row } from './support/change-cases';
import type { KubeObject } from './support/cluster-client';
import type { Wanted } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useInstallation } from './support/use-installation';

const ROWS = 60;

/** A control plane with an operator and MetalLB, and room for rows. */
function useScene(props: Partial<IpamOperatorProps>) {
  let used = 0;
  const {
    plane,
    operator,
    scene: sceneIn,
  } = useInstallation({
    props: { zones: zonesOf(ROWS), ...props },
    prepare: async (control) => {
      await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
      await scene.secret('mine', 'my-own-secret');
      await scene.secret('other', 'another-secret');
    },
  });
  const scene = sceneIn('a');
  const nextRow = (): Row => rowOf(used++);
  return {
    plane,
    scene,
    nextRow,
    changes: new Changes(scene),
    log: () => operator().log(),
    /** A row whose Service has its address. */
    row: (wanted: Wanted = {}): Promise<Row> => prepare(scene, nextRow(), { before: () => wanted }),
  };
}

type Allowed = Case & { readonly then: (row: Row) => Outcome };
type Refused = Case & { readonly then: RegExp };

const defined = (annotations: Outcome['annotations'] = {}) =>
  Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined));
const absent = (annotations: Outcome['annotations'] = {}) =>
  Object.keys(annotations).filter((key) => annotations[key] === undefined);

// the order of two addresses in the status is MetalLB's, which changes it as it likes
const partsOf = (object: KubeObject): unknown => {
  const { annotations, labels } = object.metadata;
  return { annotations, labels, spec: object.spec, ingress: ingressOf(object).toSorted(), ours: conditionOf(object) };
};

describe.each([
  { zonePools: 'prefixes', whenUnavailable: 'deny' },
  { zonePools: 'claims', whenUnavailable: 'admit' },
] as const)('a change of a LoadBalancer (specs/services.md 2.2) beside pools of $zonePools', (props) => {
  const { scene, nextRow, changes, row: rowWith } = useScene(props);
  const cases = changeCases(scene);

  test.each(cases.filter((each): each is Allowed => !(each.then instanceof RegExp)))('$title', async (each) => {
    const row = await prepare(scene, nextRow(), each);
    const followed = await scene.follow(row.name);
    await each.change(row);
    const { annotations, ingress, held } = each.then(row);
    const after = await scene.shows(row.name, ...ingress);
    await scene.holds(row.zone, held[0]);
    await scene.holds(row.other, held[1]);
    expect(after.metadata.annotations).toMatchObject(defined(annotations));
    for (const key of absent(annotations)) expect(after.metadata.annotations).not.toHaveProperty([key]);
    expect(await followed.stop()).not.toContain('');
  });

  test('the secret changes and the address is kept: the new one proves ownership, the old one no longer', async () => {
    const row = await rowWith({ annotations: { [IPAM.secret]: 'mine', ...sharing('k') } });
    await changes.set({ [IPAM.secret]: 'other' })(row);
    const joins = (secret: string) =>
      scene.create(`${row.name}-${secret}`, {
        annotations: { [IPAM.zone]: row.zone, [IPAM.secret]: secret, ...sharing('k'), [IPAM.addresses]: row.v4(0) },
        spec: port(443),
      });
    await scene.shows(row.name, row.v4(0));
    await expect(joins('mine')).rejects.toThrow(row.v4(0));
    await joins('other');
    await scene.shows(`${row.name}-other`, row.v4(0));
    expect(await scene.held(row.zone)).toBe(1);
  });

  test('W-15 the content of its Secret is edited, and the Secret deleted: neither blocks nor loses anything', async () => {
    await scene.secret('edited', 'the-first-secret');
    const row = await rowWith({ annotations: { [IPAM.secret]: 'edited' } });
    await scene.secret('edited', 'the-second-secret');
    await changes.set(sharing('k'))(row);
    expect((await scene.shows(row.name, row.v4(0))).metadata.annotations).toMatchObject(sharing('k'));
    await scene.secret('edited', 'the-third-secret');
    await changes.set({ [IPAM.addresses]: row.v4(4) })(row);
    await scene.shows(row.name, row.v4(4));
    await scene.holds(row.zone, 1);
    await scene.kubectl('delete', 'secret', 'edited');
    const touched = await scene.patch(row.name, { metadata: { labels: { team: 'x' } } });
    expect(touched.metadata.annotations).toMatchObject(served(row.zone, row.v4(4)));
    await scene.remove(row.name);
    await scene.holds(row.zone, 0);
  });

  test('W-16 a retention that was set later keeps the address for its owner after the Service is gone', async () => {
    const row = await rowWith();
    await changes.set({ [IPAM.retentionPeriodDays]: '7' })(row);
    await scene.remove(row.name);
    await scene.create(`${row.name}-next`, { annotations: { [IPAM.zone]: row.zone } });
    await scene.shows(`${row.name}-next`, row.v4(1));
    await scene.create(row.name, { annotations: { [IPAM.zone]: row.zone } });
    await scene.shows(row.name, row.v4(0));
    expect(await scene.held(row.zone)).toBe(2);
  });
});

describe('a change that is refused, or one of the type (specs/services.md 2.2, 2.3)', () => {
  const { plane, scene, nextRow, changes, row: rowWith, log } = useScene({});
  const refused = changeCases(scene).filter((each): each is Refused => each.then instanceof RegExp);

  test.each(refused)('$title', async (each) => {
    const row = await prepare(scene, nextRow(), each);
    const before = await scene.get(row.name);
    const held = await scene.held(row.zone);
    await expect(each.change(row)).rejects.toThrow(each.then);
    const after = await scene.get(row.name);
    expect(partsOf(after)).toEqual(partsOf(before));
    expect(await scene.held(row.zone)).toBe(held);
    expect(await scene.held(row.other)).toBe(0);
  });

  const ours: readonly string[] = [...Object.values(IPAM), METALLB.pool, METALLB.addresses];
  const toClusterIp = changes.patch({ spec: { type: 'ClusterIP' } });

  /** Waits until nothing of ours is left on a Service but the zone that its user wrote. */
  const left = (name: string) =>
    scene.when(name, (object) => {
      const keys = Object.keys(object.metadata.annotations ?? {});
      return conditionOf(object) === undefined && !keys.some((key) => key !== IPAM.zone && ours.includes(key));
    });

  test.each([
    ['by a patch, with an address in its status', toClusterIp],
    [
      'for ExternalName',
      changes.patch({ spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null } }),
    ],
    [
      'by kubectl apply',
      ({ name, zone }: Row) => {
        const annotations = { [IPAM.zone]: zone, team: 'x' };
        const manifest = scene.manifest(name, { annotations, spec: { type: 'ClusterIP' } });
        return scene.kubectlFile('apply', manifest, '--server-side', '--force-conflicts');
      },
    ],
  ])('SVC-01 a LoadBalancer leaves %s: one release, the keys of the user stay', async (_how, change) => {
    const row = await rowWith({ annotations: { team: 'x' } });
    await change(row);
    const after = await left(row.name);
    await scene.holds(row.zone, 0);
    expect(after.metadata.annotations).toMatchObject({ team: 'x', [IPAM.zone]: row.zone });
    expect(ingressOf(after)).toEqual([]);
    const released = (line: string): boolean => line.includes('service released') && line.includes(`"${row.name}"`);
    expect(log().split('\n').filter(released)).toHaveLength(1);
  });

  test('a LoadBalancer leaves by kubectl replace without annotations: it passes, and everything is released', async () => {
    const row = await rowWith({ annotations: { [IPAM.secret]: 'mine' } });
    await scene.kubectlFile('replace', scene.manifest(row.name, { spec: { type: 'ClusterIP' } }));
    const after = await left(row.name);
    await scene.holds(row.zone, 0);
    expect(after.spec?.['type']).toBe('ClusterIP');
    expect(after.metadata.annotations ?? {}).toEqual({});
  });

  test('SVC-01 it comes back as a new one: nothing old is trusted, what was taken meanwhile stays taken', async () => {
    const row = await rowWith();
    await toClusterIp(row);
    await left(row.name);
    await scene.holds(row.zone, 0);
    await scene.create(`${row.name}-next`, { annotations: { [IPAM.zone]: row.zone } });
    const taken = ingressOf(await scene.ready(`${row.name}-next`));
    await scene.patch(row.name, { spec: { type: 'LoadBalancer' } });
    expect(ingressOf(await scene.ready(row.name))).not.toEqual(taken);
    expect(ingressOf(await scene.ready(`${row.name}-next`))).toEqual(taken);
    expect(await scene.held(row.zone)).toBe(2);
  });

  test('SVC-01 ten flips in a row end with one address and one holder', async () => {
    const row = await rowWith();
    for (let flip = 0; flip < 10; flip += 1) {
      await scene.patch(row.name, { spec: { type: flip % 2 === 0 ? 'ClusterIP' : 'LoadBalancer' } });
    }
    const after = await scene.ready(row.name);
    await scene.holds(row.zone, 1);
    expect(ingressOf(after)).toHaveLength(1);
    expect(after.metadata.annotations?.[METALLB.addresses]).toBe(ingressOf(after)[0]);
  });

  test('SVC-03 it comes back with the class of somebody else: it is left alone', async () => {
    const row = await rowWith();
    await toClusterIp(row);
    await left(row.name);
    const spec = { type: 'LoadBalancer', loadBalancerClass: 'other.example/lb' };
    const { metadata } = await scene.patch(row.name, { spec });
    await scene.holds(row.zone, 0);
    expect(Object.keys(metadata.annotations ?? {}).filter((key) => ours.includes(key))).toEqual([IPAM.zone]);
  });

  test('a ClusterIP becomes a LoadBalancer: as a new one', async () => {
    const row = nextRow();
    await scene.create(row.name, { annotations: { [IPAM.zone]: row.zone }, spec: { type: 'ClusterIP' } });
    const admitted = await scene.patch(row.name, { spec: { type: 'LoadBalancer' } });
    expect(admitted.metadata.annotations).toMatchObject(served(row.zone, row.v4(0)));
    await scene.shows(row.name, row.v4(0));
    expect(await scene.held(row.zone)).toBe(1);
  });

  test("W-11 a ClusterIP with its neighbour's address in its annotations becomes a LoadBalancer: it waits", async () => {
    const row = await rowWith();
    const annotations = served(row.zone, row.v4(0));
    await scene.create(`${row.name}-thief`, { annotations, spec: { type: 'ClusterIP' } });
    await scene.patch(`${row.name}-thief`, { spec: { type: 'LoadBalancer' } });
    const waiting = await scene.waits(`${row.name}-thief`, 'AddressInUse');
    expect(conditionOf(waiting)?.message).toContain(`a/${row.name}`);
    expect(ingressOf(waiting)).toEqual([]);
    await scene.shows(row.name, row.v4(0));
    expect(await scene.held(row.zone)).toBe(1);
  });

  test('a ClusterIP with a leftover status in its manifest stays one, with nothing of ours', async () => {
    const row = nextRow();
    const status = { loadBalancer: { ingress: [{ ip: row.v4(0) }] } };
    const manifest = { ...scene.manifest(row.name, { spec: { type: 'ClusterIP' } }), status };
    const made = await plane().client.request('POST', scene.path(), manifest);
    expect(made.spec?.['type']).toBe('ClusterIP');
    expect(made.metadata.annotations ?? {}).toEqual({});
    expect(await scene.held(row.zone)).toBe(0);
  });
});
