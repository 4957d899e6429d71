import { addressOf, type Address } from '../../../addressing/address';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import { MAX_PAGE } from '../../../contract/ipam-api/v3/pieces';
import { valueOf } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Contests, ContestRequest, EndContests } from '../../../ports/address-book';
import type { V3Client } from './v3-client';
import { orLacking } from './v3-lacking';
import { wireClaimant } from './v3-wire';

/** One address that a Service of the cluster contests, as a server tells of it. */
export type WireContest = AnswerBody<'listContests'>['entries'][number];

/** Is told each address that is contested, once that is on record. */
export type OnContested = (at: { readonly network: string; readonly zone: string; readonly address: Address }) => void;

/**
 * Addresses that stored objects show although the record does not grant them, at an IPAM-API elsewhere. An older server refuses with
 * `store/no-contests`. Safe for parallel calls; both verbs may be sent twice.
 */
export class RemoteContests implements Contests {
  readonly #client: V3Client;
  readonly #onContested: OnContested;

  /**
   * Asks nothing yet.
   *
   * @param client - speaks with the server
   * @param onContested - is told what is contested
   */
  constructor(client: V3Client, onContested: OnContested) {
    this.#client = client;
    this.#onContested = onContested;
  }

  /** @inheritdoc */
  async contest({ claimant, zone, address }: ContestRequest): Promise<Outcome<boolean>> {
    const { clusterUid } = claimant.service;
    const asker = { ...wireClaimant(claimant), serviceUid: claimant.serviceUid };
    const body = { claimant: asker, zone, address: address.toString() };
    const noted = await orLacking(this.#client.call('postContest', { params: { clusterUid }, body }));
    if (noted.kind === 'lacking') return refuse('store/no-contests', noted.reason);
    if (!noted.outcome.ok) return noted.outcome;
    const { contested, network } = noted.outcome.value;
    if (contested) this.#onContested({ network, zone, address });
    return accept(contested);
  }

  /** @inheritdoc */
  async endContests({ serviceUid, clusterUid, keep }: EndContests): Promise<Outcome<readonly Address[]>> {
    const query = { serviceUid, ...(keep.length === 0 ? {} : { keep: keep.map(String) }) };
    const ended = await orLacking(this.#client.call('deleteContests', { params: { clusterUid }, query }));
    if (ended.kind === 'lacking') return accept([]);
    const { outcome } = ended;
    return outcome.ok ? accept(outcome.value.released.map(addressOf)) : outcome;
  }
}

/**
 * Lists what the Services of a cluster contest.
 *
 * @param client - speaks with the server
 * @param clusterUid - which cluster
 * @returns the addresses, by network; none where the server has no place for them
 * @throws IpamError as a call does
 */
export async function listContests(client: V3Client, clusterUid: string): Promise<readonly WireContest[]> {
  const found: WireContest[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const query: { limit: number; after?: string } = { limit: MAX_PAGE, ...(after === '' ? {} : { after }) };
    const answer = await orLacking(client.call('listContests', { params: { clusterUid }, query }));
    if (answer.kind === 'lacking') return [];
    const page: AnswerBody<'listContests'> = valueOf(answer.outcome);
    found.push(...page.entries);
    after = page.next;
  }
  return found;
}
