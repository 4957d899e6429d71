import type { Address } from '../../../addressing/address';
import { NAMESPACE } from '../../../contract/egress';
import { objectText } from '../../../contract/object-name';
import { optionalField } from '../../../contract/optional-field';
import { isOvertaken } from '../../../errors/overtaken';
import type { AddressRecord, Holder, NewHolder } from '../../../ports/claims';
import type { KnownClaims } from '../../../ports/known-claims';
import type { EgressNamespace, HeldEgress } from '../../../rules/egress/types';
import type { EgressContext } from './context';

/** How often a change is tried on a record that others write at the same time. */
const TRIES = 5;

/** The name of a Namespace; its UID where it is known. */
type NamedNamespace = Pick<EgressNamespace, 'name' | 'uid'>;

/** What a claim says of an address beside its Namespace. */
type ClaimMarks = Pick<NewHolder, 'dataplanes' | 'isEnding'>;

/**
 * Makes the holder that a Namespace is written as.
 *
 * @param namespace - the stored one
 * @param dataplanes - that may have the address
 * @returns a holder that stays until it is released
 */
export function holderOf({ name, uid }: NamedNamespace, dataplanes: readonly string[]): NewHolder {
  const owner = { cluster: '', ...NAMESPACE, namespace: '', namespaceUid: '', name, uid };
  return { owner, state: 'bound', dataplanes };
}

/**
 * Lists the dataplanes that may have an address.
 *
 * @param record - of the address; one in quarantine is told by its former holder
 * @returns their names
 */
export const dataplanesOf = (record: AddressRecord | undefined): readonly string[] =>
  (record?.holders[0] ?? record?.quarantine?.former)?.dataplanes ?? [];

// Whatever its UID is.
const isHolder = ({ owner }: Holder, name: string): boolean =>
  owner.kind === NAMESPACE.kind && owner.apiVersion === NAMESPACE.apiVersion && owner.name === name;

/**
 * Names what has an address, for messages.
 *
 * @param record - of the address
 * @returns kind, namespace and name of the first holder
 */
export function holderText({ holders, door }: AddressRecord): string {
  const [holder] = holders;
  if (holder === undefined) return `a claim of the ${door ?? ''} front door`;
  return objectText(holder.owner);
}

// Claims of other doors are theirs, whatever they name.
const recordsOf = (known: KnownClaims, name: string): readonly AddressRecord[] =>
  known.find({ by: 'name', cluster: '', namespace: '', name }).filter(({ door }) => door === 'egress');

/**
 * Lists what a Namespace holds.
 *
 * @param known - the record
 * @param namespace - the stored one
 * @returns addresses of a Namespace of that name, the lowest first
 */
export function heldBy(known: KnownClaims, { name, uid }: NamedNamespace): readonly HeldEgress[] {
  return recordsOf(known, name).flatMap(({ network, address, pool, state, holders }) => {
    const mine = holders.find((each) => isHolder(each, name));
    if (state !== 'held' || mine === undefined) return [];
    const isEnding = optionalField('isEnding', mine.isEnding);
    return [{ address, network, egressIpam: pool, isBoundToUid: mine.owner.uid === uid, ...isEnding }];
  });
}

/**
 * Lists addresses in quarantine that a Namespace of a name held.
 *
 * @param known - the record
 * @param name - of the Namespace
 * @param network - of the addresses
 * @returns the lowest first
 */
export function formerOf(known: KnownClaims, name: string, network: string): readonly Address[] {
  return recordsOf(known, name)
    .filter((record) => record.network === network && isFormerOf(record, name))
    .map(({ address }) => address);
}

/**
 * Tells whether a record waits for a Namespace to return.
 *
 * @param record - of an address
 * @param name - of the Namespace
 * @returns true where it is in quarantine after it
 */
export const isFormerOf = ({ quarantine }: AddressRecord, name: string): boolean =>
  quarantine !== undefined && isHolder(quarantine.former, name);

/** What is written anew of a claim; what is left out stays as it is. */
interface ClaimUpdate extends ClaimMarks {
  /** UID of the Namespace. */
  readonly uid?: string | undefined;
}

/**
 * Writes something else about an address that a Namespace holds.
 *
 * @param context - of the controller
 * @param name - of the Namespace
 * @param held - the address
 * @param held.network - in which it is
 * @param held.address - value; the rest is written, or stays where it is left out
 * @returns whether the record was as it was decided on
 * @throws IpamError where the record cannot be written
 */
export async function updateClaim(
  { parts }: Pick<EgressContext, 'parts'>,
  name: string,
  { network, address, ...update }: Pick<HeldEgress, 'network' | 'address'> & ClaimUpdate,
): Promise<boolean> {
  const record = parts.known.at({ network, address });
  const mine = record?.holders.find((each) => isHolder(each, name));
  if (record === undefined || mine === undefined) return false;
  const { uid = mine.owner.uid, dataplanes = mine.dataplanes ?? [], isEnding = mine.isEnding === true } = update;
  const { version } = record;
  const owner = uid === undefined ? mine.owner : { ...mine.owner, uid };
  const holder: NewHolder = { owner, state: 'bound', dataplanes, isEnding };
  return !isOvertaken(await parts.claims.bind({ network, address, version, holderId: mine.id, holder }));
}

/**
 * Gives an address of a Namespace back. One that it does not hold any more is success.
 *
 * @param context - of the controller
 * @param name - of the Namespace
 * @param held - the address
 * @param held.quarantineMs - time for which only the Namespace may have it
 * @throws IpamError where the record cannot be written
 */
export async function giveBack(
  { parts }: EgressContext,
  name: string,
  { network, address, quarantineMs }: Pick<HeldEgress, 'network' | 'address'> & { readonly quarantineMs: number },
): Promise<void> {
  for (let left = TRIES; left > 0; left--) {
    const record = await parts.claims.get({ network, address });
    const mine = record?.holders.find((each) => isHolder(each, name));
    if (record === undefined || mine === undefined) return;
    const { version } = record;
    const outcome = await parts.claims.release({ network, address, version, holderId: mine.id, quarantineMs });
    if (!isOvertaken(outcome)) return;
  }
}

/**
 * Gives back what a Namespace holds, with the quarantine of the EgressIPAM that gave it.
 *
 * @param context - of the controller
 * @param name - of the Namespace
 * @param all - its addresses
 * @throws IpamError where the record cannot be written
 */
export async function giveBackAll(context: EgressContext, name: string, all: readonly HeldEgress[]): Promise<void> {
  for (const held of all) {
    const quarantineMs = context.plans.plan(held.egressIpam)?.quarantineMs ?? 0;
    await giveBack(context, name, { ...held, quarantineMs });
  }
}

/**
 * Lists the claims of the door.
 *
 * @param known - the record
 * @returns the lowest address first; those whose quarantine is over as well
 */
export const egressRecords = (known: KnownClaims): readonly AddressRecord[] =>
  known.find({ by: 'cluster', cluster: '' }).filter(({ door }) => door === 'egress');

/**
 * Lists Namespaces that have something on record.
 *
 * @param known - the record
 * @returns their names
 */
export function holdingNames(known: KnownClaims): readonly string[] {
  const owners = egressRecords(known).flatMap(({ holders }) => holders.map(({ owner }) => owner));
  return [...new Set(owners.filter(({ kind }) => kind === NAMESPACE.kind).map(({ name }) => name))];
}
