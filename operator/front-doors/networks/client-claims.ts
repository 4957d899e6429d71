import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { parsePrefix, type Prefix } from '../../addressing/prefix';
import { blockOf } from '../../addressing/space-text';
import { metadataOf, type JsonMap } from '../../contract/loose-json';
import { recordNetwork } from '../../contract/kinds/record-network';
import type {
  AllocClaim,
  AllocListRequest,
  AllocListResponse,
  AllocWatchResponse,
} from '../../contract/networks/alloc/messages';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import {
  clientOf,
  clientOwner,
  isKnown,
  readClientName,
  readInstance,
  tellGiven,
  type ClientName,
} from '../../rules/networks';
import type { KnownEntry } from '../../rules/networks/owners';
import type { Instance } from '../../rules/networks/types';
import type { NetworksDoorParts } from './door-parts';
import { networksOf } from './record';

/** Most claims of one answer; also by default. */
const PAGE = 500;
/** Entries that are looked at in one go. */
const STEP = 500;
/** Most characters of one answer: clients take 4 MiB by default, and labels can be long. */
const PAGE_CHARACTERS = 1024 * 1024;
/** Pause before what was told is looked at once more, where the gateway or the instance may have changed. */
const LOOK_AGAIN_MS = 1000;

type ViewParts = Pick<NetworksDoorParts, 'tables' | 'known' | 'claims' | 'instances' | 'clock'>;

/** Takes the messages of a watch. */
export interface ClaimStream {
  send(message: AllocWatchResponse): void;
  /** Resolves once the client has read most of what was sent, or went away. */
  drained(): Promise<void>;
}

/** A claim at its place. */
interface Told {
  readonly network: string;
  readonly block: Prefix;
  readonly claim: AllocClaim;
}

/** Allocations of clients of the gRPC API, as this process knows it. */
export class ClientClaims {
  readonly #parts: ViewParts;
  readonly #live: LiveWatches;

  /**
   * Reads from the record.
   *
   * @param parts - record and instances
   */
  constructor(parts: ViewParts) {
    this.#parts = parts;
    this.#live = new LiveWatches(parts);
  }

  /**
   * Finds what the calls of one name were given.
   *
   * @param named - namespace and name
   * @returns the claim; or `claim/not-found`
   */
  get(named: ClientName): Outcome<AllocClaim> {
    const client = readClientName(named);
    if (!client.ok) return client;
    const { namespace, name } = client.value;
    const owner = clientOwner(client.value);
    for (const network of networksOf(this.#parts, owner)) {
      const found = this.#parts.tables.look(network, (table) =>
        toldOf(table, table.ofOwner(owner)[0], { network, instance: this.#instanceOf(namespace, network) }),
      );
      if (found !== undefined) return accept(found.claim);
    }
    return refuse('claim/not-found', `name: "${name}" has nothing in namespace ${namespace}`, {
      field: 'name',
      value: name,
    });
  }

  /**
   * Lists what the clients of a namespace were given.
   *
   * @param request - which ones, and where to go on
   * @returns one page; or `request/invalid` for a token of another kind
   */
  list(request: AllocListRequest): Outcome<AllocListResponse> {
    const start = readToken(request.pageToken);
    if (!start.ok) return start;
    const most = request.pageSize === 0 ? PAGE : Math.min(PAGE, request.pageSize);
    const claims: AllocClaim[] = [];
    let characters = 0;
    let last: Told | undefined;
    for (const told of this.#claimsIn(request, start.value)) {
      if (last !== undefined && (claims.length >= most || characters > PAGE_CHARACTERS)) {
        return accept({ claims, nextPageToken: tokenOf(last) });
      }
      claims.push(told.claim);
      characters += JSON.stringify(told.claim).length;
      last = told;
    }
    return accept({ claims, nextPageToken: '' });
  }

  /**
   * Tells what the clients of a namespace have, then that this is all, and each change, those of the meantime too.
   *
   * @param named - namespace, and a name or none for all
   * @param stream - takes the messages; what is on record comes as fast as it is read
   * @param signal - ends it
   * @returns nothing, once it ended; or `request/invalid` for names that nothing can have
   */
  async watch(named: ClientName, stream: ClaimStream, signal: AbortSignal): Promise<Outcome<void>> {
    const asked = readClientName({ ...named, name: named.name === '' ? 'any' : named.name });
    if (!asked.ok) return asked;
    const watch = new ClaimsWatch({ parts: this.#parts, live: this.#live, named, stream });
    const stop = this.#live.add(named.namespace, watch);
    try {
      for (const page of this.#pagesIn({ ...named, networkInstance: '' })) {
        await tellPage(page, watch, { stream, signal });
        if (signal.aborted) return accept(undefined);
        // others have their turn between two pages
        await setImmediate();
      }
      stream.send({ claim: null, synced: true });
      if (!signal.aborted) await once(signal, 'abort');
      return accept(undefined);
    } finally {
      stop();
      watch.close();
    }
  }

  #instanceOf(namespace: string, network: string): Instance | undefined {
    return instancesIn(this.#parts, namespace).find((each) => each.network === network);
  }

  *#claimsIn(request: Pick<AllocListRequest, 'namespace' | 'networkInstance'>, after?: PageStart): Generator<Told> {
    for (const page of this.#pagesIn(request, after)) yield* page;
  }

  // Each page is of the moment at which it is asked for.
  *#pagesIn(
    { namespace, networkInstance }: Pick<AllocListRequest, 'namespace' | 'networkInstance'>,
    after?: PageStart,
  ): Generator<readonly Told[]> {
    const asked = instancesIn(this.#parts, namespace).filter(
      ({ name }) => (networkInstance === '' || networkInstance === name) && name >= (after?.instance ?? ''),
    );
    for (const each of asked) yield* this.#pagesOf(each, each.name === after?.instance ? after.block : undefined);
  }

  *#pagesOf(instance: Instance, after: Prefix | undefined): Generator<readonly Told[]> {
    const { tables } = this.#parts;
    const { network } = instance;
    for (let from = after; ;) {
      const page = tables.page(network, { most: STEP, ...(from === undefined ? {} : { after: from }) });
      yield tables.look(network, (table) => page.flatMap((entry) => toldOf(table, entry, { network, instance }) ?? []));
      if (page.length < STEP) return;
      from = page.at(-1)?.block;
    }
  }
}

/** Where a page begins. */
interface PageStart {
  readonly instance: string;
  readonly block: Prefix;
}

const tokenOf = ({ claim, block }: Told): string =>
  Buffer.from(JSON.stringify([claim.networkInstance, block.toString()])).toString('base64url');

function readToken(token: string): Outcome<PageStart | undefined> {
  if (token === '') return accept(undefined);
  const refused = refuse('request/invalid', `pageToken: "${token}" is not one that List told`, {
    field: 'pageToken',
    value: token,
  });
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const [instance, text] = Array.isArray(read) ? (read as unknown[]) : [];
    const block = parsePrefix(typeof text === 'string' ? text : '');
    return typeof instance === 'string' && block.ok ? accept({ instance, block: block.value }) : refused;
  } catch {
    return refused;
  }
}

function instancesIn({ instances }: Pick<ViewParts, 'instances'>, namespace: string): readonly Instance[] {
  return instances
    .list()
    .filter((object: JsonMap) => metadataOf(object)['namespace'] === namespace)
    .map(readInstance)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where an entry lies. */
interface LiesIn {
  readonly network: string;
  /** Undefined where the NetworkInstance is gone. */
  readonly instance: Instance | undefined;
}

function toldOf(table: NetworkTable, entry: NetworkEntry | undefined, { network, instance }: LiesIn): Told | undefined {
  const client = entry === undefined ? undefined : clientOf(entry);
  if (entry === undefined || client === undefined || !isKnown(entry)) return undefined;
  return { network, block: entry.block, claim: claimOf(client, tellGiven(table, entry), { entry, instance }) };
}

function claimOf(
  { namespace, name }: ClientName,
  { text, gateway, parent }: ReturnType<typeof tellGiven>,
  { entry, instance }: Pick<LiesIn, 'instance'> & { readonly entry: KnownEntry },
): AllocClaim {
  return {
    namespace,
    name,
    networkInstance: instance?.name ?? '',
    prefixkind: entry.facts.kind,
    allocatedPrefix: text,
    gateway: gateway?.toString() ?? '',
    parentPrefix: parent?.toString() ?? '',
    labels: entry.labels,
    statusCode: instance === undefined || instance.isDying ? 'InValid' : 'Valid',
  };
}

/** The watches that are open, with one pair of listeners for all of them. */
class LiveWatches {
  readonly #parts: ViewParts;
  readonly #byNamespace = new Map<string, Set<ClaimsWatch>>();
  /** NetworkInstances by their networks, while a watch is open. */
  readonly #instances = new Map<string, JsonMap>();
  #stops: readonly (() => void)[] = [];

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  add(namespace: string, watch: ClaimsWatch): () => void {
    if (this.#byNamespace.size === 0) this.#listen();
    const beside = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, beside.add(watch));
    return () => {
      beside.delete(watch);
      if (beside.size === 0) this.#byNamespace.delete(namespace);
      if (this.#byNamespace.size > 0) return;
      for (const stop of this.#stops) stop();
      this.#instances.clear();
    };
  }

  instanceOf(network: string): Instance | undefined {
    const object = this.#instances.get(network);
    return object === undefined ? undefined : readInstance(object);
  }

  #listen(): void {
    const { claims, instances } = this.#parts;
    for (const object of instances.list()) this.#instances.set(readInstance(object).network, object);
    this.#stops = [
      instances.onChange(({ key, after }) => {
        const network = recordNetwork(key);
        if (after === undefined) this.#instances.delete(network);
        else this.#instances.set(network, after);
        for (const watch of this.#byNamespace.get(key.namespace) ?? []) watch.lookAgain();
      }),
      claims.watch((change) => {
        for (const watch of this.#watchesOf(change.network)) watch.look(change.network, blockOf(change));
      }),
    ];
  }

  // A change of an instance that is gone may end what any of them told.
  #watchesOf(network: string): Iterable<ClaimsWatch> {
    const instance = this.instanceOf(network);
    if (instance !== undefined) return this.#byNamespace.get(instance.namespace) ?? [];
    return [...this.#byNamespace.values()].flatMap((watches) => [...watches]);
  }
}

/** Parts of one watch. */
interface WatchParts {
  readonly parts: ViewParts;
  readonly live: LiveWatches;
  readonly named: ClientName;
  readonly stream: ClaimStream;
}

/** One watch, and what it has told. */
class ClaimsWatch {
  readonly #of: WatchParts;
  readonly #told = new Map<string, Told>();
  #cancel: (() => void) | undefined;

  constructor(of: WatchParts) {
    this.#of = of;
  }

  close(): void {
    this.#cancel?.();
  }

  look(network: string, block: Prefix): void {
    const { parts, live } = this.#of;
    const instance = live.instanceOf(network);
    const before = this.#told.get(placeText(network, block));
    if (instance === undefined && before === undefined) return;
    const { entry, told } = parts.tables.look(network, (table) => {
      const found = table.at(block);
      return { entry: found, told: toldOf(table, found, { network, instance }) };
    });
    if (told !== undefined && this.#isAsked(told)) this.#put(told);
    else if (before !== undefined) this.#drop(before);
    // the gateway of a subnet is that of everything in it
    else if (entry?.facts?.role !== 'allocation') this.lookAgain();
  }

  // Once for the changes of a moment: it goes through all that was told.
  lookAgain(): void {
    this.#cancel ??= this.#of.parts.clock.after(LOOK_AGAIN_MS, () => {
      this.#cancel = undefined;
      for (const { network, block } of [...this.#told.values()]) this.look(network, block);
    });
  }

  #isAsked({ claim }: Told): boolean {
    const { namespace, name } = this.#of.named;
    return claim.namespace === namespace && (name === '' || claim.name === name);
  }

  #put(told: Told): void {
    const place = placeText(told.network, told.block);
    const before = this.#told.get(place);
    if (before !== undefined && JSON.stringify(before.claim) === JSON.stringify(told.claim)) return;
    if (before !== undefined && before.claim.name !== told.claim.name) this.#drop(before);
    this.#told.set(place, told);
    this.#of.stream.send({ claim: told.claim, synced: false });
  }

  #drop({ network, block, claim }: Told): void {
    this.#told.delete(placeText(network, block));
    this.#of.stream.send({ claim: { ...claim, statusCode: 'Unknown' }, synced: false });
  }
}

const placeText = (network: string, block: Prefix): string => `${network} ${block.toString()}`;

async function tellPage(
  page: readonly Told[],
  watch: ClaimsWatch,
  { stream, signal }: { readonly stream: ClaimStream; readonly signal: AbortSignal },
): Promise<void> {
  for (const { network, block } of page) {
    if (signal.aborted) return;
    watch.look(network, block);
    await stream.drained();
  }
}
