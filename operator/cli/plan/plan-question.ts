import type { Address, Family } from '../../addressing/address';
import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import type { ClaimBody } from '../../contract/ipam-api/v3/bodies';
import { SERVICE_DEFAULTS, type IpFamilyWish } from '../../contract/service-annotations';
import type { ServiceView } from '../../contract/service';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import { planFamilies } from '../../rules/families';
import { otherFamily } from '../../rules/family-facts';
import { collectWishes, type CollectedWishes } from '../../rules/wishes';
import type { ServiceName } from '../arguments/service-name';
import { wordOf } from '../../contract/ipam-api/v3/family-word';

/** Flags beside the manifest; they win. */
export interface PlanFlags {
  readonly zone?: string;
  readonly family?: IpFamilyWish;
  readonly addresses: readonly Address[];
  readonly secret: string;
}

/** The Service that asks. */
export interface Asker extends ServiceName {
  readonly clusterUid: string;
  /** Claims that it has on record already. */
  readonly claims: readonly ClaimAnswer[];
  /** Families of its cluster, the primary one first; absent where they are not known: both are planned for then. */
  readonly clusterFamilies?: readonly Family[];
}

/** Zones as the server knows them. */
export interface KnownZones {
  readonly defaultZone?: string;
  readonly entries: readonly ZoneAnswer[];
}

/** One call of the operation `planClaim`. */
export type PlanBody = ClaimBody & { readonly clusterUid: string };

/**
 * Turns a Service into the calls that the operator would make for it: one for each family.
 *
 * @param service - of a manifest, or undefined where flags say everything
 * @param flags - of the command line
 * @param on - the Service that asks, and the zones of the server
 * @returns the calls, or what stands against the wishes themselves
 */
export function planQuestions(
  service: ServiceView | undefined,
  flags: PlanFlags,
  on: { readonly asker: Asker; readonly zones: KnownZones },
): Outcome<readonly PlanBody[]> {
  const wishes = collectWishes(service ?? { annotations: {} });
  const [problem] = wishes.problems;
  if (problem !== undefined) return { ok: false, refusal: together(problem, wishes.problems) };
  const zone = flags.zone ?? wishes.zone ?? on.asker.claims[0]?.zone ?? on.zones.defaultZone;
  if (zone === undefined) return refuse('zone/unknown', noZone(on.zones));
  const addresses = wishedAddresses(wishes, flags);
  const clusterFamilies = on.asker.clusterFamilies ?? assumedFamilies(on.zones, zone);
  const families = familiesOf(service, { wishes, flags, addresses, clusterFamilies });
  if (!families.ok) return families;
  const body = (family: Family): PlanBody => ({
    clusterUid: on.asker.clusterUid,
    claimant: claimantOf(on.asker),
    zone,
    family: wordOf(family),
    ...wishedOf(addresses, family),
    secret: { value: flags.secret, scope: scopeOf(wishes) },
    options: optionsOf(wishes),
    ...(service === undefined ? {} : { sharing: sharingOf(service, wishes) }),
    writtenKeys: [],
    as: 'lease',
  });
  return accept(families.value.map(body));
}

function wishedAddresses(wishes: CollectedWishes, flags: PlanFlags): readonly Address[] {
  return flags.addresses.length > 0 ? flags.addresses : wishes.addresses;
}

function together(first: Refusal, all: readonly Refusal[]): Refusal {
  return { ...first, message: all.map(({ message }) => message).join('; ') };
}

function noZone({ entries }: KnownZones): string {
  const names = entries.filter(({ present }) => present).map(({ name }) => name);
  return `the Service names no zone and there is no default zone; give --zone with one of ${names.join(', ')}`;
}

// Nothing is refused for an unknown cluster: then the zone has the last word.
function assumedFamilies({ entries }: KnownZones, zone: string): readonly Family[] {
  const first = entries.find(({ name }) => name === zone)?.usage[0]?.family === 'ipv6' ? 6 : 4;
  return [first, otherFamily(first)];
}

function familiesOf(
  service: ServiceView | undefined,
  {
    wishes,
    flags,
    addresses,
    clusterFamilies,
  }: {
    readonly wishes: CollectedWishes;
    readonly flags: PlanFlags;
    readonly addresses: readonly Address[];
    readonly clusterFamilies: readonly Family[];
  },
): Outcome<readonly Family[]> {
  const { addressFields } = wishes;
  const wish = flags.family ?? wishes.ipFamily;
  const planned = planFamilies({
    ...(service === undefined ? { spec: specOf(wish, addresses) } : { spec: service, ...present(wish) }),
    addresses,
    addressFields,
    clusterFamilies,
  });
  return planned.ok ? accept(planned.value.families) : planned;
}

function present(wish: IpFamilyWish | undefined): { readonly wish?: IpFamilyWish } {
  return wish === undefined ? {} : { wish };
}

// Without a manifest the flags are all that is known, so its fields are taken to say the same.
function specOf(
  wish: IpFamilyWish | undefined,
  addresses: readonly Address[],
): Pick<ServiceView, 'ipFamilies' | 'clusterIpFamilies'> {
  const named = [...new Set(addresses.map(({ family }) => family))];
  const worded: Readonly<Record<IpFamilyWish, readonly Family[]>> = { ipv4: [4], ipv6: [6], dual: [4, 6] };
  return { ipFamilies: wish === undefined ? named : worded[wish], clusterIpFamilies: [] };
}

function claimantOf({ namespace, name, claims }: Asker): PlanBody['claimant'] {
  const known = claims[0]?.service;
  const serviceUid = known?.serviceUid;
  return {
    // a namespace that has nothing on record is told by its name alone
    namespaceUid: known?.namespaceUid ?? namespace,
    namespace,
    serviceName: name,
    ...(serviceUid === undefined ? {} : { serviceUid }),
  };
}

function wishedOf(addresses: readonly Address[], family: Family): { readonly address?: string } {
  const wished = addresses.find((each) => each.family === family);
  return wished === undefined ? {} : { address: wished.toString() };
}

function scopeOf({ secret }: CollectedWishes): PlanBody['secret']['scope'] {
  return (secret ?? SERVICE_DEFAULTS.secret) === SERVICE_DEFAULTS.secret ? 'namespace' : 'shared';
}

function optionsOf({ retentionPeriodDays, denyExternalCleanup }: CollectedWishes): PlanBody['options'] {
  return {
    retentionPeriodDays: retentionPeriodDays ?? SERVICE_DEFAULTS.retentionPeriodDays,
    denyExternalCleanup: denyExternalCleanup ?? SERVICE_DEFAULTS.denyExternalCleanup,
  };
}

function sharingOf(
  { ports, trafficPolicy, selector }: ServiceView,
  { sharingKey }: CollectedWishes,
): NonNullable<PlanBody['sharing']> {
  return { key: sharingKey, ports: [...ports], trafficPolicy, selector };
}
