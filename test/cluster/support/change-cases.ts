import { IPAM, METALLB } from '../../../operator/contract/group';
import type { IpamOperatorProps } from '../../../constructs';
import type { ServiceScene, Wanted } from './service-scene';

/** Room for one row: a zone to be in, another one to go to, both with two families. */
export interface Row {
  readonly name: string;
  readonly zone: string;
  readonly other: string;
  /** First and further addresses of the zone, and of the other. */
  readonly v4: (last: number) => string;
  readonly v6: (last: number) => string;
  readonly otherV4: (last: number) => string;
}

/** Expected Service after a change that is allowed. */
export interface Outcome {
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly ingress: readonly string[];
  /** Addresses that are held in the zone, and in the other one. */
  readonly held: readonly [number, number];
}

type Change = (row: Row) => Promise<unknown>;

/** A row of the matrix. */
export interface Case {
  readonly title: string;
  readonly before?: (row: Row) => Wanted;
  /** Other Services that are there. */
  readonly beside?: Change;
  readonly change: Change;
  /** Text of a refusal, by which nothing changes; or what becomes of the Service. */
  readonly then: ((row: Row) => Outcome) | RegExp;
}

/** The room of one number. */
export function rowOf(i: number): Row {
  const hextet = (i + 1).toString(16);
  return {
    name: `web-${String(i)}`,
    zone: `zone-${String(i)}`,
    other: `other-${String(i)}`,
    v4: (last) => `10.90.${String(i)}.${String(last)}`,
    v6: (last) => `fd00:90:${hextet}::${last === 0 ? '' : last.toString(16)}`,
    otherV4: (last) => `10.91.${String(i)}.${String(last)}`,
  };
}

/** The zones of rows. */
export const zonesOf = (rows: number): NonNullable<IpamOperatorProps['zones']> =>
  Array.from({ length: rows }, (_, i) => rowOf(i)).flatMap(({ zone, other, v4, v6, otherV4 }) => [
    { name: zone, prefixes: [`${v4(0)}/24`, `${v6(0)}/112`], quarantineSeconds: 1 },
    { name: other, prefixes: [`${otherV4(0)}/24`], quarantineSeconds: 1 },
  ]);

/** Changes as a user makes them, with kubectl. */
export class Changes {
  readonly #scene: ServiceScene;

  constructor(scene: ServiceScene) {
    this.#scene = scene;
  }

  set(values: Readonly<Record<string, string>>): Change {
    const pairs = Object.entries(values).map((pair) => pair.join('='));
    return ({ name }) => this.#scene.kubectl('annotate', '--overwrite', 'service', name, ...pairs);
  }

  drop(...keys: string[]): Change {
    return ({ name }) => this.#scene.kubectl('annotate', 'service', name, ...keys.map((key) => `${key}-`));
  }

  patch(change: unknown): Change {
    return ({ name }) => this.#scene.kubectl('patch', 'service', name, '--type=merge', '-p', JSON.stringify(change));
  }
}

/** Terms of a Service that may share its address. */
export const sharing = (key: string): Record<string, string> => ({ [IPAM.allowLocalSharedIp]: key });
/** A Service with another port. */
export const port = (number: number) => ({ ports: [{ port: number, protocol: 'TCP' }] });

/** Everything of MetalLB's and ours, as a Service has it that asks for nothing but its zone. */
export const served = (zone: string, addresses: string): Record<string, string> => ({
  [METALLB.pool]: zone,
  [METALLB.addresses]: addresses,
  [IPAM.addresses]: addresses,
  [IPAM.zone]: zone,
});

const unchanged = ({ zone, v4 }: Row): Outcome => ({
  annotations: served(zone, v4(0)),
  ingress: [v4(0)],
  held: [1, 0],
});

/** Makes the Service of a row, and those beside it, and waits for their addresses. */
export async function prepare(scene: ServiceScene, row: Row, { before, beside }: Partial<Case> = {}): Promise<Row> {
  const { annotations, ...rest } = before?.(row) ?? {};
  await scene.create(row.name, { ...rest, annotations: { [IPAM.zone]: row.zone, ...annotations } });
  await scene.ready(row.name);
  if (beside === undefined) return row;
  await beside(row);
  await scene.ready(`${row.name}-beside`);
  return row;
}

/** The rows of specs/services.md 2.2, with what design.md makes of them. */
export function changeCases(scene: ServiceScene): readonly Case[] {
  const changes = new Changes(scene);
  const set = changes.set.bind(changes);
  const drop = changes.drop.bind(changes);
  const patch = changes.patch.bind(changes);
  return [
    {
      title: 'an unrelated field changes: nothing of ours does',
      before: () => ({ annotations: { [IPAM.secret]: 'mine' } }),
      change: patch({ metadata: { labels: { team: 'x' } } }),
      then: unchanged,
    },
    {
      title: 'the addresses key is deleted: the same address comes back',
      change: drop(IPAM.addresses),
      then: unchanged,
    },
    {
      title: 'the addresses key is emptied: the same address comes back',
      change: set({ [IPAM.addresses]: '' }),
      then: unchanged,
    },
    {
      title: "MetalLB's keys are deleted: they come back",
      change: drop(METALLB.addresses, METALLB.pool),
      then: unchanged,
    },
    {
      title: 'W-14 kubectl replace without any annotation: zone, secret, options and address stay',
      before: ({ v4 }) => ({
        annotations: {
          [IPAM.secret]: 'mine',
          [IPAM.retentionPeriodDays]: '7',
          ...sharing('k'),
          [IPAM.addresses]: v4(77),
        },
      }),
      change: ({ name }) => scene.kubectlFile('replace', scene.manifest(name)),
      then: ({ zone, v4 }) => ({
        annotations: {
          ...served(zone, v4(77)),
          [IPAM.secret]: 'mine',
          [IPAM.retentionPeriodDays]: '7',
          ...sharing('k'),
          [METALLB.sharing]: 'k',
        },
        ingress: [v4(77)],
        held: [1, 0],
      }),
    },
    {
      title: 'kubectl apply of the manifest as it was: nothing changes',
      change: ({ name, zone }) =>
        scene.kubectlFile(
          'apply',
          scene.manifest(name, { annotations: { [IPAM.zone]: zone } }),
          '--server-side',
          '--force-conflicts',
        ),
      then: unchanged,
    },
    {
      title: 'FU-100 the zone changes alone: it moves, since we wrote the addresses',
      change: (row) => set({ [IPAM.zone]: row.other })(row),
      then: ({ other, otherV4 }) => ({ annotations: served(other, otherV4(0)), ingress: [otherV4(0)], held: [0, 1] }),
    },
    {
      title: 'the zone changes and an address that the user asked for is kept: refused',
      before: ({ v4 }) => ({ annotations: { [IPAM.addresses]: v4(0) } }),
      change: (row) => set({ [IPAM.zone]: row.other })(row),
      then: /the zone cannot change to "other-\d+" while .* keeps 10\.90\.\d+\.0 of zone "zone-\d+"/u,
    },
    {
      title: 'the zone changes and the addresses are emptied: it moves',
      change: (row) => set({ [IPAM.zone]: row.other, [IPAM.addresses]: '' })(row),
      then: ({ other, otherV4 }) => ({ annotations: served(other, otherV4(0)), ingress: [otherV4(0)], held: [0, 1] }),
    },
    {
      title: 'zone and addresses are set: it moves there',
      change: (row) => set({ [IPAM.zone]: row.other, [IPAM.addresses]: row.otherV4(9) })(row),
      then: ({ other, otherV4 }) => ({ annotations: served(other, otherV4(9)), ingress: [otherV4(9)], held: [0, 1] }),
    },
    {
      title: 'the zone changes to one that does not exist: refused',
      change: set({ [IPAM.zone]: 'nowhere', [IPAM.addresses]: '' }),
      then: /"nowhere"/u,
    },
    {
      title: 'the secret changes to one that is not there: refused',
      change: set({ [IPAM.secret]: 'absent' }),
      then: /"absent"/u,
    },
    {
      title: 'the secret changes and the addresses are emptied: the address is kept',
      before: () => ({ annotations: { [IPAM.secret]: 'mine' } }),
      change: set({ [IPAM.secret]: 'other', [IPAM.addresses]: '' }),
      then: ({ zone, v4 }) => ({
        annotations: { ...served(zone, v4(0)), [IPAM.secret]: 'other' },
        ingress: [v4(0)],
        held: [1, 0],
      }),
    },
    {
      title: 'the secret of a shared address changes: refused, naming who shares it',
      before: () => ({ annotations: { [IPAM.secret]: 'mine', ...sharing('k') } }),
      beside: ({ name, zone, v4 }) =>
        scene.create(`${name}-beside`, {
          annotations: { [IPAM.zone]: zone, [IPAM.secret]: 'mine', ...sharing('k'), [IPAM.addresses]: v4(0) },
          spec: port(443),
        }),
      change: set({ [IPAM.secret]: 'other' }),
      then: /a\/web-\d+-beside/u,
    },
    {
      title: 'secret and addresses change to what the new secret owns: it joins, and its own is released',
      before: () => ({ annotations: sharing('k') }),
      beside: ({ name, zone, v4 }) =>
        scene.create(`${name}-beside`, {
          annotations: { [IPAM.zone]: zone, [IPAM.secret]: 'other', ...sharing('k'), [IPAM.addresses]: v4(50) },
          spec: port(443),
        }),
      change: (row) => set({ [IPAM.secret]: 'other', [IPAM.addresses]: row.v4(50) })(row),
      then: ({ zone, v4 }) => ({
        annotations: { ...served(zone, v4(50)), [IPAM.secret]: 'other' },
        ingress: [v4(50)],
        held: [1, 0],
      }),
    },
    {
      title: 'the family becomes dual without the policy: refused',
      change: set({ [IPAM.ipFamily]: 'dual' }),
      then: /spec\.ipFamilyPolicy/u,
    },
    {
      title: 'the family becomes dual with the policy: a second address, the first is kept',
      change: patch({
        metadata: { annotations: { [IPAM.ipFamily]: 'dual' } },
        spec: { ipFamilyPolicy: 'RequireDualStack' },
      }),
      then: ({ v4, v6 }) => ({
        annotations: { [IPAM.ipFamily]: 'dual' },
        ingress: [v4(0), v6(0)],
        held: [2, 0],
      }),
    },
    {
      title: 'the policy alone becomes PreferDualStack: that is the wish for two',
      change: patch({ spec: { ipFamilyPolicy: 'PreferDualStack' } }),
      then: ({ v4, v6 }) => ({ annotations: { [IPAM.ipFamily]: 'dual' }, ingress: [v4(0), v6(0)], held: [2, 0] }),
    },
    {
      title: 'W-18 the family becomes single while two are stored: refused',
      before: () => ({ annotations: { [IPAM.ipFamily]: 'dual' } }),
      change: set({ [IPAM.ipFamily]: 'ipv4' }),
      then: /is stored with two families/u,
    },
    {
      title: 'family, policy and list become single: the other address is released',
      // the first family of a Service can never change, so the one that is to stay has to be the first
      before: () => ({ annotations: { [IPAM.ipFamily]: 'dual' }, spec: { ipFamilies: ['IPv4', 'IPv6'] } }),
      change: (row) =>
        patch({
          metadata: { annotations: { [IPAM.ipFamily]: 'ipv4', [IPAM.addresses]: row.v4(0) } },
          spec: { ipFamilyPolicy: 'SingleStack' },
        })(row),
      then: ({ zone, v4 }) => ({
        annotations: { ...served(zone, v4(0)), [IPAM.ipFamily]: 'ipv4' },
        ingress: [v4(0)],
        held: [1, 0],
      }),
    },
    {
      title: 'the family changes from ipv4 to ipv6: refused',
      change: set({ [IPAM.ipFamily]: 'ipv6' }),
      then: /ip-family/u,
    },
    {
      title: 'SVC-06 the address is replaced by another one: the new one first, then the old one goes',
      before: ({ v4 }) => ({ annotations: { [IPAM.addresses]: v4(3) } }),
      change: (row) => set({ [IPAM.addresses]: row.v4(7) })(row),
      then: ({ zone, v4 }) => ({ annotations: served(zone, v4(7)), ingress: [v4(7)], held: [1, 0] }),
    },
    {
      title: 'SVC-06 the address is replaced by a taken one in the key of MetalLB: refused, naming the holder',
      before: ({ v4 }) => ({ annotations: { [METALLB.addresses]: v4(3) } }),
      beside: ({ name, zone, v4 }) =>
        scene.create(`${name}-beside`, { annotations: { [IPAM.zone]: zone, [IPAM.addresses]: v4(2) } }),
      change: (row) => set({ [METALLB.addresses]: row.v4(2) })(row),
      then: /a\/web-\d+-beside/u,
    },
    {
      title: 'REQ-01 the address is replaced in two places that disagree: refused, naming both',
      change: (row) => set({ [IPAM.addresses]: row.v4(5), [METALLB.addresses]: row.v4(6) })(row),
      then: /10\.90\.\d+\.5.*10\.90\.\d+\.6/su,
    },
    {
      title: 'REQ-07 the address is replaced by a list with a blank and a comma too many: one address, the text stays',
      change: (row) => set({ [IPAM.addresses]: ` ${row.v4(10)},` })(row),
      then: ({ v4 }) => ({
        annotations: { [IPAM.addresses]: ` ${v4(10)},`, [METALLB.addresses]: v4(10) },
        ingress: [v4(10)],
        held: [1, 0],
      }),
    },
    {
      title: 'REQ-07 the address is replaced by two of one family: refused',
      change: (row) => set({ [IPAM.addresses]: `${row.v4(10)},${row.v4(11)}` })(row),
      then: /IPv4/u,
    },
    {
      title: 'REQ-07 the address is replaced by a marker that nobody can use: refused',
      change: set({ [IPAM.addresses]: '0.0.0.0' }),
      then: /"0\.0\.0\.0"/u,
    },
    {
      title: "a user edits MetalLB's key: it moves there, and our key follows",
      change: (row) => set({ [METALLB.addresses]: row.v4(9) })(row),
      then: ({ zone, v4 }) => ({ annotations: served(zone, v4(9)), ingress: [v4(9)], held: [1, 0] }),
    },
    {
      title: 'the address is wished in spec.loadBalancerIP: MetalLB gets no second word on it',
      change: (row) => patch({ spec: { loadBalancerIP: row.v4(8) } })(row),
      then: ({ zone, v4 }) => ({
        annotations: { [METALLB.pool]: zone, [METALLB.addresses]: undefined, [IPAM.addresses]: v4(8) },
        ingress: [v4(8)],
        held: [1, 0],
      }),
    },
    {
      title: 'W-16 retention and cleanup flag change: the options do, the address stays',
      change: set({ [IPAM.retentionPeriodDays]: '30', [IPAM.denyExternalCleanup]: 'true' }),
      then: ({ zone, v4 }) => ({
        annotations: { ...served(zone, v4(0)), [IPAM.retentionPeriodDays]: '30', [IPAM.denyExternalCleanup]: 'true' },
        ingress: [v4(0)],
        held: [1, 0],
      }),
    },
    {
      title: 'W-17 the retention becomes too long: refused',
      change: set({ [IPAM.retentionPeriodDays]: '31' }),
      then: /"31" is not allowed/u,
    },
    {
      title: 'the sharing key changes: that of MetalLB follows',
      before: () => ({ annotations: sharing('k') }),
      change: set(sharing('j')),
      then: ({ v4 }) => ({ annotations: { [METALLB.sharing]: 'j' }, ingress: [v4(0)], held: [1, 0] }),
    },
    {
      title: 'the sharing key is emptied: that of MetalLB goes',
      before: () => ({ annotations: sharing('k') }),
      change: set(sharing('')),
      then: ({ v4 }) => ({ annotations: { [METALLB.sharing]: undefined }, ingress: [v4(0)], held: [1, 0] }),
    },
    {
      title: 'externalTrafficPolicy of an address of its own changes: nothing of ours does',
      change: patch({ spec: { externalTrafficPolicy: 'Local' } }),
      then: unchanged,
    },
    {
      title: 'REQ-03 externalTrafficPolicy of a shared address changes: refused, naming the other',
      before: () => ({ annotations: sharing('k') }),
      beside: ({ name, zone, v4 }) =>
        scene.create(`${name}-beside`, {
          annotations: { [IPAM.zone]: zone, ...sharing('k'), [IPAM.addresses]: v4(0) },
          spec: port(443),
        }),
      change: patch({ spec: { externalTrafficPolicy: 'Local' } }),
      then: /a\/web-\d+-beside/u,
    },
  ];
}
