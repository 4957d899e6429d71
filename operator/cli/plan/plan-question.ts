import type { Address, Family } from '../../addressing/address';
import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import type { ClaimBody } from '../../contract/ipam-api/v3/bodies';
import { SERVICE_DEFAULTS, type IpFamilyWish } from '../../contract/service-annotations';
import type { ServiceView } from '../../contract/service';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import { planFamilies } from '../../rules/families';
import { collectWishes, type CollectedWishes } from '../../rules/wishes';
import type { ServiceName } from '../service-name';

/** What the command line says beside the manifest; it wins. */
export interface PlanFlags {
  readonly zone?: string;
  readonly family?: IpFamilyWish;
  readonly addresses: readonly Address[];
  readonly secret: string;
}

/** What is known of who asks. */
export interface Asker extends ServiceName {
  readonly clusterUid: string;
  /** What it has on record already. */
  readonly claims: readonly ClaimAnswer[];
}

/** What the server says of its zones. */
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
 * @param on - who asks, and the zones of the server
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
  const addresses = flags.addresses.length > 0 ? flags.addresses : wishes.addresses;
  const families = familiesOf(service, { wishes, flags, addresses, zone, zones: on.zones });
  if (!families.ok) return families;
  const body = (family: Family): PlanBody => ({
    ...{ clusterUid: on.asker.clusterUid, claimant: claimantOf(on.asker), zone, family: wordOf(family) },
    ...wishedOf(addresses, family),
    secret: { value: flags.secret, scope: scopeOf(wishes) },
    options: optionsOf(wishes),
    ...(service === undefined ? {} : { sharing: sharingOf(service, wishes) }),
    ...{ writtenKeys: [], as: 'lease' },
  });
  return accept(families.value.map(body));
}

function together(first: Refusal, all: readonly Refusal[]): Refusal {
  return { ...first, message: all.map(({ message }) => message).join('; ') };
}

function noZone({ entries }: KnownZones): string {
  const names = entries.filter(({ present }) => present).map(({ name }) => name);
  return `the Service names no zone and there is no default zone; give --zone with one of ${names.join(', ')}`;
}

function familiesOf(
  service: ServiceView | undefined,
  on: {
    readonly wishes: CollectedWishes;
    readonly flags: PlanFlags;
    readonly addresses: readonly Address[];
    readonly zone: string;
    readonly zones: KnownZones;
  },
): Outcome<readonly Family[]> {
  const wish = on.flags.family ?? on.wishes.ipFamily ?? wishOfAddresses(service, on.addresses);
  // the families of the cluster are not told here, so those of the zone stand in for them
  const zone = on.zones.entries.find(({ name }) => name === on.zone);
  const has = zone?.usage.map(({ family }): Family => (family === 'ipv4' ? 4 : 6)) ?? [];
  const clusterFamilies: readonly Family[] = service === undefined ? [4, 6] : has.length === 0 ? [4] : has;
  if (service === undefined) return accept(familiesOfWord(wish, clusterFamilies, has));
  const planned = planFamilies({
    spec: service,
    ...(wish === undefined ? {} : { wish }),
    wishIsNew: true,
    ...{ addresses: on.addresses, addressFields: on.wishes.addressFields, clusterFamilies },
  });
  return planned.ok ? accept(planned.value.families) : planned;
}

function wishOfAddresses(service: ServiceView | undefined, addresses: readonly Address[]): IpFamilyWish | undefined {
  const [first, second] = addresses;
  if (service !== undefined || first === undefined) return undefined;
  if (second !== undefined) return 'dual';
  return first.family === 4 ? 'ipv4' : 'ipv6';
}

function familiesOfWord(
  wish: IpFamilyWish | undefined,
  all: readonly Family[],
  has: readonly Family[],
): readonly Family[] {
  if (wish === 'dual') return all;
  if (wish === undefined) return [has[0] ?? 4];
  return [wish === 'ipv4' ? 4 : 6];
}

function claimantOf({ namespace, name, claims }: Asker): PlanBody['claimant'] {
  const known = claims[0]?.service;
  const serviceUid = known?.serviceUid;
  return {
    // a namespace that has nothing on record is told by its name alone
    namespaceUid: known?.namespaceUid ?? namespace,
    ...{ namespace, serviceName: name },
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

function wordOf(family: Family): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
