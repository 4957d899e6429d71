import type { Refusal } from '../../operator/errors/outcome';
import { allowedValues } from '../../operator/settings/allowed-values';
import { doorProblems } from '../../operator/settings/door-settings';
import { OPTIONS, type OptionName } from '../../operator/settings/options';
import { storeProblems, type StoreFields } from '../../operator/settings/store-settings';
import type { IpamOperatorProps } from './ipam-operator-props';
import { clientProblems } from './ipam-api/client-files';
import { optionsWithoutEffect } from './options-without-effect';
import { extraObjectProblems } from './extra-objects/extra-object-problems';
import type { IpamApiExposeProps } from './ipam-api/ipam-api-props';
import { relatedSystemProblems } from './related-systems/related-system-problems';
import { podProblems } from './pod/pod-problems';
import { refused, secretProblems } from '../props-kit/refused';
import { servesServices, storeKind, storeShape } from './store/store-shape';

const FIELDS: StoreFields = {
  store: 'store',
  replicas: 'replicas',
  postgresDsnFile: 'store.postgres.connection',
  ipamApiUrl: 'store.remote.url',
  ipamApiTokenFile: 'store.remote.token',
  ipamApiLoginCertPath: 'store.remote.certificateSecret',
  ipamApiBindAddress: 'ipamApi.expose',
  cleanupEventsUrl: 'cleanupEvents.url',
  historyDays: 'settings.historyDays',
  recoverableSecrets: 'settings.recoverableSecrets',
};
const MAX_PORT = 65_535;

/**
 * Checks how the operator is deployed: store and replicas, certificates, IPAM-API, Pods, numbers.
 *
 * @param props - as given to the construct
 * @returns every problem at once
 */
export function shapeProblems(props: IpamOperatorProps): readonly Refusal[] {
  return [
    ...shapeOfStore(props),
    ...relatedSystemProblems(props),
    ...ipamApiProblems(props),
    ...doorProblems(doorsOf(props), { services: 'services.enabled', ipamApi: 'ipamApi.expose' }),
    ...numberProblems(props),
    ...portProblems(props),
    ...podProblems(props),
    ...optionsWithoutEffect(props),
    ...extraObjectProblems(props.extraObjects),
  ];
}

function shapeOfStore(props: IpamOperatorProps): readonly Refusal[] {
  const { store = {} } = props;
  const { sqlite, postgres, remote } = store;
  const given = Object.entries({ sqlite, postgres, remote }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (given.length > 1) return [refused('store', `claims are kept in one place, but ${given.join(' and ')} are given`)];
  return [
    ...replicaProblems(props),
    ...storeProblems(storeSettings(props), FIELDS),
    ...secretProblems('store.postgres.connection', postgres?.connection),
    ...secretProblems('store.postgres.ca', postgres?.ca),
    ...secretProblems('store.remote.token', remote?.token),
    ...secretProblems('store.remote.ca', remote?.ca),
    ...(remote?.certificateSecret === undefined
      ? []
      : secretProblems('store.remote.certificateSecret', { name: remote.certificateSecret })),
  ];
}

// The same check as at start, in the words of the props. Props of plain JavaScript may lack what their type demands.
function storeSettings(props: IpamOperatorProps) {
  const { kind, replicas } = storeShape(props);
  const { store = {}, ipamApi = {}, cleanupEvents = { url: '' } } = props;
  const { postgres, remote }: { readonly postgres?: object; readonly remote?: object } = store;
  const has = (of: object | undefined, key: string): boolean =>
    of !== undefined && key in of && (of as Readonly<Record<string, unknown>>)[key] !== undefined;
  const file = (of: object | undefined, key: string): string => (has(of, key) ? 'given' : '');
  return {
    store: kind,
    replicas,
    postgresDsnFile: file(postgres, 'connection'),
    ipamApiUrl: has(remote, 'url') ? String(store.remote?.url) : '',
    ipamApiVersion: store.remote?.apiVersion === 2 ? '2' : '3',
    ipamApiTokenFile: file(remote, 'token'),
    ipamApiLoginCertPath: file(remote, 'certificateSecret'),
    ipamApiBindAddress: ipamApi.expose,
    cleanupEventsUrl: cleanupEvents.url,
    ...recordSettings(props),
  } as const;
}

// A late-bound one is judged by whoever renders it.
function recordSettings({ settings: { historyDays, recoverableSecrets } = {} }: IpamOperatorProps) {
  return {
    historyDays: typeof historyDays === 'number' ? historyDays : undefined,
    recoverableSecrets: typeof recoverableSecrets === 'boolean' ? recoverableSecrets : undefined,
  };
}

function replicaProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { kind, replicas } = storeShape(props);
  if (kind === 'sqlite') return []; // said by the check of the store
  const [min, { max }] = [kind === 'postgres' ? 2 : 1, OPTIONS.replicas];
  if (Number.isInteger(replicas) && replicas >= min && replicas <= max) return [];
  const value = String(replicas);
  const message = `${value} is not possible with the store ${kind}; give ${String(min)} to ${String(max)}`;
  return [refused('replicas', message, { value, suggestion: String(Math.max(min, 2)) })];
}

function ipamApiProblems(props: IpamOperatorProps): readonly Refusal[] {
  const { expose } = props.ipamApi ?? {};
  if (expose === undefined) return [];
  const { certificateSecret } = expose;
  return [
    ...apiCertificateProblems(props, expose),
    ...clientProblems(expose),
    ...(certificateSecret === undefined
      ? []
      : secretProblems('ipamApi.expose.certificateSecret', { name: certificateSecret })),
  ];
}

function apiCertificateProblems(
  { certificates }: IpamOperatorProps,
  { certificateSecret, issuer }: IpamApiExposeProps,
): readonly Refusal[] {
  if (certificateSecret !== undefined && issuer !== undefined) {
    return [refused('ipamApi.expose.issuer', 'has no use beside certificateSecret; give one of them')];
  }
  if (certificates !== 'self-managed' || certificateSecret !== undefined || issuer !== undefined) return [];
  const message = 'needed where certificates is "self-managed", whose CA is meant for the API server only';
  return [refused('ipamApi.expose.certificateSecret', message)];
}

const doorsOf = (props: IpamOperatorProps) => ({
  services: servesServices(props),
  store: storeKind(props.store),
  ipamApi: props.ipamApi?.expose !== undefined,
});

function numberProblems({ settings = {}, ipamApi, netbox }: IpamOperatorProps): readonly Refusal[] {
  const given = Object.entries(settings).map(([name, value]) => [`settings.${name}`, name, value] as const);
  const deadline = [
    'ipamApi.expose.deadlineSeconds',
    'ipamApiDeadlineSeconds',
    ipamApi?.expose?.deadlineSeconds,
  ] as const;
  const refresh = ['netbox.refreshSeconds', 'netboxRefreshSeconds', netbox?.refreshSeconds] as const;
  return [...given, deadline, refresh].flatMap(([field, name, value]): readonly Refusal[] => {
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as OptionName] : undefined;
    if (option?.type !== 'number') return []; // refused as a prop that does not exist
    if (value === undefined || typeof value !== 'number') return [];
    if (Number.isInteger(value) && value >= option.min && value <= option.max) return [];
    return [refused(field, `${String(value)} is not allowed; give ${allowedValues(option)}`, { value: String(value) })];
  });
}

function portProblems({ store, ipamApi, networkPolicy }: IpamOperatorProps): readonly Refusal[] {
  const ports = [
    ['store.postgres.port', store?.postgres?.port],
    ['ipamApi.expose.port', ipamApi?.expose?.port],
    ...(networkPolicy?.apiServerPorts ?? []).map(
      (port, i) => [`networkPolicy.apiServerPorts[${String(i)}]`, port] as const,
    ),
  ] as const;
  return ports.flatMap(([field, port]) =>
    port === undefined || (Number.isInteger(port) && port >= 1 && port <= MAX_PORT)
      ? []
      : [refused(field, `${String(port)} is not a port; give 1 to ${String(MAX_PORT)}`, { value: String(port) })],
  );
}
