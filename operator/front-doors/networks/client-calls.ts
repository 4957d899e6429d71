import { metadataOf, textOf } from '../../contract/loose-json';
import { objectText } from '../../contract/object-name';
import type { AllocRequest, AllocResponse } from '../../contract/networks/alloc/messages';
import type { EntryOwner } from '../../contract/networks/entry';
import type { TableVerdict } from '../../contract/networks/table';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { AddressTurns } from '../../ledger/records/address-turns';
import {
  clientOwner,
  decideAllocation,
  readCall,
  readClientName,
  refusalOfCall,
  type ClientName,
} from '../../rules/networks';
import type { AllocationRequest, Granted, Instance } from '../../rules/networks/types';
import { ListenerSet } from '../../runtime/listener-set';
import { adoptShown } from './adoption';
import type { NetworksContext } from './context';
import { isDying } from './objects';
import { networksOf, release } from './record';
import { instanceFor } from './work';

/** Tries to put the finalizer on an instance that others change at the same time. */
const TRIES = 5;

/** Calls of clients that have no objects in the cluster; this process must lead. */
export class ClientCalls {
  readonly #context: NetworksContext;
  /** Calls of one client are decided one after the other. */
  readonly #turns = new AddressTurns();
  readonly #followers = new ListenerSet<boolean>();
  #isGiving = false;

  /**
   * Starts without a comparison, so that nothing is given yet.
   *
   * @param context - of the controller
   */
  constructor(context: NetworksContext) {
    this.#context = context;
  }

  /**
   * Allows or ends calls.
   *
   * @param isGiving - true once everything that is held is known
   */
  allow(isGiving: boolean): void {
    this.#isGiving = isGiving;
    this.#followers.tell(isGiving);
  }

  /**
   * Follows whether calls are decided.
   *
   * @param listener - is told at once, and after each change
   * @returns the function that ends it
   */
  follow(listener: (isGiving: boolean) => void): () => void {
    listener(this.#isGiving);
    return this.#followers.add(listener);
  }

  /**
   * Tells whether calls are decided now.
   *
   * @returns nothing; or `store/not-ready`
   */
  ready(): Outcome<void> {
    if (this.#isGiving) return accept(undefined);
    return refuse('store/not-ready', 'what is held in the networks is not all known yet; ask again in a moment');
  }

  /**
   * Gives what a call asks for; a repeat is given the same.
   *
   * @param message - of the call
   * @returns what was given, on record by then; or the refusal
   * @throws IpamError of record or cluster
   */
  async allocate(message: Omit<AllocRequest, 'kind'>): Promise<Outcome<AllocResponse>> {
    const read = readCall(message);
    if (!read.ok) return refusalOfCall(read.refusal);
    const decided = await this.#inTurn(read.value.owner, () => this.#give(read.value));
    return decided.ok ? accept(answerOf(decided.value)) : refusalOfCall(decided.refusal);
  }

  /**
   * Releases what the calls of one name were given. What its namespace has become does not matter.
   *
   * @param named - namespace and name
   * @returns nothing, also where it had nothing; or `claim/in-use` where others lie in what it has
   * @throws IpamError of the record
   */
  async deallocate(named: ClientName): Promise<Outcome<Partial<AllocResponse>>> {
    const client = readClientName(named);
    if (!client.ok) return client;
    const owner = clientOwner(client.value);
    const { left, users } = await this.#inTurn(owner, () => release(this.#context.parts, owner));
    const [first] = left;
    if (first === undefined) return accept({});
    const names = users.map(objectText).join(', ');
    const message = `name: "${named.name}" keeps "${first.block.toString()}" while others lie in it: ${names}; release those first`;
    return refuse('claim/in-use', message, { field: 'name', value: named.name });
  }

  #inTurn<V>({ namespace, name }: EntryOwner, work: () => Promise<V>): Promise<V> {
    return this.#turns.run(`${namespace}/${name}`, work);
  }

  async #give(read: AllocationRequest): Promise<Outcome<Granted>> {
    const { parts, contexts } = this.#context;
    const request = { ...read, owner: this.#withNamespace(read.owner) };
    const found = await this.#hold(request);
    if (!found.ok) return found;
    const instance = found.value;
    const elsewhere = networksOf(parts, request.owner).find((network) => network !== instance.network);
    if (elsewhere !== undefined) return givenElsewhere(request, elsewhere);
    await adoptShown(this.#context, instance);
    const at = { instance, context: contexts.contextOf(instance) };
    return parts.tables.decide(instance.network, (table) => {
      const ended = this.#endedSince(instance);
      return ended ?? decideAllocation(table, at, request);
    });
  }

  // A decision that was made before is on record by the time at which the end of the instance looks for what is in it.
  #endedSince({ namespace, name, uid }: Instance): TableVerdict<Granted> | undefined {
    const now = instanceFor(this.#context, namespace, name);
    if (!now.ok) return { as: 'refusal', refusal: now.refusal, because: [] };
    if (now.value.uid === uid && this.#isGiving) return undefined;
    const message = `NetworkInstance ${namespace}/${name} is being compared with the record; ask again in a moment`;
    return { as: 'refusal', refusal: { code: 'store/not-ready', message }, because: [] };
  }

  async #hold({ owner: { namespace }, instanceName }: AllocationRequest): Promise<Outcome<Instance>> {
    const { parts, instances } = this.#context;
    for (let left = TRIES; left > 0; left--) {
      const ready = this.ready();
      if (!ready.ok) return ready;
      const within = parts.namespaces.get('', namespace);
      if (within !== undefined && isDying(within)) return namespaceEnds(namespace);
      const found = instanceFor(this.#context, namespace, instanceName);
      if (!found.ok || (await instances.hold(found.value))) return found;
    }
    return refuse('store/conflict', `NetworkInstance ${namespace}/${instanceName} changes all the time; ask again`);
  }

  #withNamespace(owner: EntryOwner): EntryOwner {
    const namespace = this.#context.parts.namespaces.get('', owner.namespace);
    return { ...owner, namespaceUid: textOf(metadataOf(namespace)['uid']) };
  }
}

function namespaceEnds(namespace: string): Outcome<never> {
  return refuse('instance/terminating', `namespace ${namespace} is being deleted, and nothing new is given in it`, {
    field: 'namespace',
    value: namespace,
  });
}

function givenElsewhere({ owner: { name } }: AllocationRequest, network: string): Outcome<never> {
  const message = `name: "${name}" was given something of network "${network}"; release it first, or ask under another name`;
  return refuse('request/changed', message, { field: 'name', value: name });
}

const answerOf = ({ text, gateway, parent }: Granted): AllocResponse => ({
  allocatedPrefix: text,
  gateway: gateway?.toString() ?? '',
  parentPrefix: parent?.toString() ?? '',
});
