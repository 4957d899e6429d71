import { LONGEST_LABEL, quoteValue } from '../../contract/quote';
import { hasTooManyPorts } from '../../contract/sharing-terms';
import { serviceIdentity } from '../../contract/service-identity';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import { samePlace } from '../../rules/secrets';
import { manyPortsText } from '../../rules/sharing';
import { ownerOf } from '../records/claims';
import { labelOf } from '../records/holder-words';
import type { LedgerContext } from '../records/ledger-context';
import { prove } from '../records/proof';
import { freshHolder, type ReserveCase, type Step } from './reserve-case';
import { blockersOf, hasSay, sharerOf } from './sharing-check';

type Take = Extract<Step, { do: 'take' }>;

/**
 * Lets a Service with a sharing key that names no address have that of the Services of its namespace and zone which have the same key,
 * as MetalLB would by itself; the lowest one where several of them are possible.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @param step - what it would have without them
 * @returns the step that joins them; else its own address, with what stood against sharing where some of them are there
 * @remarks reads the claims of the zone, so only for those that ask with a key
 */
export async function joinByKey({ claims }: LedgerContext, on: ReserveCase, step: Take): Promise<Step> {
  if (keyOfSharers(on.request) === undefined) return toldOfPorts(on, step);
  const { network, name, space } = step.zone;
  const records = await claims.list({ by: 'pool', network, pool: name });
  let apart: string | undefined;
  for (const record of records) {
    const { family, address } = record;
    const sharer = family === on.request.family ? sharerIn(on, record) : undefined;
    if (sharer === undefined || !space.contains(address)) continue;
    const problem = joinProblem(on, record, sharer);
    if (problem === undefined) return { do: 'write', record, holder: freshHolder(on) };
    apart ??= `address "${address.toString()}" of its sharing key is not shared: ${problem}`;
  }
  return apart === undefined ? step : { ...step, apart };
}

function toldOfPorts({ request: { sharing } }: ReserveCase, step: Take): Take {
  const isTold = sharing !== undefined && hasTooManyPorts(sharing);
  return isTold ? { ...step, apart: manyPortsText('the Service') } : step;
}

/**
 * Names those that come to one address by their key, so that of several that come at once each one finds the one before.
 *
 * @param request - claimant and wish
 * @returns a text for each namespace and key; undefined for one that asks for an address, or without a key
 */
export function keyOfSharers({ claimant, sharing, wish, as, zone }: ReserveRequest): string | undefined {
  if (wish !== undefined || as !== 'lease' || sharing === undefined || sharing.key === '') return undefined;
  const { clusterUid, namespaceUid } = claimant.service;
  return JSON.stringify([clusterUid, namespaceUid, zone, sharing.key]);
}

function sharerIn({ request }: ReserveCase, { holders }: AddressRecord): Holder | undefined {
  const place = serviceIdentity(ownerOf(request.claimant));
  const key = request.sharing?.key;
  return holders.find(
    (holder) => hasSay(holder) && holder.sharing?.key === key && samePlace(serviceIdentity(holder.owner), place),
  );
}

function joinProblem(on: ReserveCase, record: AddressRecord, sharer: Holder): string | undefined {
  if (prove(record, on.request.claimant, on.shown) !== 'proven') {
    return `${quoteValue(labelOf(sharer.owner), LONGEST_LABEL)} has it under another secret`;
  }
  return blockersOf(sharerOf(on.request, false), record.holders)[0]?.problem.text;
}
