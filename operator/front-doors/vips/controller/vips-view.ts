import { isIn, type Address, type Family } from '../../../addressing/address';
import { mapOf, metadataOf } from '../../../contract/loose-json';
import type { VipReason } from '../../../contract/paas';
import { LOAD_BALANCER } from '../../../contract/service';
import { serviceOwner } from '../../../rules/service-owner';
import { SERVICE } from '../../../contract/service-identity';
import { readVipWish, termsOf } from '../../../rules/vips';
import { whyNotJoined } from '../../../rules/vips/join';
import type { ServiceTerms } from '../../../rules/sharing';
import type { AddressRecord } from '../../../ports/claims';
import type { AddressUse, HeldAddress, ServiceFacts, VipView } from '../../../rules/vips/types';
import type { AddressShowing } from '../../../ports/addresses-in-use';
import type { VipsDoorParts } from './door-parts';
import type { GroupsView } from './groups-view';
import { heldAddress, heldRecords, isForMigration, isHolder, nameOfHolder, placeOf, sharerOf } from './record';
import type { SharedKeys } from './shared-keys';
import { readVipService, type VipService } from './vip-service';

/** Parts of the view of one decision. */
export interface ViewParts {
  readonly parts: VipsDoorParts;
  readonly groups: GroupsView;
  readonly shared: SharedKeys;
  readonly families: readonly Family[];
}

/**
 * Gathers everything that decides about a stored Service.
 *
 * @param parts - record, settings
 * @param stored - the Service
 * @returns Service, wish and what it holds
 */
export function factsOf(parts: VipsDoorParts, stored: VipService): ServiceFacts {
  const { view: service, labels, shown, isHostNameShown, hasOldFinalizer, condition } = stored;
  const held = heldRecords(parts.known, service).map((record) => heldBy(parts, record, service));
  return {
    service,
    labels,
    held,
    shown,
    isHostNameShown,
    hasOldFinalizer,
    wish: readVipWish(service, parts.settings.foreignAnnotations),
    hasCondition: condition !== undefined,
    isServed: condition?.status === 'True',
    isContested: condition?.reason === CONFLICT,
    isOurs: isOurs(parts, stored, held),
  };
}

function heldBy({ migration }: VipsDoorParts, record: AddressRecord, service: VipService['view']): HeldAddress {
  const isReserved = record.holders.some(isForMigration) || migration?.isMigrating(record.address) === true;
  return { ...heldAddress(record, service), ...(isReserved ? { isReserved } : {}) };
}

// A holder of an address goes on with it, whatever the settings became. The class can only change while the type does, and the API
// server empties the status then: a class of others without an address in the status is a new Service of theirs.
function isOurs(parts: VipsDoorParts, { view, shown }: VipService, held: readonly HeldAddress[]): boolean {
  if (view.type !== LOAD_BALANCER) return false;
  const isShown = held.some(({ address }) => shown.some((each) => each.equals(address)));
  if (isShown) return true;
  if (parts.settings.excludedNamespaces.includes(view.namespace)) return false;
  return serviceOwner({ service: view }, parts.owners()) === 'vips';
}

/**
 * Shows the state of the cluster to the decision about one Service.
 *
 * @param on - record, groups, what the cluster shows
 * @param service - the one that is decided about, whose own status is no obstacle for it
 * @returns groups, and the use of addresses
 */
export function viewFor(on: ViewParts, service: ServiceFacts['service']): VipView {
  const { parts, groups, shared, families } = on;
  return {
    groups: groups.plans().map(({ group }) => group),
    families,
    namespaceLabels: (namespace) =>
      mapOf(metadataOf(parts.namespaces.get('', namespace))['labels']) as Readonly<Record<string, string>>,
    useAt: (address) => useAt(on, address, service),
    isShownByOthers: (address) => othersAt(on, address, service).length > 0,
    sharedBy: (key) =>
      shared.addressesOf(key).filter((address) => {
        const holders = parts.known.at(placeOf(address))?.holders ?? [];
        return !holders.some((each) => isHolder(each, service));
      }),
  };
}

/** Reason of a Service that shows what another one has. */
const CONFLICT: VipReason = 'Conflict';

// What shows an address, and does not share it with a Service.
function othersAt(
  { parts, groups }: Pick<ViewParts, 'parts' | 'groups'>,
  address: Address,
  service: VipService['view'],
): readonly AddressShowing[] {
  return shownAt(parts, groups, address).filter((each) => isInTheWay(each, service) && !isShared(parts, service, each));
}

/**
 * Tells the use of an address.
 *
 * @param on - record, groups, and what the cluster shows
 * @param address - any address
 * @param service - that asks
 * @returns what holds or shows it
 */
function useAt({ parts, groups }: ViewParts, address: Address, service: VipService['view']): AddressUse {
  const { known } = parts;
  const record = known.at(placeOf(address));
  if (record?.state === 'held') return { kind: 'held', holders: record.holders.map(sharerOf) };
  const [showing] = othersAt({ parts, groups }, address, service).filter(
    (each) => !isFirst(parts, { address, service, other: each }),
  );
  if (showing !== undefined) return { kind: 'occupied', source: showing.source };
  const former = record?.quarantine?.former;
  return former === undefined ? { kind: 'free' } : { kind: 'quarantined', former: nameOfHolder(former) };
}

/**
 * Finds what has an address in the network of its group.
 *
 * @param parts - what the cluster shows
 * @param parts.shown - in every network
 * @param groups - tell the network
 * @param address - any address
 * @returns the weightiest first
 */
export function shownAt(
  { shown }: Pick<VipsDoorParts, 'shown'>,
  groups: GroupsView,
  address: Address,
): readonly AddressShowing[] {
  const all = shown.at(address);
  if (all.every(({ network }) => network === undefined)) return all;
  const networks = groups.networksAt(address);
  return all.filter(({ network }) => network === undefined || networks.includes(network));
}

// Those that share an address all show it, also while its record is missing.
function isShared(parts: VipsDoorParts, service: VipService['view'], showing: AddressShowing): boolean {
  const other = serviceOf(parts, showing)?.view;
  const terms = sharedTerms(parts, service);
  if (other === undefined || terms === undefined) return false;
  const theirs = sharedTerms(parts, other);
  return (
    theirs !== undefined && whyNotJoined({ owner: service, terms }, [{ owner: other, terms: theirs }]) === undefined
  );
}

// The Service of this door that shows an address.
function serviceOf(parts: VipsDoorParts, { source }: AddressShowing): VipService | undefined {
  const [kind, namespace = '', name = ''] = source.split('/');
  const other = kind === SERVICE.kind ? readVipService(parts.services.get(namespace, name)) : undefined;
  const isOfThisDoor = other !== undefined && serviceOwner({ service: other.view }, parts.owners()) === 'vips';
  return isOfThisDoor ? other : undefined;
}

// Of Services that show one address which the record does not have, all decide alike which one it goes to.
function isFirst(
  parts: VipsDoorParts,
  { address, service, other }: { address: Address; service: VipService['view']; other: AddressShowing },
): boolean {
  const mine = readVipService(parts.services.get(service.namespace, service.name));
  const theirs = serviceOf(parts, other);
  if (mine?.key.uid !== service.uid || !isIn(address, mine.shown) || theirs === undefined) return false;
  const [own, their] = [rankOf(mine), rankOf(theirs)];
  const at = own.findIndex((each, index) => each !== their[index]);
  return (own[at] ?? 0) < (their[at] ?? 0);
}

// One that is served comes before one that was told of a conflict, and one that stays before one that goes.
const rankOf = ({ view: { dying, namespace, name }, condition, createdMs }: VipService) =>
  [dying ? 1 : 0, condition?.status === 'True' ? 0 : 1, createdMs, `${namespace}/${name}`] as const;

function sharedTerms({ settings }: VipsDoorParts, service: VipService['view']): ServiceTerms | undefined {
  const wish = readVipWish(service, settings.foreignAnnotations);
  return wish.ok && wish.sharingKey !== '' ? termsOf(service, wish.sharingKey) : undefined;
}

// An object that the watch still has under the name of the Service was deleted before this one was made.
const isInTheWay = ({ kind, uid, source }: AddressShowing, own: VipService['view']): boolean =>
  kind !== 'externalIPs' && uid !== own.uid && source !== `${SERVICE.kind}/${own.namespace}/${own.name}`;
