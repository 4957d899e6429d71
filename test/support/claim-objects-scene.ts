import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { listOf, mapOf, type JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import type { AddressRecord } from '../../operator/ports/claims';
import { spaceOf } from './claim-requests';
import type { ManualClock } from './manual-clock';
import { openClaims, type OpenedClaims, type Opening, type TableClaimStore } from './open-claim-objects';

const GROUP = '/apis/ipam.vitistack.io/v1alpha1';
/** Collection of the claims. */
export const CLAIMS = `${GROUP}/addressclaims`;
/** Table of network `default`. */
export const TABLE = `${GROUP}/addresstables/default`;

/** An empty API server with our kinds, and its clock. */
export interface ClaimServer {
  readonly client: ApiClient;
  readonly clock: ManualClock;
}

/** The client of a process that dies before a request of its own: from then on nothing of it reaches the server. */
export class MortalClient implements ApiClient {
  readonly #client: ApiClient;
  #diesBefore: (request: ApiRequest) => boolean = () => false;
  #isDead = false;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Makes it die before a request. */
  dieBefore(request: (request: ApiRequest) => boolean): void {
    this.#diesBefore = request;
  }

  /** Lets it live again, as a connection that comes back. */
  revive(): void {
    this.#diesBefore = () => false;
    this.#isDead = false;
  }

  request(request: ApiRequest): Promise<ApiAnswer> {
    this.#isDead ||= this.#diesBefore(request);
    if (this.#isDead) return Promise.reject(new IpamError('cluster/unavailable', 'the process is dead'));
    return this.#client.request(request);
  }

  stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    return this.#client.stream(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A gate that is open until it is shut. */
class Gate {
  #shut: Promise<void> | undefined;
  #open: () => void = () => undefined;

  shut(): void {
    this.#shut = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#shut = undefined;
    this.#open();
  }

  async pass(): Promise<void> {
    await this.#shut;
  }
}

/** The client of a process whose watches, and some of whose requests, wait before a gate. */
export class GatedClient implements ApiClient {
  readonly watches = new Gate();
  readonly writes = new Gate();
  /** Requests that wait before the gate of the writes. */
  gated: (request: ApiRequest) => boolean = () => false;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    if (this.gated(request)) await this.writes.pass();
    return this.#client.request(request);
  }

  async stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    const answer = await this.#client.stream(request);
    return Symbol.asyncIterator in answer ? this.#lagging(answer) : answer;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#lagging(events: AsyncIterable<JsonMap>): AsyncGenerator<JsonMap> {
    for await (const event of events) {
      await this.watches.pass();
      yield event;
    }
  }
}

/** Tells the request of a turn that a process sends to claims. */
export const toClaims =
  (method: ApiRequest['method'], turn = 1) =>
  (request: ApiRequest): boolean =>
    request.method === method && request.path.startsWith(CLAIMS) && (turn -= 1) === 0;

/** Processes over one server, and what is stored there. */
export interface ClaimScene {
  readonly server: ClaimServer;
  /** Opens the claims as one process. */
  process(opening?: Opening & { readonly client?: ApiClient }): Promise<TableClaimStore>;
  /** The same, with a client that can die. */
  mortal(): Promise<{ readonly store: TableClaimStore; readonly client: MortalClient }>;
  /** The same, with a client that can be late. */
  gated(): Promise<{ readonly store: TableClaimStore; readonly client: GatedClient }>;
  read(path: string): Promise<JsonMap | undefined>;
  /** Number of decisions in the table of network `default`. */
  decisions(): Promise<number>;
  /** Every stored claim. */
  claims(): Promise<readonly AddressRecord[]>;
}

/**
 * Opens processes for the tests of a suite, and closes them after each.
 *
 * @param server - an empty one for each test
 * @returns the scene of the running test
 */
export function claimScene(server: () => ClaimServer): ClaimScene {
  let opened: OpenedClaims[];
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((each) => each.close()));
  });
  const process: ClaimScene['process'] = async (opening = {}) => {
    const { client = server().client, ...rest } = opening;
    const claims = await openClaims(client, { clock: server().clock, ...rest });
    opened.push(claims);
    return claims.store;
  };
  const read: ClaimScene['read'] = async (path) => {
    const answer = await server().client.request({ method: 'GET', path });
    return answer.ok ? answer.body : undefined;
  };
  return {
    get server() {
      return server();
    },
    process,
    mortal: async () => {
      const client = new MortalClient(server().client);
      return { store: await process({ client }), client };
    },
    gated: async () => {
      const client = new GatedClient(server().client);
      return { store: await process({ client }), client };
    },
    read,
    decisions: async () => listOf(mapOf((await read(TABLE))?.['spec'])['decisions']).length,
    claims: async () => {
      const items = listOf((await read(CLAIMS))?.['items']) as readonly JsonMap[];
      return items.flatMap((item) => addressClaimCodec('networks').read(item) ?? []);
    },
  };
}

/** Counts records that overlap a later one. */
export function overlaps(records: readonly AddressRecord[]): number {
  const space = ({ address, length }: AddressRecord) => spaceOf(`${address.toString()}/${length}`);
  return records.filter((a, i) => records.some((b, j) => i < j && space(a).overlaps(space(b)))).length;
}
