import type { IpamOperatorProps, VipsDoorProps } from '../../../../../constructs';
import { DOORS, openDoors } from '../../../../../constructs/operator/doors/doors';
import { alertGroups, monitoringRows } from '../../../../../constructs/operator/monitoring-rows';
import { containerOf, one, synthesized, type Json } from '../../../../support/operator-objects';

const SERVICES: Partial<IpamOperatorProps> = {};
const IPAM_API: Partial<IpamOperatorProps> = { services: { enabled: false }, ipamApi: { expose: {} } };
const BOTH: Partial<IpamOperatorProps> = { ipamApi: { expose: {} } };
const EVENTS: Partial<IpamOperatorProps> = {
  cleanupEvents: { url: 'https://events.example.com:8443', token: { name: 'login' } },
};

const VIPS: Partial<IpamOperatorProps> = { vips: { enabled: true } };

const NETWORKS: Partial<IpamOperatorProps> = { networks: { enabled: true } };

const MIGRATION: Partial<IpamOperatorProps> = { vips: { enabled: true, migration: true } };

const OBJECTS: Partial<IpamOperatorProps> = {
  ...VIPS,
  services: { enabled: false },
  store: { objects: true },
  zones: undefined as never,
};
const REMOTE: Partial<IpamOperatorProps> = {
  store: { remote: { url: 'https://ipam.example.com', token: { name: 'login' } } },
};

const openNames = (props: Partial<IpamOperatorProps>): readonly string[] => openDoors(props).map(({ name }) => name);
const listOf = (value: Json | undefined): readonly Json[] => value ?? [];

/** Ports that the NetworkPolicy lets in from anywhere, which are those of the front doors. */
function letIn(objects: readonly Json[]): readonly unknown[] {
  const rules = listOf(one(objects, 'NetworkPolicy')['spec']?.['ingress']);
  return rules.filter((rule) => !('from' in rule)).flatMap((rule) => listOf(rule['ports']).map(({ port }) => port));
}

describe('openDoors', () => {
  test.each([
    ['Services alone', SERVICES, ['services', 'webhooks', 'admin']],
    ['the IPAM-API alone', IPAM_API, ['ipam-api', 'admin']],
    ['both', BOTH, ['services', 'webhooks', 'ipam-api', 'admin']],
    ['an IPAM-API that does not listen', { ipamApi: {} }, ['services', 'webhooks', 'admin']],
    ['clean-up events beside Services', EVENTS, ['services', 'webhooks', 'cleanup-events', 'admin']],
    ['VIPs beside Services', VIPS, ['services', 'webhooks', 'vips', 'admin']],
    ['the migration of VirtualIPs in the VIPs door', MIGRATION, ['services', 'webhooks', 'vips', 'admin']],
    ['no migration without VIPs', { vips: { migration: true } }, ['services', 'webhooks', 'admin']],
    [
      'Cluster API beside VIPs',
      { ...VIPS, clusterApi: { enabled: true } },
      ['services', 'webhooks', 'vips', 'cluster-api', 'admin'],
    ],
    [
      'Cluster API beside networks',
      { ...NETWORKS, clusterApi: { enabled: true } },
      ['services', 'webhooks', 'cluster-api', 'networks', 'admin'],
    ],
    ['networks beside Services', NETWORKS, ['services', 'webhooks', 'networks', 'admin']],
    ['Egress beside Services', { egress: { enabled: true } }, ['services', 'webhooks', 'egress', 'admin']],
    [
      'the webhooks of Egress alone',
      { egress: { enabled: true }, services: { enabled: false } },
      ['webhooks', 'egress', 'admin'],
    ],
    ['networks alone', { ...NETWORKS, services: { enabled: false } }, ['networks', 'admin']],
    ['no networks without their switch', { networks: { orphanGraceSeconds: 60 } }, ['services', 'webhooks', 'admin']],
    ['VIPs alone', { ...VIPS, services: { enabled: false } }, ['vips', 'admin']],
    ['a door of administrators where IPGroups are told of', OBJECTS, ['vips', 'admin']],
    ['a door of administrators where another operator has the claims', REMOTE, ['services', 'webhooks', 'admin']],
  ])('finds %s', (_what, props, names) => {
    expect(openNames(props)).toEqual(names);
  });
});

describe('the records of the front doors', () => {
  test('differ in name and port', () => {
    expect(new Set(DOORS.map(({ name }) => name)).size).toBe(DOORS.length);
    const ports = DOORS.flatMap(({ port }) => port ?? []);
    expect(new Set(ports.map(({ number }) => number)).size).toBe(ports.length);
    expect(new Set(ports.map(({ name }) => name)).size).toBe(ports.length);
  });

  test('guard none but kinds that they install', () => {
    for (const { kinds, guarded = [] } of DOORS)
      expect(kinds(VIPS)).toEqual(expect.arrayContaining(guarded.map(({ kind }) => kind)));
    const policies = synthesized({ ...VIPS, ...NETWORKS }).flatMap(({ kind, metadata }) =>
      String(kind) === 'ValidatingAdmissionPolicy' ? [String(metadata?.['name'])] : [],
    );
    expect(policies).toEqual(expect.arrayContaining(['ipam-record-guard', 'ipam-ip-guard', 'ipam-table-guard']));
  });

  test('need a certificate only where they have a port', () => {
    const needed = DOORS.filter(({ port }) => port === undefined).flatMap((door) => door.certificate?.(VIPS) ?? []);
    expect(needed.filter((each) => each !== 'none')).toEqual([]);
  });

  test.each([
    ['Services alone', SERVICES],
    ['the IPAM-API alone', IPAM_API],
    ['both', BOTH],
    ['Services, beside a stream of clean-up events', EVENTS],
    ['VIPs beside Services', VIPS],
    ['networks beside Services', NETWORKS],
  ])('open the ports of %s, and no others, in Pods and NetworkPolicy', (_what, props) => {
    const objects = synthesized(props);
    const doors = openDoors(props).flatMap(({ port }) => port ?? []);
    const ports = listOf(containerOf(objects)['ports']).filter(({ name }) => String(name) !== 'health');
    expect(ports.map(({ name, containerPort }) => [name, containerPort])).toEqual(
      doors.map(({ name, number }) => [name, number]),
    );
    expect(letIn(objects)).toEqual(doors.map(({ number }) => number));
  });

  test('bring their alerts and panels, in groups of their own name', () => {
    const groups = new Map(alertGroups({}).map(({ name, rules }) => [name, rules.map(({ alert }) => alert)]));
    expect([...groups.keys()]).toEqual([
      'ipam-zones',
      'ipam-services',
      'ipam-vips',
      'ipam-cluster-api',
      'ipam-networks',
      'ipam-networks-grpc',
      'ipam-egress',
      'ipam-store',
      'ipam-operator',
      'ipam-neighbours',
    ]);
    for (const { name, alerts, panels, server } of DOORS) {
      const names = alerts({}).map(({ alert }) => alert);
      expect(groups.get(`ipam-${name}`) ?? []).toEqual(server === undefined ? names : []);
      expect(groups.get(server === undefined ? `ipam-${name}` : 'ipam-neighbours') ?? []).toEqual(
        expect.arrayContaining(names),
      );
      expect(monitoringRows({}).panels).toEqual(expect.arrayContaining([...panels.requests, ...panels.objects]));
    }
  });

  test('let the Pods out to the server of a door that is open, and mount its login', () => {
    const objects = synthesized(EVENTS);
    const rules = listOf(one(objects, 'NetworkPolicy')['spec']?.['egress']);
    expect(rules).toContainEqual({ ports: [{ port: 8443, protocol: 'TCP' }] });
    const mounts = listOf(containerOf(objects)['volumeMounts']).map(({ name }) => name);
    expect(mounts).toEqual(expect.arrayContaining(['cleanup-events-token', 'run']));
    const closed = listOf(containerOf(synthesized(SERVICES))['volumeMounts']).map(({ name }) => name);
    expect(closed.at(-1)).toBe('run');
    expect(closed).not.toContain('cleanup-events-token');
  });

  test('mount the folder of the admin socket in every installation', () => {
    const isMounted = (props: Partial<IpamOperatorProps>) =>
      listOf(containerOf(synthesized(props))['volumeMounts']).some(({ mountPath }) => mountPath === '/run/ipam');
    expect([SERVICES, OBJECTS, REMOTE, { ...REMOTE, vips: { enabled: true } }].map(isMounted)).toEqual([
      ...[true, true, true, true],
    ]);
  });

  test('read annotations of other load balancers where the VIPs door is told to, and refuse a name that is none', () => {
    const argsWith = (foreignAnnotations: readonly string[]) =>
      listOf(containerOf(synthesized({ vips: { enabled: true, foreignAnnotations } as VipsDoorProps }))['args']);
    expect(argsWith(['metallb', 'kube-vip'])).toContain('--vips-foreign-annotations=metallb,kube-vip');
    expect(argsWith([]).filter((each) => String(each).startsWith('--vips-foreign'))).toEqual([]);
    expect(() => argsWith(['nginx'])).toThrow(
      'vips.foreignAnnotations[0]: "nginx" is not allowed; allowed is metallb, cilium',
    );
  });

  test('give the operator the rights that they ask for, and a closed one none', () => {
    const secretsOf = (props: Partial<IpamOperatorProps>): readonly unknown[] =>
      listOf(one(synthesized(props), 'Role', 'ipam-manager-role')['rules']).flatMap(({ resourceNames }) =>
        listOf(resourceNames),
      );
    const [services] = DOORS.map((door) => door.rights(SERVICES).secretsRead);
    expect(services?.length).toBeGreaterThan(0);
    expect(secretsOf(SERVICES)).toEqual(expect.arrayContaining([...(services ?? [])]));
    expect(secretsOf(IPAM_API).filter((name) => services?.includes(String(name)))).toEqual([]);
  });
});
