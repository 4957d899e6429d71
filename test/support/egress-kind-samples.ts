import { EGRESS_IPAM, type EgressIpamObject } from '../../operator/contract/kinds/egress-ipam';
import type { VipKindSample } from './vip-kind-samples';

/** Builds a whole EgressIPAM. */
export const egressIpamObject = (name: string, spec?: object, metadata: object = {}): EgressIpamObject => ({
  apiVersion: `${EGRESS_IPAM.group}/${EGRESS_IPAM.version}`,
  kind: EGRESS_IPAM.kind,
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec: spec as Required<EgressIpamObject>['spec'] }),
});

/** Writes a spec with one node label and these CIDRs. */
export const egressSpec = (...cidrAssignments: readonly object[]): object => ({
  topologyLabel: 'egressGateway',
  cidrAssignments,
});

const NET = { CIDR: '192.169.0.0/24', labelValue: 'true' };
const good = (title: string, spec?: object): VipKindSample<EgressIpamObject> => ({
  title,
  object: egressIpamObject('bm', spec),
});
const bad = (title: string, refusedAt: string, [spec, says]: readonly [object, string]) => ({
  title,
  object: egressIpamObject('bm', spec),
  refusedAt,
  says,
});
const badEntry = (title: string, field: string, [entry, says]: readonly [object, string]) =>
  bad(title, `spec.cidrAssignments[0]${field}`, [egressSpec({ ...NET, ...entry }), says]);

const CIDR = 'must be a prefix in CIDR notation without bits after its length, such as 10.0.0.0/24 or fd00::/64';
const RANGE = 'must be an address, a range such as 1.1.1.1-1.1.1.9, or a prefix in CIDR notation';

/** EgressIPAMs that API server and our validator are both asked about. */
export const EGRESS_SAMPLES: readonly VipKindSample<EgressIpamObject>[] = [
  good('EG-1 a manifest of the older operator', {
    ...egressSpec({ ...NET, reservedIPs: ['192.169.0.5'] }),
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
  }),
  good('EG-1 a zone label, and an empty value', {
    topologyLabel: 'topology.kubernetes.io/zone',
    cidrAssignments: [
      { CIDR: '10.0.128.0/20', labelValue: 'eu-central-1a' },
      { CIDR: '10.0.144.0/20', labelValue: '' },
    ],
  }),
  good('EG-1 an object without a spec'),
  good('EG-4 both families', egressSpec(NET, { CIDR: 'fd00::/120', labelValue: 'true', reservedIPs: ['fd00::1'] })),
  good('EG-27 two CIDRs of one label value', egressSpec(NET, { CIDR: '192.169.1.0/24', labelValue: 'true' })),
  good(
    'EG-case-6 a pair and a single address',
    egressSpec({ CIDR: '10.0.0.0/31', labelValue: 'a' }, { CIDR: '10.0.1.7/32', labelValue: 'b' }),
  ),
  good('every field', {
    ...egressSpec({
      ...NET,
      name: 'north',
      subnet: '192.169.0.0/16',
      gateway: '192.169.255.1',
      reservedIPs: ['192.169.0.5'],
      reservedRanges: ['192.169.0.10-192.169.0.19', '192.169.0.128/25'],
    }),
    nodeSelector: { matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] },
    namespaceSelector: { matchLabels: { team: 'net' } },
    network: 'edge',
    dataplane: 'cilium',
    exceptDestinations: ['192.0.2.0/24', '2001:db8::/32'],
    quarantineSeconds: 900,
    rebalance: 'OnNodeJoin',
    failover: { notReadySeconds: 30 },
    allowOverlap: true,
    deletionPolicy: 'Retain',
  }),
  bad('no topology label', 'spec.topologyLabel', [{ cidrAssignments: [NET] }, '']),
  bad('an empty topology label', 'spec.topologyLabel', [{ ...egressSpec(NET), topologyLabel: '' }, '']),
  bad('an excepted destination with bits after its length', 'spec.exceptDestinations[1]', [
    { ...egressSpec(NET), exceptDestinations: ['192.0.2.0/24', '192.0.2.1/24'] },
    CIDR,
  ]),
  bad('W-24 no CIDR', 'spec.cidrAssignments', [{ topologyLabel: 'zone' }, 'must have an entry']),
  bad('W-24 an empty list of CIDRs', 'spec.cidrAssignments', [egressSpec(), 'must have an entry']),
  badEntry('EG-case-7 bits after the length', '.CIDR', [{ CIDR: '10.0.0.5/24' }, CIDR]),
  badEntry('a CIDR that is none', '.CIDR', [{ CIDR: 'foo' }, CIDR]),
  badEntry('IPv4 inside of IPv6', '.CIDR', [{ CIDR: '::ffff:10.0.0.0/120' }, CIDR]),
  badEntry('EG-case-8 the sample of the older manual', '', [
    { reservedIPs: ['192.159.0.5'] },
    'must have its reservedIPs inside of its CIDR',
  ]),
  badEntry('a reserved address that is none', '.reservedIPs[1]', [
    { reservedIPs: ['192.169.0.5', 'x1'] },
    'must be an address',
  ]),
  badEntry('a reserved range that is none', '.reservedRanges[0]', [{ reservedRanges: ['192.169.0.9-'] }, RANGE]),
  badEntry('a subnet beside the CIDR', '', [{ subnet: '10.0.0.0/8' }, 'must have its CIDR inside of its subnet']),
  badEntry('a subnet with bits after its length', '.subnet', [{ subnet: '192.169.0.1/16' }, CIDR]),
  badEntry('a gateway beside the CIDR', '', [
    { gateway: '10.0.0.1' },
    'must have its gateway inside of its subnet, and inside of its CIDR where it has no subnet',
  ]),
  badEntry('a gateway that is none', '.gateway', [{ gateway: 'gw1' }, 'must be an address']),
  badEntry('a label value that no node can have', '.labelValue', [{ labelValue: 'a b' }, '']),
  bad('EG-case-9 overlapping CIDRs', 'spec.cidrAssignments', [
    egressSpec({ CIDR: '10.0.0.0/24', labelValue: 'a' }, { CIDR: '10.0.0.0/25', labelValue: 'b' }),
    'must have CIDRs that do not overlap',
  ]),
  bad('overlapping CIDRs in two spellings', 'spec.cidrAssignments', [
    egressSpec({ CIDR: 'fd00::/64', labelValue: 'a' }, { CIDR: 'fd00:0::/64', labelValue: 'b' }),
    'must have CIDRs that do not overlap',
  ]),
  bad('two entries of one name', 'spec.cidrAssignments', [
    egressSpec({ ...NET, name: 'a' }, { CIDR: '10.0.0.0/24', labelValue: 'a', name: 'a' }),
    'must have different names',
  ]),
  bad('an unknown dataplane', 'spec.dataplane', [{ ...egressSpec(NET), dataplane: 'flannel' }, '']),
  bad('a node selector without values', 'spec.nodeSelector.matchExpressions[0]', [
    { ...egressSpec(NET), nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    'must have values with the operators In and NotIn, and none with Exists and DoesNotExist',
  ]),
];
