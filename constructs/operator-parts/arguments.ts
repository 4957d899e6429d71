import { OPTIONS, type OptionName } from '../../operator/settings/options';

/** Folders of the Pod that the arguments name and the volumes fill. */
export const FOLDERS = {
  zones: '/etc/ipam',
  certificate: '/etc/ipam-serving-cert',
  data: '/var/lib/ipam',
  scratch: '/tmp',
} as const;

/** Ports of the Pod. */
export const PORTS = { webhook: 9443, health: 8081 } as const;

/** What the arguments depend on. */
export interface OperatorArgumentsProps {
  readonly zonesFile: string;
  readonly whenUnavailable: 'deny' | 'admit';
  readonly loadBalancerClasses: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/**
 * Writes the arguments of the operator, by the flags that it declares. What matters to this installation is said even where
 * it is the default, so that a new default in a later image changes nothing behind the manifest.
 *
 * @param props - of the installation
 * @returns the arguments, in the order of the declaration
 */
export function operatorArguments(props: OperatorArgumentsProps): readonly string[] {
  const values: Partial<Record<OptionName, string>> = {
    zonesFile: `${FOLDERS.zones}/${props.zonesFile}`,
    store: 'sqlite',
    sqliteFile: `${FOLDERS.data}/ipam.sqlite`,
    hashKeyFile: `${FOLDERS.data}/hash-key`,
    webhookBindAddress: `:${String(PORTS.webhook)}`,
    healthProbeBindAddress: `:${String(PORTS.health)}`,
    webhookCertPath: FOLDERS.certificate,
    whenUnavailable: props.whenUnavailable,
    ...(props.loadBalancerClasses.length === 0 ? {} : { loadBalancerClasses: props.loadBalancerClasses.join(',') }),
    logLevel: props.logLevel,
  };
  return (Object.keys(OPTIONS) as OptionName[]).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`${OPTIONS[name].flag}=${value}`];
  });
}
