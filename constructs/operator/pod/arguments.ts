import { KEYS_SECRET, SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { OPTIONS, type OptionName } from '../../../operator/settings/options';
import type { IpamOperatorProps } from '../ipam-operator-props';
import { clientFiles } from '../ipam-api/client-files';
import { relatedSystemsOf } from '../related-systems/related-systems';
import { servesServices, storeShape, type OptionTexts } from '../store/store-shape';
import { ZONES_FILE } from '../zones/zones-config';

/** Folders of the Pod that every shape has. */
export const FOLDERS = {
  zones: '/etc/ipam',
  certificate: '/etc/ipam-serving-cert',
  ipamApiCertificate: '/etc/ipam-api-cert',
  scratch: '/tmp',
  /** Of the admin socket, where the operator looks for it by itself. */
  run: '/run/ipam',
} as const;

/** Ports of the Pod. */
export const PORTS = { webhook: 9443, health: 8081, ipamApi: 9444 } as const;

/**
 * Writes the arguments of the operator, by the flags that it declares. What matters to this installation is said even where
 * it is the default, so that a new default in a later image changes nothing behind the manifest.
 *
 * @param props - of the installation
 * @returns the arguments, in the order of the declaration
 */
export function operatorArguments(props: IpamOperatorProps): readonly string[] {
  const values: OptionTexts = {
    zonesFile: `${FOLDERS.zones}/${ZONES_FILE}`,
    healthProbeBindAddress: `:${String(PORTS.health)}`,
    logLevel: props.logLevel ?? 'info',
    ...storeOptions(props),
    ...certificateOptions(props),
    ...ipamApiOptions(props),
    ...servicesOptions(props),
    ...texts({ ...props.settings }),
    ...Object.fromEntries(relatedSystemsOf(props).flatMap(({ options }) => Object.entries(options))),
  };
  return (Object.keys(OPTIONS) as OptionName[]).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`${OPTIONS[name].flag}=${value}`];
  });
}

function storeOptions(props: IpamOperatorProps): OptionTexts {
  const { kind, replicas, options } = storeShape(props);
  // a remote store hashes its secrets itself
  const key: OptionTexts = kind === 'remote' ? {} : { hashKeySecret: KEYS_SECRET };
  return { store: kind, replicas: String(replicas), ...key, ...options };
}

function certificateOptions(props: IpamOperatorProps): OptionTexts {
  if (!servesServices(props)) return {};
  return props.certificates === 'self-managed'
    ? { selfSignedSecret: SELF_SIGNED_SECRET }
    : { webhookCertPath: FOLDERS.certificate };
}

function ipamApiOptions({ ipamApi = {} }: IpamOperatorProps): OptionTexts {
  const { expose } = ipamApi;
  if (expose === undefined) return {};
  return {
    ipamApiBindAddress: `:${String(PORTS.ipamApi)}`,
    ipamApiCertPath: FOLDERS.ipamApiCertificate,
    allowAnonymousV2: String(expose.allowAnonymousV2 ?? false),
    ...texts({ ipamApiDeadlineSeconds: expose.deadlineSeconds }),
    ...clientFiles(expose).options,
  };
}

function servicesOptions(props: IpamOperatorProps): OptionTexts {
  const { services = {}, whenUnavailable = 'deny', zonePools = 'prefixes' } = props;
  if (!servesServices(props)) return { services: 'false' };
  const { loadBalancerClasses, excludedNamespaces } = services;
  return {
    ...{ services: 'true', webhookBindAddress: `:${String(PORTS.webhook)}`, whenUnavailable, zonePools },
    ...lists({ loadBalancerClasses, excludedNamespaces }),
  };
}

function lists(values: Partial<Record<OptionName, readonly string[] | undefined>>): OptionTexts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, all = []]) => (all.length === 0 ? [] : [[name, all.join(',')]])),
  );
}

// The props are named like the options, so a new one needs no line here.
function texts(values: Partial<Record<OptionName, number | boolean | string | undefined>>): OptionTexts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
