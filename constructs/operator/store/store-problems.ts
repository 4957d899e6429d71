import type { Refusal } from '../../../operator/errors/outcome';
import { OPTIONS } from '../../../operator/settings/options';
import { storeProblems, withoutRecordMessage, type StoreFields } from '../../../operator/settings/store-settings';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';
import { storeKind, storeShape, type StoreOwner } from './store-shape';

/** The store, and the props that some store cannot do with. */
interface StoreContext extends StoreOwner {
  readonly zones?: readonly object[];
  readonly ipamApi?: { readonly expose?: object };
  readonly cleanupEvents?: { readonly url: string };
  readonly settings?: {
    readonly historyDays?: number;
    readonly historyRowsPerNamespace?: number;
    readonly recoverableSecrets?: boolean;
  };
}

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
  historyRowsPerNamespace: 'settings.historyRowsPerNamespace',
  recoverableSecrets: 'settings.recoverableSecrets',
};
/**
 * Checks where claims are kept, and how many Pods do it, as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function storeProblemsOf(props: StoreContext): readonly Refusal[] {
  const { store = {} } = props;
  const { sqlite, postgres, remote } = store;
  const objects = store.objects === true ? true : undefined;
  const given = Object.entries({ sqlite, postgres, remote, objects }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (given.length > 1) return [refused('store', `claims are kept in one place, but ${given.join(' and ')} are given`)];
  return [
    ...replicaProblems(props),
    ...storeProblems(storeSettings(props), FIELDS),
    ...zonesWithoutRecord(props),
    ...secretProblems('store.postgres.connection', postgres?.connection),
    ...secretProblems('store.postgres.ca', postgres?.ca),
    ...secretProblems('store.remote.token', remote?.token),
    ...secretProblems('store.remote.ca', remote?.ca),
    ...(remote?.certificateSecret === undefined
      ? []
      : secretProblems('store.remote.certificateSecret', { name: remote.certificateSecret })),
  ];
}

function zonesWithoutRecord({ store, zones = [] }: StoreContext): readonly Refusal[] {
  if (storeKind(store) !== 'objects' || zones.length === 0) return [];
  return [{ code: 'settings/invalid', field: 'zones', message: withoutRecordMessage('zones') }];
}

// The same check as at start, in the words of the props. Props of plain JavaScript may lack what their type demands.
function storeSettings(props: StoreContext) {
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

// A late-bound one is judged by the renderer.
function recordSettings({ settings = {} }: StoreContext) {
  const { historyDays, historyRowsPerNamespace: rows, recoverableSecrets } = settings;
  return {
    historyDays: typeof historyDays === 'number' ? historyDays : undefined,
    historyRowsPerNamespace: typeof rows === 'number' ? rows : undefined,
    recoverableSecrets: typeof recoverableSecrets === 'boolean' ? recoverableSecrets : undefined,
  };
}

function replicaProblems(props: StoreContext): readonly Refusal[] {
  const { kind, replicas } = storeShape(props);
  if (kind === 'sqlite') return []; // said by the check of the store
  const [min, { max }] = [kind === 'postgres' ? 2 : 1, OPTIONS.replicas];
  if (Number.isInteger(replicas) && replicas >= min && replicas <= max) return [];
  const value = String(replicas);
  const message = `${value} is not possible with the store ${kind}; give ${String(min)} to ${String(max)}`;
  return [refused('replicas', message, { value, suggestion: String(Math.max(min, 2)) })];
}
