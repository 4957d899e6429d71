import { podSecurityCheck } from '../../../../constructs/validations/pod-security-restricted';
import { placed } from '../../../support/placed-objects';

type Json = Readonly<Record<string, unknown>>;

const CONTAINER: Json = {
  name: 'a',
  image: 'a:1',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};
const POD: Json = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [CONTAINER],
};
const secured = (more: Json): Json => ({
  ...CONTAINER,
  securityContext: { ...(CONTAINER['securityContext'] as Json), ...more },
});
const pod = (spec: Json, namespace?: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...(namespace === undefined ? {} : { namespace }) },
  spec,
});
const violations = (spec: Json): readonly (readonly [string, readonly string[]])[] =>
  podSecurityCheck()(placed(pod(spec))).map(({ rule, locations }) => [rule, locations] as const);

describe('PodSecurityRestricted', () => {
  test.each<[string, Json]>([
    ['a restricted Pod', POD],
    [
      'a container that says itself what the Pod does not',
      {
        containers: [
          secured({ runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } }),
        ],
      },
    ],
    [
      'NET_BIND_SERVICE',
      { ...POD, containers: [secured({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })] },
    ],
    [
      'volumes without a host',
      {
        ...POD,
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', secret: {} },
          { name: 'c', image: {} },
        ],
      },
    ],
    [
      'a safe sysctl',
      {
        ...POD,
        securityContext: { ...(POD['securityContext'] as Json), sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] },
      },
    ],
    [
      'a Windows Pod without the settings of Linux',
      {
        os: { name: 'windows' },
        securityContext: { runAsNonRoot: true },
        containers: [{ name: 'a', image: 'a:1' }],
      },
    ],
  ])('accepts %s', (_, spec) => {
    expect(violations(spec)).toEqual([]);
  });

  test.each<[string, Json, string, string]>([
    ['host-namespaces', { ...POD, hostNetwork: true }, 'spec.hostNetwork', 'true'],
    [
      'host-process',
      { ...POD, containers: [secured({ windowsOptions: { hostProcess: true } })] },
      'windowsOptions.hostProcess',
      'true',
    ],
    [
      'privileged',
      { ...POD, containers: [secured({ privileged: true })] },
      'spec.containers[0].securityContext.privileged',
      'true',
    ],
    [
      'host-ports',
      { ...POD, containers: [{ ...CONTAINER, ports: [{ containerPort: 80 }, { hostPort: 80 }] }] },
      'spec.containers[0].ports[1].hostPort',
      '80',
    ],
    [
      'volume-types',
      { ...POD, volumes: [{ name: 'a', hostPath: { path: '/' } }] },
      'spec.volumes[0].hostPath',
      '"path"',
    ],
    ['proc-mount', { ...POD, containers: [secured({ procMount: 'Unmasked' })] }, 'procMount', 'Unmasked'],
    ['selinux', { ...POD, containers: [secured({ seLinuxOptions: { type: 'spc_t' } })] }, 'seLinuxOptions', 'spc_t'],
    ['selinux', { ...POD, containers: [secured({ seLinuxOptions: { user: 'root' } })] }, 'seLinuxOptions', 'root'],
    [
      'sysctls',
      {
        ...POD,
        securityContext: { ...(POD['securityContext'] as Json), sysctls: [{ name: 'kernel.msgmax', value: '1' }] },
      },
      'spec.securityContext.sysctls',
      'kernel.msgmax',
    ],
    [
      'app-armor',
      { ...POD, containers: [secured({ appArmorProfile: { type: 'Unconfined' } })] },
      'appArmorProfile.type',
      'Unconfined',
    ],
    [
      'privilege-escalation',
      { ...POD, containers: [secured({ allowPrivilegeEscalation: undefined })] },
      'spec.containers[0].securityContext.allowPrivilegeEscalation',
      'absent',
    ],
    [
      'run-as-non-root',
      { ...POD, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      'spec.containers[0].securityContext.runAsNonRoot',
      'absent',
    ],
    [
      'run-as-non-root',
      { ...POD, containers: [secured({ runAsNonRoot: false })] },
      'spec.containers[0].securityContext.runAsNonRoot',
      'false',
    ],
    ['run-as-user', { ...POD, containers: [secured({ runAsUser: 0 })] }, 'runAsUser', '0'],
    [
      'seccomp',
      { ...POD, securityContext: { runAsNonRoot: true } },
      'spec.containers[0].securityContext.seccompProfile',
      'absent',
    ],
    [
      'seccomp',
      { ...POD, containers: [secured({ seccompProfile: { type: 'Unconfined' } })] },
      'seccompProfile',
      'Unconfined',
    ],
    [
      'capabilities',
      { ...POD, containers: [secured({ capabilities: { drop: ['NET_RAW'] } })] },
      'capabilities.drop',
      'NET_RAW',
    ],
    [
      'capabilities',
      { ...POD, containers: [secured({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } })] },
      'capabilities.add',
      'SYS_ADMIN',
    ],
  ])('pod-security/%s is broken alone, at the field and with its value', (rule, spec, ...[path, value]) => {
    const found = violations(spec);
    expect(found.map(([name]) => name)).toEqual([`pod-security/${rule}`]);
    expect(found[0]?.[1]).toHaveLength(1);
    expect(found[0]?.[1][0]).toContain(path);
    expect(found[0]?.[1][0]).toContain(value);
  });

  test('looks at init and ephemeral containers too', () => {
    const found = violations({ ...POD, initContainers: [{ name: 'i' }], ephemeralContainers: [{ name: 'e' }] });
    const locations = found.flatMap(([, places]) => places).join('\n');
    expect(locations).toContain('spec.initContainers[0]');
    expect(locations).toContain('spec.ephemeralContainers[0]');
  });

  test.each<[string, string, object]>([
    ['apps/v1', 'Deployment', { template: { spec: { hostPID: true, containers: [] } } }],
    ['apps/v1', 'DaemonSet', { template: { spec: { hostPID: true, containers: [] } } }],
    ['batch/v1', 'Job', { template: { spec: { hostPID: true, containers: [] } } }],
    ['batch/v1', 'CronJob', { jobTemplate: { spec: { template: { spec: { hostPID: true, containers: [] } } } } }],
  ])('reads the Pod of %s %s', (apiVersion, kind, spec) => {
    const [violation] = podSecurityCheck()(placed({ apiVersion, kind, metadata: { name: 'x' }, spec }));
    expect(violation?.locations[0]).toMatch(/spec\.hostPID: true$/);
  });

  test('leaves kinds without Pods, foreign kinds of the same name and exempt namespaces alone', () => {
    const check = podSecurityCheck({ exemptNamespaces: ['kube-system'] });
    const bad: Json = { hostNetwork: true, containers: [] };
    const foreign = {
      apiVersion: 'example.com/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: bad } },
    };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: bad };
    expect(check(placed(pod(bad, 'kube-system'), foreign, service))).toEqual([]);
    expect(check(placed(pod(bad, 'web')))).toHaveLength(1);
  });
});

describe('settings of PodSecurityRestricted', () => {
  test.each<[string, unknown, string]>([
    ['a text in place of a list', { exemptNamespaces: 'x' }, 'exemptNamespaces: "x" is not allowed; allowed is a list'],
    ['a number in the list', { exemptNamespaces: [7] }, 'exemptNamespaces[0]: 7 is not allowed'],
    [
      'an unknown name',
      { exemptNamespace: ['x'] },
      'exemptNamespace: there is no such prop; did you mean exemptNamespaces?',
    ],
    ['a list', ['x'], 'props: a list is not allowed'],
  ])('are refused where they are %s', (_name, settings, message) => {
    expect(() => podSecurityCheck(settings as object)).toThrow(`PodSecurityRestricted: ${message}`);
  });
});
