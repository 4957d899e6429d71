import { mapOf } from '../../operator/contract/loose-json';
import { at, mapsOf, textsOf, type Json } from './fields';
import type { PodSpec } from './pod-specs';

/** One control of the Pod Security level `restricted`. */
export interface PodSecurityRule {
  readonly rule: string;
  readonly recommendation: string;
  readonly fix: string;
  /** True where Windows Pods are left out. */
  readonly linuxOnly?: boolean;
  /** Finds the fields at fault. */
  readonly locations: (pod: PodSpec) => readonly string[];
}

/** A container or the Pod itself, as far as security contexts go. */
interface Secured {
  readonly context: Json;
  readonly path: string;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

function containers({ spec, path }: PodSpec): readonly { container: Json; path: string }[] {
  return LISTS.flatMap((list) =>
    mapsOf(spec[list]).map((container, i) => ({ container, path: `${path}.${list}[${i}]` })),
  );
}

function containerContexts(pod: PodSpec): readonly Secured[] {
  return containers(pod).map(({ container, path }) => ({
    context: mapOf(container['securityContext']),
    path: `${path}.securityContext`,
  }));
}

function podContext({ spec, path }: PodSpec): Secured {
  return { context: mapOf(spec['securityContext']), path: `${path}.securityContext` };
}

const everywhere = (pod: PodSpec): readonly Secured[] => [podContext(pod), ...containerContexts(pod)];

// A field that each container sets itself or takes from the Pod; a wrong value anywhere is wrong.
function inherited(pod: PodSpec, field: string, fits: (value: unknown) => boolean): readonly string[] {
  const own = podContext(pod);
  const fromPod = fits(own.context[field]);
  const wrong = everywhere(pod).filter(
    ({ context, path }) =>
      (context[field] !== undefined && !fits(context[field])) ||
      (context[field] === undefined && path !== own.path && !fromPod),
  );
  return wrong.map(({ context, path }) => at(`${path}.${field}`, context[field]));
}

const VOLUME_TYPES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected'],
  'secret',
];
const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const SAFE_SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

const isSafeProfile = (value: unknown): boolean =>
  ['RuntimeDefault', 'Localhost'].some((type) => mapOf(value)['type'] === type);

function wrongCapabilities({ context, path }: Secured): readonly string[] {
  const { drop, add } = mapOf(context['capabilities']);
  const tooMany = textsOf(add).filter((name) => name !== 'NET_BIND_SERVICE');
  return [
    ...(textsOf(drop).includes('ALL') ? [] : [at(`${path}.capabilities.drop`, drop)]),
    ...(tooMany.length === 0 ? [] : [at(`${path}.capabilities.add`, tooMany)]),
  ];
}

/** Every control of the level, of `baseline` and of `restricted` itself. */
export const POD_SECURITY_RULES: readonly PodSecurityRule[] = [
  {
    rule: 'pod-security/host-namespaces',
    recommendation: 'Pods keep to their own network, process and IPC namespaces',
    fix: 'Remove hostNetwork, hostPID and hostIPC',
    locations: ({ spec, path }) =>
      ['hostNetwork', 'hostPID', 'hostIPC']
        .filter((field) => spec[field] === true)
        .map((field) => at(`${path}.${field}`, true)),
  },
  {
    rule: 'pod-security/host-process',
    recommendation: 'Windows Pods run outside of the host',
    fix: 'Remove windowsOptions.hostProcess',
    locations: (pod) =>
      everywhere(pod)
        .filter(({ context }) => mapOf(context['windowsOptions'])['hostProcess'] === true)
        .map(({ path }) => at(`${path}.windowsOptions.hostProcess`, true)),
  },
  {
    rule: 'pod-security/privileged',
    recommendation: 'No container is privileged',
    fix: 'Remove securityContext.privileged, and add the capability that is really needed',
    locations: (pod) =>
      containerContexts(pod)
        .filter(({ context }) => context['privileged'] === true)
        .map(({ path }) => at(`${path}.privileged`, true)),
  },
  {
    rule: 'pod-security/host-ports',
    recommendation: 'No container takes a port of its node',
    fix: 'Remove hostPort and use a Service',
    locations: (pod) =>
      containers(pod).flatMap(({ container, path }) =>
        mapsOf(container['ports']).flatMap(({ hostPort }, i) =>
          hostPort === undefined || hostPort === 0 ? [] : [at(`${path}.ports[${i}].hostPort`, hostPort)],
        ),
      ),
  },
  {
    rule: 'pod-security/volume-types',
    recommendation: `Volumes are of the types ${VOLUME_TYPES.join(', ')}`,
    fix: 'Replace the volume, for example hostPath by a PersistentVolumeClaim',
    locations: ({ spec, path }) =>
      mapsOf(spec['volumes']).flatMap((volume, i) =>
        Object.keys(volume)
          .filter((key) => key !== 'name' && !VOLUME_TYPES.includes(key))
          .map((key) => at(`${path}.volumes[${i}].${key}`, volume[key])),
      ),
  },
  {
    rule: 'pod-security/proc-mount',
    recommendation: 'Containers see /proc with its default masks',
    fix: 'Remove securityContext.procMount',
    locations: (pod) =>
      containerContexts(pod)
        .filter(({ context: { procMount } }) => procMount !== undefined && procMount !== 'Default')
        .map(({ context, path }) => at(`${path}.procMount`, context['procMount'])),
  },
  {
    rule: 'pod-security/selinux',
    recommendation: 'SELinux types are those of containers, without user or role',
    fix: 'Remove seLinuxOptions.type, user and role',
    locations: (pod) =>
      everywhere(pod).flatMap(({ context, path }) => {
        const { type = '', user = '', role = '' } = mapOf(context['seLinuxOptions']);
        return SELINUX_TYPES.includes(String(type)) && user === '' && role === ''
          ? []
          : [at(`${path}.seLinuxOptions`, context['seLinuxOptions'])];
      }),
  },
  {
    rule: 'pod-security/sysctls',
    recommendation: 'Only sysctls that stay inside of the Pod are set',
    fix: 'Remove the sysctl',
    locations: (pod) => {
      const { context, path } = podContext(pod);
      return mapsOf(context['sysctls'])
        .filter(({ name }) => !SAFE_SYSCTLS.includes(String(name)))
        .map(({ name }) => at(`${path}.sysctls`, name));
    },
  },
  {
    rule: 'pod-security/app-armor',
    recommendation: 'No AppArmor profile is switched off',
    fix: 'Set appArmorProfile.type to RuntimeDefault or Localhost, or remove it',
    locations: (pod) =>
      everywhere(pod)
        .filter(({ context }) => mapOf(context['appArmorProfile'])['type'] === 'Unconfined')
        .map(({ path }) => at(`${path}.appArmorProfile.type`, 'Unconfined')),
  },
  {
    rule: 'pod-security/privilege-escalation',
    recommendation: 'No process gets more rights than its parent',
    fix: 'Set securityContext.allowPrivilegeEscalation: false in every container',
    linuxOnly: true,
    locations: (pod) =>
      containerContexts(pod)
        .filter(({ context }) => context['allowPrivilegeEscalation'] !== false)
        .map(({ context, path }) => at(`${path}.allowPrivilegeEscalation`, context['allowPrivilegeEscalation'])),
  },
  {
    rule: 'pod-security/run-as-non-root',
    recommendation: 'No container runs as root',
    fix: 'Set securityContext.runAsNonRoot: true in the Pod or in every container',
    locations: (pod) => inherited(pod, 'runAsNonRoot', (value) => value === true),
  },
  {
    rule: 'pod-security/run-as-user',
    recommendation: 'No container names user 0',
    fix: 'Set securityContext.runAsUser to another user, or leave it to the image',
    locations: (pod) =>
      everywhere(pod)
        .filter(({ context }) => context['runAsUser'] === 0)
        .map(({ path }) => at(`${path}.runAsUser`, 0)),
  },
  {
    rule: 'pod-security/seccomp',
    recommendation: 'System calls are filtered',
    fix: 'Set securityContext.seccompProfile: { type: RuntimeDefault } in the Pod or in every container',
    linuxOnly: true,
    locations: (pod) => inherited(pod, 'seccompProfile', isSafeProfile),
  },
  {
    rule: 'pod-security/capabilities',
    recommendation: 'Containers drop ALL capabilities and add NET_BIND_SERVICE at most',
    fix: 'Set securityContext.capabilities: { drop: [ALL] } in every container',
    linuxOnly: true,
    locations: (pod) => containerContexts(pod).flatMap(wrongCapabilities),
  },
];
