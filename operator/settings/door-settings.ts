import type { Refusal } from '../errors/outcome';
import type { Settings } from './options';

/** Settings that say which clients are served, and from which record. */
export type DoorSettings = Pick<Settings, 'services' | 'store' | 'vips' | 'networks' | 'egress'> & {
  /** Whether the IPAM-API listens for other clusters. */
  readonly ipamApi: boolean;
};

/**
 * Tells whether a front door is open that the API server asks by webhooks.
 *
 * @param settings - doors that have webhooks
 * @returns false where nothing has a use for their certificate
 */
export const hasWebhooks = ({ services, egress }: Pick<Settings, 'services' | 'egress'>): boolean => services || egress;

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type DoorFields = Readonly<Record<'services' | 'ipamApi', string>>;

/**
 * Finds what stands against an operator without the Services door: it serves VIPs, networks or egress addresses, or
 * the IPAM-API from a record of its own.
 *
 * @param settings - what was set
 * @param fields - names for the messages
 * @returns at most one problem, `settings/invalid`
 */
export function doorProblems(settings: DoorSettings, fields: DoorFields): readonly Refusal[] {
  const { services, ipamApi, store, vips, networks, egress } = settings;
  if (services && store === 'objects') return [zonesNeedRecord(fields)];
  const hasObjectDoor = vips || networks || egress;
  if (services || (hasObjectDoor && !ipamApi)) return [];
  const field = fields.services;
  const refused = (why: string): readonly Refusal[] => [
    { code: 'settings/invalid', field, value: 'false', message: `${field}: false ${why}` },
  ];
  if (store === 'remote') {
    return refused('is not possible with the store remote, which has no record to serve; keep the claims here');
  }
  return ipamApi ? [] : refused(`leaves nothing to serve; switch a front door on, or set ${fields.ipamApi}`);
}

function zonesNeedRecord({ services: field }: DoorFields): Refusal {
  const message = `${field}: true is not possible with the store objects, which has no place for addresses of zones; give false, or take another store`;
  return { code: 'settings/invalid', field, value: 'true', message };
}
