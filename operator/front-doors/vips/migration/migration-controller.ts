import type { Address } from '../../../addressing/address';
import { readVirtualIp, VIRTUAL_IP, VIRTUAL_IP_STATES, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import { IP_NETWORK } from '../../../contract/paas';
import { PrefixSet } from '../../../addressing/prefix-set';
import { AddressTurns } from '../../../ledger/records/address-turns';
import type { ObjectKey, ObjectName } from '../../../ports/object-feed';
import { nextStep } from '../../../rules/vips/migration/next-step';
import { carryOut } from './carry-out';
import { gather } from './facts';
import { LeftBehind } from './left-behind';
import type { MigrationParts } from './migration-parts';

/** Most steps of one VirtualIP in a row; a whole migration has about half of that. */
const STEPS = 30;
/** Pause before the next ones, and before a step that has to wait a moment. */
const AGAIN_MS = 250;
/** Pause before an error is looked at again by itself; most are mended by a change that is seen. */
const ERROR_MS = 30_000;

/** Migrates VirtualIPs, one step after the other; each step is decided on what is stored. */
export class MigrationController {
  readonly #parts: MigrationParts;
  /** By Service: VirtualIPs of one Service come one after the other. */
  readonly #turns = new AddressTurns();
  readonly #leftBehind = new LeftBehind();

  /**
   * Takes the parts.
   *
   * @param parts - index and writers
   */
  constructor(parts: MigrationParts) {
    this.#parts = parts;
  }

  /**
   * Takes every step of one VirtualIP that is possible now.
   *
   * @param key - of the VirtualIP
   * @returns milliseconds after which it is to be looked at again by itself
   * @throws IpamError where the cluster does not answer or refuses a write
   */
  reconcile(key: ObjectKey): Promise<{ readonly requeueAfterMs?: number }> {
    return this.#inTurn(key, () => this.#walk(key));
  }

  #inTurn<T>({ namespace, name }: ObjectName, work: () => Promise<T>): Promise<T> {
    const service = this.#parts.virtualIps.get({ namespace, name })?.service ?? '';
    return this.#turns.run(`${namespace}/${service}`, work);
  }

  async #walk(key: ObjectKey): Promise<{ readonly requeueAfterMs?: number }> {
    for (let left = STEPS; left > 0; left--) {
      const gathered = await gather(this.#parts, key);
      if (gathered === undefined) return {};
      const step = nextStep(gathered.facts);
      if (step.act === 'rest') return afterRest(gathered.facts.virtualIp);
      if (!(await carryOut(this.#parts, gathered, step))) break;
    }
    return { requeueAfterMs: AGAIN_MS };
  }

  /**
   * Gives back what is on record for VirtualIPs that are missing for a time.
   *
   * @returns when all of them were looked at
   * @throws IpamError where the cluster does not answer
   */
  lookBehind(): Promise<void> {
    return this.#leftBehind.look(this.#parts, this.#parts.known.find({ by: 'cluster', cluster: '' }));
  }

  /**
   * Puts the addresses of VirtualIPs on record that are missing there, before anything is given: their copies of Services answer on
   * them all the same.
   *
   * @throws IpamError of the record
   */
  async restore(): Promise<void> {
    for (const virtualIp of this.#parts.virtualIps.all())
      if (this.#isUnrecorded(virtualIp)) await this.#inTurn(virtualIp, () => this.#restore(virtualIp));
  }

  // one that is being deleted gives its address back, and may have done so a moment ago
  #isUnrecorded({ address, state, isDying }: VirtualIpView): boolean {
    if (address === undefined || isDying || state === VIRTUAL_IP_STATES.migrated || state === '') return false;
    return this.#parts.known.at({ network: IP_NETWORK, address }) === undefined;
  }

  async #restore({ namespace, name, uid }: VirtualIpView): Promise<void> {
    const stored = readVirtualIp((await this.#parts.virtualIpWriter.read({ namespace, name })).object);
    if (stored?.uid !== uid || stored.address === undefined || !this.#isUnrecorded(stored)) return;
    const outcome = await this.#take(stored, stored.address);
    const fields = { namespace, name, address: stored.address.toString() };
    const { logger } = this.#parts;
    if (outcome.ok) logger.warn('the address of a VirtualIP was put on record', fields);
    else
      logger.warn('the address of a VirtualIP is not its own by the record', { ...fields, code: outcome.refusal.code });
  }

  #take({ namespace, name, uid }: VirtualIpView, address: Address) {
    const { group, version, kind } = VIRTUAL_IP;
    const owner = { cluster: '', apiVersion: `${group}/${version}`, kind, namespace, namespaceUid: '', name, uid };
    return this.#parts.claims.take({
      network: IP_NETWORK,
      pool: '',
      wants: [{ family: address.family, address, space: PrefixSet.EMPTY }],
      holder: { owner, state: 'bound' },
    });
  }
}

function afterRest({ state }: VirtualIpView): { readonly requeueAfterMs?: number } {
  return state === VIRTUAL_IP_STATES.error ? { requeueAfterMs: ERROR_MS } : {};
}
