import { ipGroupProblems } from '../../../../../operator/contract/kinds/ip-group';
import { groupsOfMappings } from '../../../../../operator/rules/vips/migration/groups-of-mappings';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const mapping = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'paas.org/v1',
  kind: 'GroupSegmentMapping',
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2022-07-01T00:00:00Z',
    managedFields: [{}],
    selfLink: '/x',
    ...metadata,
  },
  spec: { keepalivedGroup: `group-${name}`, ...spec },
  status: {},
});
const MAPPINGS = [
  mapping('keepalived-1', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] }),
  mapping(
    'keepalived-2',
    { segment: '1.1.2.0/29', excludedIPs: [] },
    { labels: { team: 'a' }, annotations: { [LAST_APPLIED]: '{"kind":"GroupSegmentMapping"}', owner: 'net' } },
  ),
  mapping(
    'keepalived-3',
    { segment: '1.1.3.5/29', excludedIPs: ['1.1.3.6'] },
    { annotations: { [LAST_APPLIED]: '{}' } },
  ),
];

test('VIP-T64 makes an IPGroup of each GroupSegmentMapping, without what was of the server or of the older kind', () => {
  const { groups, problems } = groupsOfMappings([{ apiVersion: 'v1', kind: 'List', items: MAPPINGS }]);
  const head = { apiVersion: 'paas.org/v1', kind: 'IPGroup' };
  expect(groups).toEqual([
    {
      ...head,
      metadata: { name: 'keepalived-1' },
      spec: { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] },
    },
    {
      ...head,
      metadata: { name: 'keepalived-2', labels: { team: 'a' }, annotations: { owner: 'net' } },
      spec: { segment: '1.1.2.0/29', excludedIPs: [] },
    },
    { ...head, metadata: { name: 'keepalived-3' }, spec: { segment: '1.1.3.5/29', excludedIPs: ['1.1.3.6'] } },
  ]);
  expect(problems).toEqual([]);
  expect(groups.flatMap((each) => ipGroupProblems(each))).toEqual([]);
});

test('VIP-T64 passes other kinds over, and tells what the API server will refuse', () => {
  const broken = mapping('broken', { segment: 'foo', excludedIPs: [] });
  const { groups, problems } = groupsOfMappings([{ kind: 'ConfigMap' }, null, broken, ...MAPPINGS]);
  expect([groups.length, problems]).toEqual([4, [expect.stringContaining('broken: spec.segment')]]);
});
