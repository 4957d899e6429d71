import type { IpamOperatorProps } from '../../../../../constructs';
import { DOORS, openDoors } from '../../../../../constructs/operator/doors/doors';
import { alertGroups, monitoringRows } from '../../../../../constructs/operator/monitoring-rows';
import { containerOf, one, synthesized, type Json } from '../../../../support/operator-objects';

const SERVICES: Partial<IpamOperatorProps> = {};
const IPAM_API: Partial<IpamOperatorProps> = { services: { enabled: false }, ipamApi: { expose: {} } };
const BOTH: Partial<IpamOperatorProps> = { ipamApi: { expose: {} } };

const VIPS: Partial<IpamOperatorProps> = { vips: { enabled: true } };

const openNames = (props: Partial<IpamOperatorProps>): readonly string[] => openDoors(props).map(({ name }) => name);
const listOf = (value: Json | undefined): readonly Json[] => value ?? [];

/** Ports that the NetworkPolicy lets in from anywhere, which are those of the front doors. */
function letIn(objects: readonly Json[]): readonly unknown[] {
  const rules = listOf(one(objects, 'NetworkPolicy')['spec']?.['ingress']);
  return rules.filter((rule) => !('from' in rule)).flatMap((rule) => listOf(rule['ports']).map(({ port }) => port));
}

describe('openDoors', () => {
  test.each([
    ['Services alone', SERVICES, ['services']],
    ['the IPAM-API alone', IPAM_API, ['ipam-api']],
    ['both', BOTH, ['services', 'ipam-api']],
    ['VIPs beside Services', VIPS, ['services', 'vips']],
    ['VIPs alone', { ...VIPS, services: { enabled: false } }, ['vips']],
    ['an IPAM-API that does not listen', { ipamApi: {} }, ['services']],
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

  test.each([
    ['Services alone', SERVICES],
    ['the IPAM-API alone', IPAM_API],
    ['both', BOTH],
    ['VIPs beside Services', VIPS],
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
      'ipam-store',
      'ipam-operator',
      'ipam-neighbours',
    ]);
    for (const { name, alerts, panels } of DOORS) {
      expect(groups.get(`ipam-${name}`) ?? []).toEqual(alerts.map(({ alert }) => alert));
      expect(monitoringRows({}).panels).toEqual(expect.arrayContaining([...panels.requests, ...panels.objects]));
    }
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
