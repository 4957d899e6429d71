import { parsePrefix, type Prefix } from '../../addressing/prefix';
import { blockOf } from '../../addressing/space-text';
import { metadataOf, type JsonMap } from '../../contract/loose-json';
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

/** A claim at its place. */
interface Told {
  readonly network: string;
  readonly block: Prefix;
  readonly claim: AllocClaim;
}

/** What clients of the gRPC API were given, as this process knows it. */
export class ClientClaims {
  readonly #parts: ViewParts;

  /**
   * Reads from the record.
   *
   * @param parts - record and instances
   */
  constructor(parts: ViewParts) {
    this.#parts = parts;
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
   * Tells what the clients of a namespace have, then that this is all, then each change.
   *
   * @param named - namespace, and a name or none for all
   * @param tell - is called for each message, at once for what is on record
   * @returns the function that ends it
   */
  watch(named: ClientName, tell: (message: AllocWatchResponse) => void): () => void {
    return new ClaimsWatch(this.#parts, named, tell).begin([...this.#claimsIn({ ...named, networkInstance: '' })]);
  }

  #instanceOf(namespace: string, network: string): Instance | undefined {
    return instancesIn(this.#parts, namespace).find((each) => each.network === network);
  }

  *#claimsIn(
    { namespace, networkInstance }: Pick<AllocListRequest, 'namespace' | 'networkInstance'>,
    after?: PageStart,
  ): Generator<Told> {
    const asked = instancesIn(this.#parts, namespace).filter(
      ({ name }) => (networkInstance === '' || networkInstance === name) && name >= (after?.instance ?? ''),
    );
    for (const each of asked) yield* this.#claimsOf(each, each.name === after?.instance ? after.block : undefined);
  }

  *#claimsOf(instance: Instance, after: Prefix | undefined): Generator<Told> {
    const { tables } = this.#parts;
    const { network } = instance;
    for (let from = after; ;) {
      const page = tables.page(network, { most: STEP, ...(from === undefined ? {} : { after: from }) });
      yield* tables.look(network, (table) =>
        page.flatMap((entry) => toldOf(table, entry, { network, instance }) ?? []),
      );
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
    ...{ namespace, name, networkInstance: instance?.name ?? '' },
    ...{ prefixkind: entry.facts.kind, allocatedPrefix: text },
    ...{ gateway: gateway?.toString() ?? '', parentPrefix: parent?.toString() ?? '' },
    labels: entry.labels,
    statusCode: instance === undefined || instance.isDying ? 'InValid' : 'Valid',
  };
}

/** One watch, and what it has told. */
class ClaimsWatch {
  readonly #parts: ViewParts;
  readonly #named: ClientName;
  readonly #tell: (message: AllocWatchResponse) => void;
  readonly #told = new Map<string, Told>();
  #cancel: (() => void) | undefined;

  constructor(parts: ViewParts, named: ClientName, tell: (message: AllocWatchResponse) => void) {
    this.#parts = parts;
    this.#named = named;
    this.#tell = tell;
  }

  // Nothing changes between the list and the listeners: both are of one moment.
  begin(known: readonly Told[]): () => void {
    const { claims, instances } = this.#parts;
    for (const told of known) if (this.#isAsked(told)) this.#put(told);
    this.#tell({ claim: null, synced: true });
    const stops = [
      claims.watch((change) => {
        this.#look(change.network, blockOf(change));
      }),
      instances.onChange(({ key }) => {
        if (key.namespace === this.#named.namespace) this.#lookAgain();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.#cancel?.();
    };
  }

  #isAsked({ claim }: Told): boolean {
    const { namespace, name } = this.#named;
    return claim.namespace === namespace && (name === '' || claim.name === name);
  }

  #look(network: string, block: Prefix): void {
    const instance = instancesIn(this.#parts, this.#named.namespace).find((each) => each.network === network);
    const before = this.#told.get(placeText(network, block));
    if (instance === undefined && before === undefined) return;
    const { entry, told } = this.#parts.tables.look(network, (table) => {
      const found = table.at(block);
      return { entry: found, told: toldOf(table, found, { network, instance }) };
    });
    if (told !== undefined && this.#isAsked(told)) this.#put(told);
    else if (before !== undefined) this.#drop(before);
    // the gateway of a subnet is that of everything in it
    else if (entry?.facts?.role !== 'allocation') this.#lookAgain();
  }

  #put(told: Told): void {
    const place = placeText(told.network, told.block);
    const before = this.#told.get(place);
    if (before !== undefined && JSON.stringify(before.claim) === JSON.stringify(told.claim)) return;
    if (before !== undefined && before.claim.name !== told.claim.name) this.#drop(before);
    this.#told.set(place, told);
    this.#tell({ claim: told.claim, synced: false });
  }

  #drop({ network, block, claim }: Told): void {
    this.#told.delete(placeText(network, block));
    this.#tell({ claim: { ...claim, statusCode: 'Unknown' }, synced: false });
  }

  // Once for the changes of a moment: it goes through all that was told.
  #lookAgain(): void {
    this.#cancel ??= this.#parts.clock.after(LOOK_AGAIN_MS, () => {
      this.#cancel = undefined;
      for (const { network, block } of [...this.#told.values()]) this.#look(network, block);
    });
  }
}

const placeText = (network: string, block: Prefix): string => `${network} ${block.toString()}`;
