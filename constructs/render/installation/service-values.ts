import { OPTIONS } from '../../../operator/settings/options';
import type { OperatorSettingsProps } from '../../operator/settings/settings-props';
import {
  choice,
  handedOn,
  ITEMS,
  NUMBER,
  optional,
  part,
  TEXT,
  type ChartValue,
  type JsonSchema,
} from '../helm/chart-value';
import { valueAt } from '../helm/value-reader';
import { HAS_WEBHOOKS } from './egress-values';
import type { InstallationProps } from './installation';
import { CLASS_NAMES, NAMESPACES } from './value-schemas';

type Values = readonly ChartValue<InstallationProps>[];

/** Words for which the tree puts the classes of the release. */
const CLASS_WORDS = { loadBalancerClasses: 'class-of-the-release', occupiedClasses: 'class-of-others' } as const;

// A list that only counts while Services are served; where it is joined into one text, the tree sees to it.
function ofServices(
  name: 'loadBalancerClasses' | 'occupiedClasses' | 'excludedNamespaces',
  comment: string,
  schema: JsonSchema,
): ChartValue<InstallationProps> {
  const path = `services.${name}`;
  const props = (list: readonly string[]): InstallationProps => ({ services: { [name]: list } });
  return {
    ...optional(path, { comment, initial: [], schema, read: ITEMS }, props),
    shapes: (read) => [
      { props: {} },
      {
        condition: `and ${valueAt('services.enabled')} ${valueAt(path)}`,
        // classes stand in texts alone, where the tree puts the values of the release for this word
        props: props(name === 'excludedNamespaces' ? read.items(path) : [CLASS_WORDS[name]]),
      },
    ],
  };
}

// Certificates of its own are made for webhooks alone.
function certificates(): ChartValue<InstallationProps> {
  const path = 'certificates';
  const value = choice(
    path,
    {
      comment:
        "Issuer of the webhooks' certificate: cert-manager, or the operator itself (`self-managed`). Without Services and Egress, cert-manager makes that of the IPAM-API, unless it has one of its own.",
      allowed: ['cert-manager', 'self-managed'],
    },
    (by): InstallationProps => ({ certificates: by }),
  );
  const shapes: typeof value.shapes = (read) => {
    const [usual, ...others] = value.shapes(read);
    const withWebhooks = (condition = 'true'): string => `and (${HAS_WEBHOOKS}) (${condition})`;
    return [
      ...(usual === undefined ? [] : [usual]),
      ...others.map((each) => ({ ...each, condition: withWebhooks(each.condition) })),
    ];
  };
  return { ...value, shapes };
}

// Where the Egress door is open, its shapes say what is left without Services.
function enabled(): ChartValue<InstallationProps> {
  const path = 'services.enabled';
  const value = choice(
    path,
    {
      comment:
        'Whether LoadBalancer Services are served. Without, there are no rights, webhooks and pools for them, and another door has to be open: `ipamApi.expose.enabled`, `vips.enabled`, `networks.enabled` or `egress.enabled`.',
      allowed: [true, false],
    },
    (on): InstallationProps => ({ services: { enabled: on } }),
  );
  const shapes: typeof value.shapes = (read) =>
    value.shapes(read).map((each, index) => (index === 0 ? each : { ...each, condition: `not (${HAS_WEBHOOKS})` }));
  return { ...value, shapes };
}

/** Values of the Services front door. */
export const SERVICE_VALUES: Values = [
  enabled(),
  part<InstallationProps>(
    'services.defaultZone',
    {
      comment:
        'Zone of Services that name none, one of `zones`. Set, it makes every LoadBalancer Service without a class ours; empty, a Service that asks for nothing is left alone.',
      initial: '',
    },
    (value) => (value === '' ? {} : { services: { defaultZone: value as string } }),
  ),
  ofServices(
    'loadBalancerClasses',
    'Values of `spec.loadBalancerClass` that are ours; Services without a class need none.',
    CLASS_NAMES,
  ),
  ofServices(
    'occupiedClasses',
    'Values of `spec.loadBalancerClass` that announcers of others serve here: what their Services show is never given out.',
    CLASS_NAMES,
  ),
  ofServices(
    'excludedNamespaces',
    'Namespaces whose Services never reach the webhooks, beside kube-system, kube-public, kube-node-lease and ipam-system.',
    { ...NAMESPACES, uniqueItems: true },
  ),
  choice(
    'whenUnavailable',
    {
      comment:
        'Treatment of a Service while no address can be given: `deny` refuses it, `admit` stores it without one. `admit` needs `zonePools: claims`, else MetalLB would give such a Service any address.',
      allowed: ['deny', 'admit'],
    },
    (whenUnavailable): InstallationProps => ({ whenUnavailable }),
  ),
  certificates(),
  handedOn(
    'logLevel',
    {
      comment: 'Least severe level that is logged.',
      initial: OPTIONS.logLevel.default,
      schema: { enum: OPTIONS.logLevel.choices },
      read: TEXT,
    },
    (logLevel): InstallationProps => ({ logLevel: logLevel as 'info' }),
  ),
];

type NumberName = Exclude<keyof OperatorSettingsProps, 'recoverableSecrets' | 'clusterId' | 'namespacePreset'>;

const SETTINGS: Readonly<Record<NumberName, string>> = {
  admissionDeadlineSeconds: 'Seconds after which a review is answered by `whenUnavailable`',
  reservationLeaseSeconds: 'Seconds that a reservation lives for a Service that has not been stored yet',
  maxReservationsPerNamespace: 'Most reservations of one namespace that are not bound yet',
  shutdownDelaySeconds: 'Seconds between not-ready and the end of listening, so that callers learn of it first',
  historyDays: 'Days for which the record tells former holders of an address',
  historyRowsPerNamespace: 'Most rows of history of one namespace, the newest ones',
};

function setting(name: NumberName): ChartValue<InstallationProps> {
  const path = `settings.${name}`;
  const { min, max, default: initial } = OPTIONS[name];
  const props = (value: number): InstallationProps => ({ settings: { [name]: value } });
  const comment = `${SETTINGS[name]}, ${String(min)} to ${String(max)}.`;
  return {
    path,
    initial,
    schema: { type: 'integer', minimum: min, maximum: max },
    comment,
    props: (value, read) => (value === initial ? {} : props(read.number(path))),
    shapes: (read) => [
      { props: {} },
      {
        condition: `ne (int ${valueAt(path)}) ${String(initial)}`,
        // synth calculates with this one, so the value is put on the finished Deployment
        props: props(name === 'shutdownDelaySeconds' ? initial : NUMBER(read, path)),
      },
    ],
  };
}

/** Values of times and limits, of which there is one for each setting of the operator. */
export const SETTING_VALUES: Values = [
  ...(Object.keys(SETTINGS) as NumberName[]).map(setting),
  choice(
    'settings.recoverableSecrets',
    {
      comment: 'Whether secrets are kept encrypted beside their hashes, so that an administrator can read them again.',
      allowed: [false, true],
    },
    (recoverableSecrets): InstallationProps => (recoverableSecrets ? { settings: { recoverableSecrets } } : {}),
  ),
  optional(
    'settings.clusterId',
    {
      comment:
        'Identity of this cluster in the record; empty is that in the Secret ipam-cluster-identity, which is made at the first start.',
      initial: '',
      read: TEXT,
    },
    (clusterId): InstallationProps => ({ settings: { clusterId } }),
  ),
  choice(
    'settings.namespacePreset',
    {
      comment:
        'Namespaces whose Services the operator leaves alone beside `services.excludedNamespaces`: `minimal` (kube-system, kube-public, kube-node-lease, its own), `original` (13 more that the original operator left out), or `as-begun`: `original` for an installation that was taken over or is older than this choice, else `minimal`.',
      allowed: ['as-begun', 'minimal', 'original'],
    },
    (namespacePreset): InstallationProps => (namespacePreset === 'as-begun' ? {} : { settings: { namespacePreset } }),
  ),
];
